"""`jacquard-sim peer`: the program, its control socket, and the messages of docs/scenarios.md."""

import asyncio
import os
import struct
import traceback

VERSION = 1
PAIRINGS = ("accepted", "fleeting", "refused")


class Peer:
    """A tag's behaviour. `received` is called with the type and body of each message."""

    def __init__(self, program, folder, received):
        self.program, self.folder, self.received = program, folder, received
        self.results = {}
        self.token = 0

    async def start(self):
        os.makedirs(self.folder, exist_ok=True)
        socket, self.control_path = (os.path.join(self.folder, name) for name in ("socket", "control"))
        self.errors = open(os.path.join(self.folder, "errors"), "wb")
        self.process = await asyncio.create_subprocess_exec(
            self.program, "peer", "--socket", socket, "--control", self.control_path,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=self.errors,
        )  # fmt: skip
        assert self.process.stdout
        if await self.process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"{self.program} does not start")
        self.socket = socket
        # A journal is one line.
        stream = asyncio.open_unix_connection(self.control_path, limit=1 << 20)
        self.control_reader, self.control_writer = await stream

    async def connect(self):
        self.reader, self.writer = await asyncio.open_unix_connection(self.socket)
        self.send(0x01, bytes([VERSION]))
        self.listening = asyncio.create_task(self.listen())

    async def tell(self, line):
        self.control_writer.write(line.encode() + b"\n")
        return (await self.control_reader.readline()).decode().strip()

    async def end(self):
        """Its exit status and its error messages."""
        if self.process.returncode is None:
            self.process.terminate()
        status = await self.process.wait()
        self.control_writer.close()
        self.errors.close()
        with open(self.errors.name, encoding="utf-8", errors="replace") as file:
            return status, " ".join(file.read().split("\n"))

    def send(self, kind, body=b""):
        self.writer.write(struct.pack("<HB", 1 + len(body), kind) + body)

    async def ask(self, kind, body):
        """Sends a message that has a result, and waits for it: an error of the attribute protocol, or 0."""
        self.token = (self.token + 1) & 0xFFFF
        answer = self.results[self.token] = asyncio.get_running_loop().create_future()
        self.send(kind, struct.pack("<H", self.token) + body)
        return await answer

    async def listen(self):
        while True:
            try:
                (size,) = struct.unpack("<H", await self.reader.readexactly(2))
                message = await self.reader.readexactly(size)
            except asyncio.IncompleteReadError:
                return
            kind, body = message[0], message[1:]
            if kind == 0x84:
                token, error = struct.unpack("<HB", body)
                self.results.pop(token).set_result(error)
                await asyncio.sleep(0)  # the waiter responds to the host first
                continue
            try:
                self.received(kind, body)
            except Exception:
                traceback.print_exc()

    # Messages from the radio

    def link_up(self, mtu, security):
        self.send(0x02, struct.pack("<HB", mtu, security))

    def security(self, security):
        self.send(0x03, bytes([security]))

    def subscribe(self, characteristic, on):
        return self.ask(0x04, bytes([characteristic, on]))

    def write(self, characteristic, value):
        return self.ask(0x05, bytes([characteristic, 1]) + value)

    def write_command(self, characteristic, value):
        self.send(0x05, struct.pack("<HBB", 0, characteristic, 0) + value)

    def link_down(self, reason):
        self.send(0x06, bytes([reason]))

    def mtu(self, mtu):
        self.send(0x07, struct.pack("<H", mtu))
