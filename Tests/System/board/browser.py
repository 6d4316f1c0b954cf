"""Debian's Chromium and Firefox, controlled through WebDriver BiDi: https://w3c.github.io/webdriver-bidi/

Firefox has a BiDi server; Chromium's is in chromedriver. No driver or browser is downloaded."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
from waiting import until_awaited

START_LIMIT = 60
# The errors of a connection to a program that does not accept any yet.
STARTING = (aiohttp.ClientConnectionError, aiohttp.WSServerHandshakeError)
CALL_LIMIT = 60
LARGEST_MESSAGE = 64 << 20
CHROMIUM_ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"]
FIREFOX_PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "remote.active-protocols": 1,
    "ui.prefersReducedMotion": 0,
}


class BrowserError(Exception):
    pass


class Page:
    """One window of a browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._context = ""
        # Messages of the console and uncaught errors, but no informational ones.
        self.complaints: list[str] = []
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for received in self._socket:
            message = json.loads(received.data)
            if "id" in message and message["id"] is not None:
                future = self._waiting.pop(message["id"])
                if not future.done():
                    future.set_result(message)
            elif message.get("method") == "log.entryAdded":
                entry = message["params"]
                if entry["level"] in ("error", "warn"):
                    self.complaints.append(f"{entry['level']}: {entry['text']}")

    async def call(self, method: str, /, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        message = await asyncio.wait_for(self._waiting[number], CALL_LIMIT)
        if message["type"] != "success":
            raise BrowserError(f"{method}: {message.get('error')}: {message.get('message')}")
        return message["result"]

    async def begin(self) -> None:
        tree = await self.call("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]
        await self.call("session.subscribe", events=["log.entryAdded"])

    async def size(self, width: int, height: int, pixel_ratio: float = 1) -> None:
        viewport = {"width": width, "height": height}
        await self.call("browsingContext.setViewport", context=self._context, viewport=viewport, devicePixelRatio=pixel_ratio)

    async def open(self, url: str) -> None:
        await self.call("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def open_board(self, link: str) -> None:
        """Opens the link, which redirects to the page."""
        await self.open(link)

        async def opened() -> None:
            if not await self.eval("location.search === '' && document.readyState === 'complete' && 'board' in window"):
                raise BrowserError(f"the board was not opened: {await self.text()}")

        await retry(opened, BrowserError)

    async def eval(self, expression: str) -> Any:
        """The value of an expression, as JSON."""
        result = await self.call(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))",
            target={"context": self._context},
            awaitPromise=True,
        )
        if result["type"] == "exception":
            raise BrowserError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    async def run(self, statements: str) -> Any:
        return await self.eval(f"(async () => {{ {statements} }})()")

    async def until(self, condition: str, seconds: float = 30) -> None:
        """Waits, checking in each frame, until the condition is true."""
        check = f"""
          const end = performance.now() + {seconds * 1000};
          while (performance.now() < end) {{
            try {{ if ({condition}) return true; }} catch {{}}
            await new Promise((next) => setTimeout(next, 20));
          }}
          return false;"""
        assert await self.run(check), f"{condition} did not become true; the page: {await self.text()}"

    async def text(self, selector: str = "body") -> str:
        return str(await self.eval(f"document.querySelector({json.dumps(selector)}).innerText"))

    async def click(self, selector: str) -> None:
        await self.run(f"document.querySelector({json.dumps(selector)}).click()")

    async def box(self, selector: str) -> dict[str, float]:
        rectangle = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return dict(await self.eval(f"(({{x, y, width, height}}) => ({{x, y, width, height}}))({rectangle})"))

    async def pointer(self, *points: tuple[float, float], type: str = "mouse", step: int = 16, hold: int = 0, taps: int = 1) -> None:
        """Presses at the first point, moves through the others and releases."""
        actions: list[dict[str, Any]] = []
        for _ in range(taps):
            first, *others = points
            actions.append({"type": "pointerMove", "x": round(first[0]), "y": round(first[1]), "duration": 0})
            actions.append({"type": "pointerDown", "button": 0})
            actions += [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": step} for x, y in others]
            if hold:
                actions.append({"type": "pause", "duration": hold})
            actions.append({"type": "pointerUp", "button": 0})
        source = {"type": "pointer", "id": f"{type}", "parameters": {"pointerType": type}, "actions": actions}
        await self.call("input.performActions", context=self._context, actions=[source])

    async def press(self, key: str) -> None:
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        await self.call("input.performActions", context=self._context, actions=[{"type": "key", "id": "keys", "actions": actions}])

    async def picture(self) -> bytes:
        result = await self.call("browsingContext.captureScreenshot", context=self._context)
        return base64.b64decode(result["data"])

    async def cdp(self, method: str, **parameters: Any) -> Any:
        """Chromium's own protocol."""
        session = (await self.call("goog:cdp.getSession", context=self._context))["session"]
        answer = await self.call("goog:cdp.sendCommand", method=method, params=parameters, session=session)
        return answer["result"]

    async def close(self) -> None:
        self._reader.cancel()
        await self._socket.close()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.asynccontextmanager
async def chromium(dark: bool = False) -> AsyncIterator[Page]:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        async with program("chromedriver", f"--port={port}"), aiohttp.ClientSession() as http:
            arguments = [*CHROMIUM_ARGUMENTS, f"--user-data-dir={profile}", *(["--force-dark-mode"] if dark else [])]
            options = {"args": arguments, "binary": shutil.which("chromium")}
            wanted = {"webSocketUrl": True, "goog:chromeOptions": options, "unhandledPromptBehavior": "dismiss"}
            body = {"capabilities": {"alwaysMatch": wanted}}
            session = await retry(lambda: post(http, f"http://127.0.0.1:{port}/session", body), *STARTING)
            url = session["value"]["capabilities"]["webSocketUrl"]
            async with http.ws_connect(url, max_msg_size=LARGEST_MESSAGE) as connection:
                page = Page(connection)
                await page.begin()
                try:
                    yield page
                finally:
                    await page.close()
                    await http.delete(f"http://127.0.0.1:{port}/session/{session['value']['sessionId']}")
                    # Otherwise `program` would wait for it in vain.
                    await http.get(f"http://127.0.0.1:{port}/shutdown")


@contextlib.asynccontextmanager
async def firefox(dark: bool = False) -> AsyncIterator[Page]:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as profile:
        preferences = {**FIREFOX_PREFERENCES, "ui.systemUsesDarkTheme": int(dark), "layout.css.prefers-color-scheme.content-override": 0 if dark else 1}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
        Path(profile, "user.js").write_text("\n".join(lines))
        arguments = ["--headless", "--no-remote", "--profile", profile, f"--remote-debugging-port={port}", "about:blank"]
        async with program("firefox-esr", *arguments, HOME=profile), aiohttp.ClientSession() as http:
            url = f"ws://127.0.0.1:{port}/session"
            connection = await retry(lambda: http.ws_connect(url, max_msg_size=LARGEST_MESSAGE), *STARTING)
            page = Page(connection)
            await page.call("session.new", capabilities={})
            await page.begin()
            try:
                yield page
            finally:
                with contextlib.suppress(Exception):
                    await page.call("browser.close")
                await page.close()


BROWSERS = {"chromium": chromium, "firefox": firefox}


async def post(http: aiohttp.ClientSession, url: str, body: Any) -> Any:
    async with http.post(url, json=body) as response:
        answer = await response.json()
        if response.status != 200:
            raise BrowserError(str(answer))
        return answer


async def retry(attempt: Any, *failures: type[Exception]) -> Any:
    """Returns a result as soon as the attempt does not fail in one of these ways."""
    failure: Exception | None = None

    async def attempted() -> list[Any]:
        nonlocal failure
        try:
            return [await attempt()]
        except failures as error:
            failure = error
            return []

    (found,) = await until_awaited(attempted, START_LIMIT, problem=lambda: failure, period=0.1)
    return found


@contextlib.asynccontextmanager
async def program(*words: str, **environment: str) -> AsyncIterator[None]:
    """Runs until the block ends, with its children."""
    process = subprocess.Popen(
        words,
        env={**os.environ, "TZ": "UTC", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
