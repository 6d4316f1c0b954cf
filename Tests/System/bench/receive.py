"""receive.py WAY SECONDS: processor time of one Python program for its notifications of touch, without the set-up.

WAY is `stream` or `callback` for the package jacquard, or `bleak` or `simplepyble`, which do not decode. Prints "count
seconds processor-seconds", as Tests/System/bench/measure.h does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import threading
import time

WARM_UP = 30  # notifications before the window opens


class Latency:
    """Measures latencies like Tests/System/bench/latency.h."""

    SAMPLES = 1000
    TOUCH = b"\x07"  # the opcode
    LINE = b"send notification c0 1c 08 08 10 07 18 65 aa 39 13 12 11 20 05 3a 0d 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d\n"

    def __init__(self, control: str) -> None:
        self.control = socket.socket(socket.AF_UNIX)
        self.control.connect(control)
        self.control.setblocking(False)
        self.sent: float | None = None
        self.samples: list[float] = []
        self.closed = asyncio.Event()

    def delivered(self, value: object) -> None:
        # Battery and gear come first.
        if isinstance(value, (bytes, bytearray)) and value[5:6] != self.TOUCH:
            return
        if self.sent:
            self.samples.append(time.monotonic() - self.sent)
        if len(self.samples) == self.SAMPLES:
            self.samples.sort()
            print(*(f"{1e6 * self.samples[self.SAMPLES * percent // 100]:.1f}" for percent in (50, 99)), flush=True)
            self.closed.set()
            return
        time.sleep(0.002)  # all others are idle again
        with contextlib.suppress(BlockingIOError):
            self.control.recv(4096)
        self.sent = time.monotonic()
        self.control.send(self.LINE)


class Window:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.seen = 0
        self.closed = asyncio.Event()

    def delivered(self, _: object) -> None:
        self.seen += 1
        if self.seen == WARM_UP:
            self.opened, self.spent = time.monotonic(), time.process_time()
        elif self.seen > WARM_UP and not self.closed.is_set() and time.monotonic() - self.opened >= self.seconds:
            passed, spent = time.monotonic() - self.opened, time.process_time() - self.spent
            print(self.seen - WARM_UP, f"{passed:.6f} {spent:.6f}", flush=True)
            self.closed.set()


async def stream(window: Latency | Window) -> None:
    import jacquard

    async with jacquard.Manager() as manager, manager.connect(await manager.find()) as connection:
        async with connection.events(jacquard.Touch) as touches:
            async for touch in touches:
                window.delivered(touch)
                if window.closed.is_set():
                    return


async def callback(window: Latency | Window) -> None:
    import jacquard

    async with jacquard.Manager() as manager, manager.connect(await manager.find()) as connection:
        with connection.on(jacquard.Touch, window.delivered):
            await window.closed.wait()


async def bleak(window: Latency | Window) -> None:
    from bleak import BleakClient, BleakScanner

    base = "d2f2{}-d165-445c-b0e1-2d6b642ec57b"
    service = base.format("bf0d")
    device = await BleakScanner.find_device_by_filter(lambda _, seen: service in seen.service_uuids)
    async with BleakClient(device) as client:
        for part in ("b8d0", "b8d1", "b8d2"):
            await client.start_notify(base.format(part), lambda _, value: window.delivered(value))
        await window.closed.wait()


async def simplepyble(window: Latency | Window) -> None:
    import simplepyble

    base = "d2f2{}-d165-445c-b0e1-2d6b642ec57b"
    adapter = simplepyble.Adapter.get_adapters()[0]
    adapter.scan_for(1000)
    device = next(each for each in adapter.scan_get_results() if "Jacquard" in each.identifier())
    device.connect()
    # Set by SimplePyBLE's thread, which prints one result.
    closed = threading.Event()
    window.closed = closed  # type: ignore[assignment]
    for part in ("b8d0", "b8d1", "b8d2"):
        device.notify(base.format("bf0d"), base.format(part), window.delivered)
    closed.wait()
    os._exit(0)


async def main(way: str, seconds: str) -> None:
    ways = {"stream": stream, "callback": callback, "bleak": bleak, "simplepyble": simplepyble}
    control = os.environ.get("BENCH_CONTROL")
    await ways[way](Latency(control) if control else Window(float(seconds)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
