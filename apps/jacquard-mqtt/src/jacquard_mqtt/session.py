"""One connection to the broker, in the running event loop.

Each connection has a new paho client, so that a reconnection starts without old state: the Publisher keeps what has not
been acknowledged. Only connecting, which blocks in paho (name resolution, TCP, TLS), runs on another thread. One
source for paho-mqtt 1.6 and 2: the callbacks differ in the number of their arguments.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from .settings import Mqtt, Tls

LOG = logging.getLogger("jacquard_mqtt")
# Time limit for the reply to CONNECT or SUBSCRIBE.
REPLY_TIMEOUT = 5.0
# Time limit for the broker to close the connection after DISCONNECT.
END_TIMEOUT = 2.0
# Reason codes of MQTT 5 for a failed subscription start here; 3.1.1 has only this one.
FAILURE = 0x80
# "Unsupported protocol version" of MQTT 5 and 3.1.1.
UNSUPPORTED_VERSION = (0x84, 1)
# The meaning of ssl.SSLError's reasons here. The version of TLS is part of some.
TLS_REASONS = {
    "CERTIFICATE_REQUIRED": "the broker requires a client certificate: set `certificate` and `key` in [mqtt.tls]",
    "HANDSHAKE_FAILURE": "the broker refused the TLS handshake; it may require a client certificate",
    "ALERT_UNKNOWN_CA": "the broker does not trust the authority of the client certificate",
}


class Refused(Exception):
    """The broker's reply to CONNECT."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"the broker refused the connection: {text} ({code})")
        self.code = code

    @property
    def is_about_the_version(self) -> bool:
        return self.code in UNSUPPORTED_VERSION


class Misconfigured(ConnectionError):
    """Lasts until the broker or this configuration is changed."""


class Unreadable(ConnectionError):
    """A message that paho cannot parse, which ends the connection."""


@dataclasses.dataclass(frozen=True)
class Received:
    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None = None
    correlation: bytes | None = None


@dataclasses.dataclass(frozen=True)
class Will:
    topic: str
    payload: bytes


