"""Errors that paho passes on: all except ConnectionError."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import errno
import random
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from typing import Any

import pytest
from jacquard_mqtt import bridge, session, settings
from jacquard_mqtt.session import Misconfigured, Refused, Session, Unreadable, Will
from paho.mqtt.properties import MalformedPacket

ACCEPTED = b"\x20\x03\x00\x00\x00"  # CONNACK of MQTT 5 without properties


class Peer:
    """A broker that accepts one connection. Use it with `async with`."""

    async def __aenter__(self) -> Peer:
        self.closed = asyncio.get_running_loop().create_future()
        self.server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(ACCEPTED)
        self.writer = writer
        with contextlib.suppress(ConnectionError):
            while await reader.read(1000):
                pass
        writer.close()
        self.closed.set_result(None)

    async def session(self, on_message: Callable[[Any], None] = lambda message: None) -> Any:
        mqtt = settings.Mqtt("127.0.0.1", self.server.sockets[0].getsockname()[1])
        made = Session(mqtt, "client", Will("will", b""), True, on_message, lambda number: None)
        await asyncio.wait_for(made.open(), 10)
        return made


def message(topic: bytes, payload: bytes) -> bytes:
    """PUBLISH of MQTT 5 with QoS 0."""
    body = struct.pack("!H", len(topic)) + topic + b"\0" + payload
    return bytes([0x30, len(body)]) + body


ERRORS = [
    OSError(errno.EHOSTUNREACH, "No route to host"),
    TimeoutError(errno.ETIMEDOUT, "Connection timed out"),
    ssl.SSLError(1, "alert"),
    ValueError("invalid"),
    struct.error("invalid"),
    IndexError("invalid"),
    MalformedPacket("invalid"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("where", ["loop_read", "loop_write", "loop_misc"])
def test_an_error_ends_the_connection(where: str, error: Any) -> None:
    async def run() -> None:
        problems = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: problems.append(context))
        async with Peer() as peer:
            made = await peer.session()

            def fail(*rest: object) -> None:
                raise error

            setattr(made._client, where, fail)
            if where == "loop_read":
                peer.writer.write(message(b"topic", b""))
            elif where == "loop_write":
                for _ in range(2):  # the second after the connection has ended
                    made.publish("topic", b"")
            else:
                made._tick()
            ended = await asyncio.wait_for(made.closed, 10)
            if isinstance(error, OSError):
                kind = Misconfigured if isinstance(error, ssl.SSLError) else type(error)
            else:
                kind = Unreadable
            assert type(ended) is kind and str(error.args[-1]) in str(ended)
            await asyncio.wait_for(peer.closed, 10)
            with pytest.raises(kind):
                await made.subscribe(["topic"])
            made.disconnect()
        assert problems == []

    asyncio.run(run())


def test_an_error_of_the_bridge_does_not_repeat_the_message(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        received, second = [], asyncio.get_running_loop().create_future()

        def receive(message: Any) -> None:
            received.append(message.payload)
            if message.payload == b"1":
                raise KeyError("a defect")
            second.set_result(None)

        async with Peer() as peer:
            made = await peer.session(receive)
            peer.writer.write(message(b"topic", b"1") + message(b"topic", b"2"))
            await asyncio.wait_for(second, 10)
            assert received == [b"1", b"2"] and not made.closed.done()
            made.disconnect()
            await asyncio.wait_for(peer.closed, 10)

    asyncio.run(run())
    assert [record.message for record in caplog.records] == ["internal error"]


class SendingBroker:
    """A broker that is sending when the connection ends. Runs in a thread during a `with` block."""

    def __init__(self, closes: bool = True) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.result: concurrent.futures.Future[bytes] = concurrent.futures.Future()
        self.ended = threading.Event()
        self.closes = closes
        # Released with each read of the program.
        self.reads = threading.Semaphore(0)

    def __enter__(self) -> SendingBroker:
        self.thread = threading.Thread(target=self.talk)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.thread.join(20)
        self.listener.close()

    def talk(self) -> None:
        sock, _ = self.listener.accept()
        with sock:
            sock.recv(1000)
            sock.sendall(ACCEPTED)
            # Not read before messages have been sent.
            sock.recv(1, socket.MSG_PEEK)
            try:
                for _ in range(3):
                    sock.sendall(message(b"topic", b"1"))
                    # A program that has closed the connection reads nothing.
                    self.reads.acquire(timeout=1)
                read = b""
                while data := sock.recv(1000):
                    read += data
                self.result.set_result(read)
            except OSError as error:
                self.result.set_exception(error)
            if not self.closes:
                self.ended.wait(20)


async def connect_and_end(broker: SendingBroker) -> None:
    loop: Any = asyncio.get_running_loop()
    receive = loop.sock_recv

    async def counted(*arguments: Any) -> Any:
        data = await receive(*arguments)
        broker.reads.release()
        return data

    loop.sock_recv = counted
    mqtt = settings.Mqtt("127.0.0.1", broker.listener.getsockname()[1])
    made = Session(mqtt, "client", Will("will", b""), True, lambda _: None, lambda _: None)
    await asyncio.wait_for(made.open(), 10)
    await asyncio.wait_for(made.end(), 10)


def test_a_broker_that_is_sending_reads_disconnect() -> None:
    """Otherwise it publishes the will, as mosquitto does after an error."""
    with SendingBroker() as broker:
        asyncio.run(connect_and_end(broker))
        assert broker.result.result(20) == b"\xe0\x00"


def test_a_session_ends_if_no_descriptor_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    async def run() -> None:
        async with Peer() as peer:
            made = await peer.session()
            monkeypatch.setattr("os.dup", fail)
            await asyncio.wait_for(made.end(), 10)
            await asyncio.wait_for(peer.closed, 10)
            assert made.closed.done()

    asyncio.run(run())


def test_the_end_does_not_wait_for_a_broker_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "END_TIMEOUT", 0.2)
    with SendingBroker(closes=False) as broker:
        asyncio.run(connect_and_end(broker))


@pytest.mark.parametrize(
    "reason, text",
    [
        ("TLSV13_ALERT_CERTIFICATE_REQUIRED", "requires a client certificate: set `certificate` and `key`"),
        ("SSLV3_ALERT_HANDSHAKE_FAILURE", "may require a client certificate"),
        ("TLSV1_ALERT_UNKNOWN_CA", "does not trust the authority"),
        ("SOMETHING_ELSE", "as the library says"),
    ],
)
def test_tls_alerts_are_explained(reason: str, text: str) -> None:
    error = ssl.SSLError(1, "as the library says")
    error.reason = reason
    assert text in str(session.explained(error))


@pytest.mark.parametrize(
    "error, wanted",
    [
        (Misconfigured("certificate"), [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]),
        (Unreadable("message"), [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]),
        (Refused(135, "password"), [30] * 10),
        (ConnectionRefusedError("broker"), [0.2, 0.4, 0.8] + [1] * 7),
        (TimeoutError(), [0.2, 0.4, 0.8] + [1] * 7),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_pauses_grow_and_each_reason_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Any, wanted: Any
) -> None:
    async def run() -> None:
        link = bridge.Bridge(settings.parse('bridge = "test"'))._link
        pauses = []

        async def connect() -> None:
            raise error

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == len(wanted):
                raise asyncio.CancelledError

        monkeypatch.setattr(link, "_connect_once", connect)
        monkeypatch.setattr(asyncio, "sleep", pause)
        monkeypatch.setattr(random, "uniform", lambda low, high: 1)
        with pytest.raises(asyncio.CancelledError):
            await link._stay_connected()
        assert pauses == pytest.approx(wanted)

    asyncio.run(run())
    assert len(caplog.records) <= 2 and len({record.message for record in caplog.records}) == len(caplog.records)
