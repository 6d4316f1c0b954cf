"""Access to the page."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from pathlib import Path

import aiohttp
import pytest
from boards import Board, run
from jacquardctl.board import access

OWN = socket.gethostname()


@pytest.mark.parametrize("host", ["127.0.0.1:8412", "localhost", "localhost:1", "[::1]:8412", "192.168.1.7:80", OWN, f"{OWN}:8412"])
def test_own_hosts(host: str) -> None:
    assert access.is_own_host(host)


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "evil.example:8412", "localhost.evil.example", "127.0.0.1.evil.example", "a@127.0.0.1", "127.0.0.1:x", "[", "127.0.0.1/"],
)
def test_foreign_hosts(host: str | None) -> None:
    assert not access.is_own_host(host)


def test_an_origin_is_the_scheme_and_the_host() -> None:
    assert access.is_own_origin("http://127.0.0.1:8412", "127.0.0.1:8412")
    for origin in (None, "null", "https://127.0.0.1:8412", "http://127.0.0.1:8413", "http://localhost:8412"):
        assert not access.is_own_origin(origin, "127.0.0.1:8412")


def test_the_cookie_outlives_the_server_and_the_token_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    first, second, other = access.Access(8412), access.Access(8412), access.Access(8413)
    assert second.knows(first.cookie) and not other.knows(first.cookie) and not second.knows(None)
    assert not second.accepts(first.token)
    assert (tmp_path / "jacquard" / "board-8412").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "short", "\n" * 43, "\udcff"])
def test_a_damaged_key_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    access.Access(8412)
    (tmp_path / "jacquard" / "board-8412").write_text(content, errors="surrogateescape")
    assert len(access.Access(8412).cookie) == 43


def test_a_key_that_others_can_read_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    kept = access.Access(8412).cookie
    os.chmod(tmp_path / "jacquard" / "board-8412", 0o644)
    assert access.Access(8412).cookie != kept


def test_the_link_for_the_browser_works_once() -> None:
    one = access.Access(8412)
    once = one.once()
    assert one.accepts(once) and not one.accepts(once) and one.accepts(one.token)


def test_requests_of_others_are_refused() -> None:
    async def body(board: Board) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:

            async def status(path: str, **headers: str) -> int:
                async with http.get(f"{board.base}{path}", headers=headers) as response:
                    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
                    assert response.headers["X-Content-Type-Options"] == "nosniff"
                    assert response.headers["Cache-Control"] == "no-store"
                    return response.status

            for path in ("/", "/main.js", "/live", "/?token=wrong", "/?once=wrong", "/?token="):
                assert await status(path) == 403
            token = f"/{board.link.partition('/')[2].partition('/')[2].partition('/')[2]}"
            assert await status(token, Host="evil.example") == 403
            assert await status(token, Origin="http://evil.example") == 403
            assert http.cookie_jar.filter_cookies(board.base) == {}  # type: ignore[arg-type]

            async with http.get(board.link) as response:
                cookie = response.headers["Set-Cookie"]
                assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Domain" not in cookie
                assert 'content="0;url=/"' in await response.text()
            assert await status("/") == 200
            assert await status("/main.js") == 200
            assert await status("/server.py") == await status("/nothing") == 404
            assert await status("/", Host="evil.example") == 403
            assert await status("/", Origin="http://evil.example") == 403
            for origin in ("http://evil.example", "null", None):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await http.ws_connect(f"ws://{board.host}/live", origin=origin)
                assert refused.value.status == 403
            assert await status("/live", Origin=board.base) == 400

    with Board() as board:
        run(body(board))


def test_only_some_browsers_at_the_same_time() -> None:
    async def body(board: Board) -> None:
        async with board.client() as client:
            url = f"ws://{board.host}/live"
            others = [await client.http.ws_connect(url, origin=board.base) for _ in range(15)]
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await client.http.ws_connect(url, origin=board.base)
            assert refused.value.status == 503
            await asyncio.gather(*(other.close() for other in others))
            for _ in range(100):
                with contextlib.suppress(aiohttp.WSServerHandshakeError):
                    await (await client.http.ws_connect(url, origin=board.base)).close()
                    return
                await asyncio.sleep(0.05)
            raise AssertionError("another browser is still refused")

    with Board() as board:
        run(body(board))


def test_the_whole_page_is_small_and_loads_nothing_else() -> None:
    from jacquardctl.board import server

    files = server.page_files()
    assert sum(len(body) for body, _ in files.values()) < 100_000
    for name, (body, _) in files.items():
        text = body.decode().replace("http://www.w3.org/2000/svg", "")
        assert "https:" not in text and "http:" not in text and "//" not in text.replace("// ", "").replace("ws://", ""), name