class Session:
    def __init__(
        self,
        settings: Mqtt,
        client_id: str,
        will: Will,
        version_5: bool,
        on_message: Callable[[Received], None],
        on_published: Callable[[int], None],
    ) -> None:
        self.version_5 = version_5
        self.receive_maximum = 65535
        self.on_message = on_message
        self.on_published = on_published
        # Called after messages have been processed: publishing inside paho's callbacks would only queue.
        self.on_processed: Callable[[], None] = lambda: None
        self.closed: asyncio.Future[OSError] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._connected: asyncio.Future[None] = self._loop.create_future()
        self._subscriptions: dict[int, asyncio.Future[list[int]]] = {}
        self._watched: socket.socket | None = None
        self._failure: OSError | None = None
        self._writing = False
        self._timer: asyncio.TimerHandle | None = None
        self._client = self._new_client(client_id, will)

    def _new_client(self, client_id: str, will: Will) -> Any:
        first = (paho.CallbackAPIVersion.VERSION2,) if hasattr(paho, "CallbackAPIVersion") else ()
        if self.version_5:
            client: Any = paho.Client(*first, client_id=client_id, protocol=paho.MQTTv5)
        else:
            client = paho.Client(*first, client_id=client_id, protocol=paho.MQTTv311, clean_session=True)
        client.will_set(will.topic, will.payload, qos=1, retain=True)
        if self._settings.username is not None:
            client.username_pw_set(self._settings.username, self._settings.secret())
        if self._settings.tls is not None:
            client.tls_set_context(tls_context(self._settings.tls))
        client.max_inflight_messages_set(0)  # the Publisher has the limit
        client.on_connect = handled(self._on_connect)
        client.on_disconnect = handled(self._on_disconnect)
        client.on_message = handled(self._on_message)
        client.on_publish = handled(lambda client, data, mid, *rest: self.on_published(mid))
        client.on_subscribe = handled(self._on_subscribe)
        # With this, paho writes only in loop_write().
        client.on_socket_register_write = lambda *rest: None
        return client

    async def open(self) -> None:
        """Connects. Raises Refused, OSError, or asyncio.TimeoutError."""
        arguments = {"clean_start": True} if self.version_5 else {}
        host, port, keepalive = self._settings.host, self._settings.effective_port, self._settings.keepalive

        def connect() -> None:
            self._client.connect(host, port, keepalive, **arguments)
            if self.closed.done():  # in the meantime
                self._client.socket().close()

        try:
            await on_thread(connect)
            self._watch()
            async with asyncio.timeout(REPLY_TIMEOUT):
                await asyncio.shield(self._connected)
        except BaseException as error:
            self.abort("the connection was not established")
            if isinstance(error, ssl.SSLError):
                raise explained(error) from None
            raise

    async def subscribe(self, topics: list[str], qos: int = 1) -> list[str]:
        """Returns the topics that the broker refused."""
        future: asyncio.Future[list[int]] = self._loop.create_future()
        status, number = self._client.subscribe([(topic, qos) for topic in topics])
        if status != paho.MQTT_ERR_SUCCESS:
            raise self.closed.result() if self.closed.done() else ConnectionError("the connection is closed")
        self._subscriptions[number] = future
        self._flush()
        waited: set[asyncio.Future[Any]] = {future, self.closed}
        done, _ = await asyncio.wait(waited, timeout=REPLY_TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
        if future not in done:
            raise self.closed.result() if self.closed.done() else ConnectionError("no reply to SUBSCRIBE")
        return [topic for topic, code in zip(topics, future.result(), strict=False) if code >= FAILURE]

    def publish(
        self,
        topic: str,
        payload: bytes,
        qos: int = 1,
        retain: bool = False,
        expiry: float | None = None,
        correlation: bytes | None = None,
    ) -> int:
        """Sends a message; returns its number, with which `on_published` is called."""
        properties = None
        if self.version_5 and (expiry is not None or correlation is not None):
            properties = Properties(PacketTypes.PUBLISH)
            if expiry is not None:
                properties.MessageExpiryInterval = max(1, round(expiry))
            if correlation is not None:
                properties.CorrelationData = correlation
        more = {"properties": properties} if properties is not None else {}
        number: int = self._client.publish(topic, payload, qos, retain, **more).mid
        self._flush()
        return number

    def disconnect(self) -> None:
        """Ends the connection with DISCONNECT, so that the broker does not publish the will."""
        self._client.disconnect()
        self._flush()
        self.abort("disconnected")

    async def end(self) -> None:
        """Disconnects, and waits until the broker has closed the connection: a broker that is sending while the
        other end closes sees the error first, before it reads DISCONNECT, and publishes the will."""
        rest: socket.socket | None = None
        if not self.closed.done():
            with contextlib.suppress(OSError):  # no descriptor is free
                rest = socket.socket(fileno=os.dup(self._client.socket().fileno()))
        self.disconnect()  # paho closes its own descriptor at once
        if rest is None:
            return
        with rest, contextlib.suppress(OSError):
            rest.setblocking(False)
            rest.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(END_TIMEOUT):
                while await self._loop.sock_recv(rest, 65536):
                    pass

    def abort(self, reason: str | OSError) -> None:
        """Ends the connection without DISCONNECT."""
        self._unwatch()
        if not self.closed.done():
            self.closed.set_result(ConnectionError(reason) if isinstance(reason, str) else reason)
        sock = self._client.socket()
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.close()

    def _watch(self) -> None:
        sock = self._client.socket()
        if sock is None or self.closed.done():
            raise ConnectionError("the broker closed the connection")
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._watched = sock
        self._client.on_socket_close = lambda *rest: self._unwatch()
        self._loop.add_reader(sock, self._readable)
        self._tick()
        self._flush()

    def _unwatch(self) -> None:
        sock, self._watched = self._watched, None
        if isinstance(sock, TlsSocket):
            self._failure = sock.failure
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if sock is not None and not self._loop.is_closed():
            self._loop.remove_reader(sock)
            if self._writing:
                self._loop.remove_writer(sock)
        self._writing = False

    def _tick(self) -> None:
        """Lets paho send PINGREQ, and notice that there was no reply to it."""
        self._timer = self._loop.call_later(max(1.0, self._settings.keepalive / 4), self._tick)
        with self._ending_on_errors():
            self._client.loop_misc()
        self._flush()

    def _readable(self) -> None:
        with self._ending_on_errors():
            self._client.loop_read()
            # A TLS record may contain more than one message, and its socket is then not readable again.
            while self._watched is not None and isinstance(self._watched, ssl.SSLSocket) and self._watched.pending():
                self._client.loop_read()
        self.on_processed()
        self._flush()

    @contextlib.contextmanager
    def _ending_on_errors(self) -> Iterator[None]:
        """Ends the connection if paho raises an error. It handles only ConnectionError, so TLS alerts, unreachable
        hosts and messages that it cannot parse come here; after the last, it would parse the same message again."""
        try:
            yield
        except Exception as error:
            self._unwatch()
            reason = self._failure or explained(error)
            if not self._connected.done():
                self._connected.set_exception(reason)
                self._connected.exception()  # open() may have ended already
            self.abort(reason)

    def _flush(self) -> None:
        """Sends what paho has queued, now or when the socket is writable."""
        if self._watched is None:
            return
        with self._ending_on_errors():
            if self._client.want_write():
                try:
                    self._client.loop_write()
                except OSError:
                    # The broker may have sent the reason before it closed the connection, such as a TLS alert.
                    self._client.loop_read()
                    raise
        wanted = self._watched is not None and self._client.want_write()
        if wanted and not self._writing:
            self._loop.add_writer(self._watched, self._flush)
        elif not wanted and self._writing and self._watched is not None:
            self._loop.remove_writer(self._watched)
        self._writing = wanted

    def _on_connect(self, client: Any, data: Any, flags: Any, reason: Any, *rest: Any) -> None:
        if self._connected.done():
            return
        if reason == 0:
            for properties in rest:
                self.receive_maximum = getattr(properties, "ReceiveMaximum", self.receive_maximum)
            self._connected.set_result(None)
        else:
            code = getattr(reason, "value", reason)
            text = str(reason) if hasattr(reason, "value") else paho.connack_string(reason)
            self._connected.set_exception(Refused(int(code), text))

    def _on_disconnect(self, client: Any, data: Any, *rest: Any) -> None:
        # paho 1.6 passes the reason first, paho 2 after the flags; both pass properties last.
        reasons = [str(part) for part in rest if hasattr(part, "getName") or isinstance(part, int)]
        self._unwatch()
        text = f"the connection to the broker was lost ({', '.join(reasons)})"
        reason = self._failure or ConnectionError(text)
        if not self._connected.done():
            self._connected.set_exception(reason)
            self._connected.exception()  # open() may have ended already
        if not self.closed.done():
            self.closed.set_result(reason)

    def _on_subscribe(self, client: Any, data: Any, number: int, codes: Any, *rest: Any) -> None:
        future = self._subscriptions.pop(number, None)
        if future is not None and not future.done():
            future.set_result([int(getattr(code, "value", code)) for code in codes])

    def _on_message(self, client: Any, data: Any, message: Any) -> None:
        properties = getattr(message, "properties", None)
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        self.on_message(
            Received(
                topic,
                bytes(message.payload),
                bool(message.retain),
                getattr(properties, "ResponseTopic", None),
                getattr(properties, "CorrelationData", None),
            )
        )


def handled(callback: Callable[..., None]) -> Callable[..., None]:
    """An exception must not leave a callback: paho would process the same message again."""

    def call(*arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception as error:
            LOG.error("internal error", exc_info=error)

    return call


def explained(error: Exception) -> OSError:
    """The reason for the end of a connection."""
    if isinstance(error, ssl.SSLError) and not isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        reason = getattr(error, "reason", "") or ""  # absent if Python's part of the module raised it
        texts = [text for name, text in TLS_REASONS.items() if reason.endswith(name)]
        return Misconfigured(texts[0] if texts else str(error))
    return error if isinstance(error, OSError) else Unreadable(f"the broker sent a message that is invalid: {error!r}")


class TlsSocket(ssl.SSLSocket):
    """Keeps the reason for which the broker has ended TLS: paho 2 does not raise it, and may fail to write before it reads it."""

    failure: OSError | None = None

    def recv(self, length: int = 1024, flags: int = 0) -> bytes:
        try:
            return super().recv(length, flags)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
            raise
        except ssl.SSLError as error:
            self.failure = explained(error)  # a new one, which does not refer to this socket
            raise

    def send(self, data: Any, flags: int = 0) -> int:
        try:
            return super().send(data, flags)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except OSError:
            with contextlib.suppress(OSError):
                self.recv()
            raise


def tls_context(tls: Tls) -> ssl.SSLContext:
    """Errors of the ssl module do not name the file."""
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
    except OSError as error:
        raise Misconfigured(f"{tls.ca_file}: {error}") from None
    context.sslsocket_class = TlsSocket
    if tls.certificate is not None:
        try:
            # Without a password, the ssl module would ask for one on the terminal.
            context.load_cert_chain(tls.certificate, tls.key, password="")
        except OSError as error:
            raise Misconfigured(f"{tls.certificate}, {tls.key}: {error}") from None
    return context


async def on_thread(function: Callable[[], Any]) -> None:
    """Runs a blocking function. It is abandoned if the caller is cancelled: a name server may not reply for minutes."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish(error: BaseException | None) -> None:
        if not done.done():
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            function()
        except Exception as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has been closed
            loop.call_soon_threadsafe(finish, error)

    threading.Thread(target=run, name="connect", daemon=True).start()
    await done
