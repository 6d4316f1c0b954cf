"""Access to the page."""

from __future__ import annotations

import asyncio
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import aiohttp
import pytest
from boards import Board, run
from jacquard_board import access
from yarl import URL

OWN = socket.gethostname()
ONLY_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
KINDS = ["file", "link", "dangling link", "directory", "fifo", "socket", "full", pytest.param("another user", marks=ONLY_ROOT)]


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
    cookie = f"a=b; {first.cookie_name}={first.cookie}"
    assert second.knows(first.folder, [cookie]) and not other.knows(other.folder, [cookie])
    assert not second.knows("", [cookie]) and not second.knows(first.folder, [])
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


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_at_the_place_of_the_key_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Another key is used then, and nothing is read, written or waited for."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    path, target = tmp_path / "jacquard" / "board-8412", tmp_path / "target"
    path.parent.mkdir(mode=0o700)
    foreign = "x" * 43
    if kind == "link":
        target.write_text(foreign)
        target.chmod(0o600)
    if "link" in kind or kind == "full":
        path.symlink_to("/dev/full" if kind == "full" else target)
    elif kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind != "socket":
        path.write_text(foreign)
        path.chmod(0o644 if kind == "file" else 0o600)
    if kind == "another user":
        os.chown(path, 65534, 65534)
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "socket":
            listener.bind(str(path))
        before = path.lstat()
        keys = {access.Access(8412).cookie for _ in range(2)}
    assert len(keys) == 2 and foreign not in keys and all(len(key) == 43 for key in keys)
    assert path.lstat() == before and sorted(tmp_path.rglob("*")) == sorted({path.parent, path, *([target] if kind == "link" else [])})


@pytest.mark.parametrize("kind", ["open", "link", pytest.param("another user", marks=ONLY_ROOT)])
def test_a_key_is_kept_only_in_a_folder_of_this_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """A user who can change the folder can replace the key."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    kept = access.Access(8412).cookie
    assert access.Access(8412).cookie == kept
    folder = tmp_path / "jacquard"
    if kind == "open":
        folder.chmod(0o777)
    elif kind == "link":
        folder.symlink_to(folder.rename(tmp_path / "moved"))
    else:
        os.chown(folder, 65534, 65534)
    assert access.Access(8412).cookie != kept


def test_two_boards_that_start_at_once_have_whole_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    path = tmp_path / "jacquard" / "board-8412"
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            path.unlink(missing_ok=True)
            assert len({one.cookie for one in pool.map(access.Access, [8412] * 8)}) == 1


def test_the_link_for_the_browser_works_once() -> None:
    one = access.Access(8412)
    once = one.once()
    assert one.accepts(once) and not one.accepts(once) and one.accepts(one.token)


def test_cookies_that_other_ports_of_the_host_have_set_do_no_harm() -> None:
    one = access.Access(8412)
    own = f"{one.cookie_name}={one.cookie}"
    for other in (f"{one.cookie_name}=", f"{one.cookie_name}=\udcff", "a,b=1", "=", "\udcff"):
        assert one.knows(one.folder, [f"{other}; {own}"]) and one.knows(one.folder, [f"{own};{other}"])
        assert not one.knows(one.folder, [other]) and not one.accepts(other)


def test_requests_of_others_are_refused() -> None:
    async def body(board: Board) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:

            async def status(path: str, **headers: str) -> int:
                async with http.get(f"{board.base}{path}", headers=headers) as response:
                    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
                    assert response.headers["X-Content-Type-Options"] == "nosniff"
                    assert response.headers["Cache-Control"] == "no-store"
                    return response.status

            for path in ("/", "/main.js", "/live", "/?token=wrong", "/?once=wrong", "/?token=", "/%FF", "/?token=%FF"):
                assert await status(path) == 403
            token = board.link.removeprefix(board.base)
            assert await status(token, Host="evil.example") == 403
            assert await status(token, Origin="http://evil.example") == 403
            assert http.cookie_jar.filter_cookies(URL(board.base)) == {}

            page = (await board.open_link(http)).removeprefix(board.base)
            (cookie,) = http.cookie_jar
            assert cookie["httponly"] and cookie["samesite"] == "Strict"
            # All ports of a host share the cookies of a path.
            assert (cookie["path"], cookie["domain"]) == (page, "127.0.0.1") and cookie.value not in page
            assert await status(page) == 200
            assert await status(f"{page}main.js") == 200
            assert await status("/") == await status("/main.js", Cookie=f"{cookie.key}={cookie.value}") == 403
            async with aiohttp.request("GET", f"{board.base}{page}", headers={"Cookie": f"{cookie.key}=x"}) as response:
                assert response.status == 403
            assert await status(f"{page}server.py") == await status(f"{page}nothing") == 404
            assert await status(page, Host="evil.example") == 403
            assert await status(page, Origin="http://evil.example") == 403
            for origin in ("http://evil.example", "null", None):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await http.ws_connect(f"{board.base}{page}live", origin=origin)
                assert refused.value.status == 403
            assert await status(f"{page}live", Origin=board.base) == 400
            for path in ("/", page, f"{page}main.js", f"{page}live", f"{page}nothing", token, "/?token=wrong"):
                async with http.get(f"{board.base}{path}") as got, http.head(f"{board.base}{path}") as head:
                    assert (got.status, got.headers["Content-Length"]) == (head.status, head.headers["Content-Length"])
                    assert "aiohttp" not in got.headers["Server"]
            async with http.post(f"{board.base}{page}") as response:
                assert response.status == 405

    with Board() as board:
        run(body(board))


def test_only_some_browsers_at_the_same_time() -> None:
    async def body(board: Board) -> None:
        async with board.client() as client:

            async def another() -> aiohttp.ClientWebSocketResponse:
                return await client.http.ws_connect(f"{client.page}live", origin=board.base)

            others = [await another() for _ in range(15)]
            refused = await another()
            assert (await refused.receive()).type is aiohttp.WSMsgType.CLOSE
            assert refused.close_code == 1013
            await asyncio.gather(*(other.close() for other in others))
            while (await (await another()).receive()).type is not aiohttp.WSMsgType.TEXT:
                pass

    with Board() as board:
        run(body(board))


def test_the_whole_page_is_small_and_loads_nothing_else() -> None:
    from jacquard_board import server

    files = server.page_files()
    assert sum(len(body) for body, _ in files.values()) < 110_000
    for name, (body, _) in files.items():
        text = body.decode().replace("http://www.w3.org/2000/svg", "")
        assert "https:" not in text and "http:" not in text and "//" not in text.replace("// ", "").replace("ws://", ""), name
