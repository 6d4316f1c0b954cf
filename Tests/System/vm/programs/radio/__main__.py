"""A radio implemented with Bumble: radio HOST-SOCKET CONTROL-SOCKET JACQUARD-SIM FOLDER

Lends a controller (H4 on HOST-SOCKET) to a host, within range of tags with their own controllers. Takes lines on
CONTROL-SOCKET and replies to each with one line:

    reset                 no tags, no faults
    tag N new [ADDRESS]   another tag, silent for now; ADDRESS is a random one
    tag N private         before it appears: it will have a resolvable private address, another one whenever it advertises
    tag N appear          it can be found
    tag N address         the address with which it advertises
    tag N tell LINE       a line of a scenario
    tag N lose [REASON]   its link ends without a message; REASON is an HCI reason, by default 0x08
    tag N brief COUNT MS  its next COUNT links end MS milliseconds after they were encrypted
    tag N deaf on|off     it receives nothing on its link, which stays up
    tag N refuse ERROR    requests that need encryption get this error of the attribute protocol
    tag N end             it ends; the reply has the status and the messages of jacquard-sim
    fail COUNT [late]     this many requests for links end with 0x3e: no link, or one that ends immediately
    hang NUMBER           this request for a link, counted from now on, gets no response until it is cancelled
    interval MS [LOSS]    new links have connection events every MS milliseconds, and in LOSS percent of them neither end hears
                          the other (`reset`: packets arrive immediately, and links that fail late end immediately)
    attempts              the number of requests for links since the last reset
"""

import asyncio
import logging
import os
import signal
import sys
import time
import traceback

from bumble.transport.common import StreamPacketSource
from controller import Air, HostController
from tag import Tag

ADDRESS = "C0:1A:DA:00:00:%02X"


def log(*words):
    print(f"{time.monotonic():.3f}", *words, flush=True)


class Source(StreamPacketSource):
    """Packets from the host's kernel, and packets to it."""

    transport = None

    def connection_made(self, transport):
        self.transport = transport

    def on_packet(self, packet):
        if self.transport:
            self.transport.write(packet)


class Radio:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.air = Air()
        self.source = Source()
        self.host = HostController(
            "host", host_source=self.source, host_sink=self.source, link=self.air, public_address="00:AA:01:00:00:00"
        )
        self.tags = {}
        self.count = 0

    async def reset(self):
        for tag in list(self.tags.values()):
            await tag.vanish()
        self.tags.clear()
        self.air.set()
        self.host.clear_faults()
        self.host.attempts = 0

    async def carry_out(self, line):
        words = line.split()
        match words:
            case ["reset"]:
                await self.reset()
            case ["tag", number, "new", *given]:
                self.count += 1
                folder = os.path.join(self.folder, f"tag-{self.count}")
                address = given[0] if given else ADDRESS % int(number)
                tag = Tag(self.air, self.host, self.program, folder, address, log)
                await tag.start()
                self.tags[number] = tag
            case ["tag", number, "tell", *_]:
                return await self.tags[number].peer.tell(line.split(" ", 3)[3])
            case ["tag", number, "private"]:
                self.tags[number].is_private = True
            case ["tag", number, "address"]:
                return f"ok {self.tags[number].device.random_address.to_string(False)}"
            case ["tag", number, "appear"]:
                await self.tags[number].appear()
            case ["tag", number, "lose", *reason]:
                self.tags[number].lose(int(reason[0], 0) if reason else 0x08)
            case ["tag", number, "brief", count, delay]:
                self.tags[number].brief(int(count), float(delay) / 1000)
            case ["tag", number, "deaf", ("on" | "off") as state]:
                self.tags[number].controller.is_deaf = state == "on"
            case ["tag", number, "refuse", error]:
                self.tags[number].refusal = int(error, 0)
            case ["tag", number, "end"]:
                status, complaints = await self.tags.pop(number).vanish()
                return f"ok {status} {complaints}".rstrip()
            case ["fail", count, *late] if late in ([], ["late"]):
                self.host.fail(int(count), late=bool(late))
            case ["hang", number]:
                self.host.hang(int(number))
            case ["interval", interval, *loss]:
                self.air.set(float(interval) / 1000, float(loss[0]) / 100 if loss else 0)
            case ["attempts"]:
                return f"ok {self.host.attempts}"
            case _:
                return "error not understood"
        return "ok"

    async def control(self, reader, writer):
        while line := (await reader.readline()).decode().strip():
            try:
                answer = await self.carry_out(line)
            except Exception as error:
                traceback.print_exc()
                answer = f"error {error!r}"
            log("control", line, "->", answer)
            writer.write(answer.encode() + b"\n")


async def main(host, control, program, folder):
    radio = Radio(program, folder)
    loop = asyncio.get_running_loop()
    await asyncio.start_unix_server(radio.control, control)
    await loop.create_unix_server(lambda: radio.source, host)
    log("ready")
    ending = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ending.set)
    await ending.wait()
    await radio.reset()


logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "WARNING"), stream=sys.stdout)
asyncio.run(main(*sys.argv[1:]))
