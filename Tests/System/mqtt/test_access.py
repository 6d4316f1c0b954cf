"""Who may use the broker, and with which certificates and versions."""

import asyncio
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from broker import Broker, program
from certificates import certificates, openssl, refused_without_certificate
from client import Client
from program import ROOT, TAG, Program, configuration
from simulator import Simulator
from test_service import ACL


def test_a_wrong_password_is_reported_once(tmp_path: Path, simulator: Simulator) -> None:
    (tmp_path / "passwords").write_text("bridge:secret\n")
    subprocess.run([program("mosquitto_passwd"), "-U", tmp_path / "passwords"], check=True)
    options = [f"password_file {tmp_path}/passwords"]
    with Broker(tmp_path, *options, anonymous=False) as broker:
        wrong = 'username = "bridge"\npassword = "wrong"\n'
        with Program(tmp_path, configuration(broker.port, mqtt=wrong), simulator.bus_address) as bridge:
            bridge.wait_for_log("the broker refused the connection: Not authorized (135)")
            (tmp_path / "password").write_text("secret\n")
            bridge.reload(configuration(broker.port, mqtt='username = "bridge"\npassword_file = "password"\n'))
            with Client(broker.port, user=("bridge", "secret")) as client:
                client.wait_latest(f"{ROOT}/availability", "online")


def users(folder: Path, *names: str) -> list[str]:
    """Options of a broker with these users, whose passwords equal their names, and with the documented access
    rights."""
    (folder / "passwords").write_text("".join(f"{name}:{name}\n" for name in names))
    subprocess.run([program("mosquitto_passwd"), "-U", folder / "passwords"], check=True)
    return [f"password_file {folder}/passwords", f"acl_file {ACL}"]


def test_the_documented_access_rights_are_sufficient_and_exclude_others(tmp_path: Path, simulator: Simulator) -> None:
    options = users(tmp_path, "workshop", "homeassistant", "display")
    with Broker(tmp_path, *options, anonymous=False) as broker:
        own = 'username = "workshop"\npassword = "workshop"\n'
        text = configuration(broker.port, mqtt=own, bridge="workshop")
        root = "jacquard/v1/workshop"
        with (
            Client(broker.port, "#", user=("homeassistant", "homeassistant")) as home,
            Client(broker.port, "jacquard/v1/tags/+/gesture", user=("display", "display")) as display,
            Program(tmp_path, text, simulator.bus_address) as bridge,
        ):
            home.wait_latest(f"{root}/availability", "online")
            home.wait_latest("jacquard/v1/tags/sleeve/availability", "online")
            home.wait("homeassistant/light/jacquard_sleeve/led/config")
            assert home.request("jacquard/v1/tags/sleeve", "battery", {})["status"] == "ok"
            # The broker acknowledges and ignores what is not permitted.
            start = len(home.messages)
            display.publish("jacquard/v1/tags/sleeve/request/rename", {"name": "stolen"})
            display.publish(f"{root}/availability", "offline", retain=True)
            assert home.request("jacquard/v1/tags/sleeve", "battery", {})["status"] == "ok"
            topics = {message.topic for message in home.messages[start:]}
            assert "jacquard/v1/tags/sleeve/response/rename" not in topics and f"{root}/availability" not in topics
            assert "does not permit" not in bridge.log.read_text()


def test_tls_with_certificates_of_both_sides(tmp_path: Path, simulator: Simulator) -> None:
    certificates(tmp_path)
    plain = socket.create_server(("127.0.0.1", 0))
    port = plain.getsockname()[1]
    plain.close()
    options = [f"cafile {tmp_path}/ca.pem", f"certfile {tmp_path}/server.pem", f"keyfile {tmp_path}/server.key"]
    options += ["require_certificate true", f"listener {port} 127.0.0.1", "allow_anonymous true"]
    with Broker(tmp_path, *options) as broker, Client(port) as client:
        text = configuration(broker.port)
        tls = '[mqtt.tls]\nca_file = "ca.pem"\ncertificate = "client.pem"\nkey = "client.key"\n'
        with Program(tmp_path, text + tls, simulator.bus_address):
            client.wait_latest(f"{TAG}/availability", "online")
            simulator.tell("gear attach levis-trucker")
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            for number in range(1, 4):
                simulator.tell("gesture cover")
                client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == number)
        (tmp_path / "untrusting").mkdir()
        untrusting = configuration(broker.port, mqtt="tls = true")
        with Program(tmp_path / "untrusting", untrusting, simulator.bus_address) as bridge:
            bridge.wait_for_log("certificate verify failed")


@pytest.mark.parametrize("version, text", [("TLSv1.3", "set `certificate` and `key`"), ("TLSv1.2", "may require")])
def test_a_missing_client_certificate_is_reported_once(
    tmp_path: Path, simulator: Simulator, version: str, text: str
) -> None:
    refused_without_certificate(tmp_path, simulator, version, text)


@pytest.mark.parametrize(
    "tls, texts",
    [
        ('ca_file = "missing.pem"', ["missing.pem: [Errno 2] No such file"]),
        ('ca_file = "ca.key"', ["ca.key: "]),
        ('ca_file = "ca.pem"\ncertificate = "missing.pem"\nkey = "client.key"', ["missing.pem, ", "No such file"]),
        ('ca_file = "ca.pem"\ncertificate = "client.pem"\nkey = "server.key"', ["server.key: ", "mismatch"]),
        ('ca_file = "ca.pem"\ncertificate = "client.pem"\nkey = "locked.key"', ["locked.key: "]),
    ],
    ids=["no authority", "invalid authority", "no certificate", "wrong key", "encrypted key"],
)
def test_tls_that_cannot_be_used_is_reported(
    broker: Broker, simulator: Simulator, tmp_path: Path, tls: str, texts: list[str]
) -> None:
    certificates(tmp_path)
    openssl("rsa", "-aes128", "-passout", "pass:secret", "-in", "client.key", "-out", "locked.key", folder=tmp_path)
    with Program(tmp_path, configuration(broker.port) + f"[mqtt.tls]\n{tls}\n", simulator.bus_address) as bridge:
        for text in texts:
            bridge.wait_for_log(text)


def test_a_broker_without_mqtt_5_is_used_with_3_1_1(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    """MQTT 5 gets the reply of an old broker, and 3.1.1 a real broker."""
    versions = []

    async def serve(ready: Any, port: int) -> None:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readexactly(2)
            body = await reader.readexactly(head[1] & 127 if head[1] < 128 else (head[1] & 127) + 128 * (await reader.readexactly(1))[0])
            versions.append(body[6])
            if body[6] == 5:
                writer.write(b"\x20\x02\x00\x01")
                writer.close()
                return
            further, to_broker = await asyncio.open_connection("127.0.0.1", broker.port)
            length = bytes([head[1]]) if head[1] < 128 else bytes([head[1], len(body) // 128])
            to_broker.write(head[:1] + length + body)

            async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
                while data := await source.read(65536):
                    target.write(data)
                target.close()

            await asyncio.gather(copy(reader, to_broker), copy(further, writer), return_exceptions=True)

        async with await asyncio.start_server(talk, "127.0.0.1", port):
            ready.set()
            await stop.wait()

    loop, ready = asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()
    from broker import free_port

    port = free_port()
    thread = threading.Thread(target=lambda: loop.run_until_complete(serve(ready, port)))
    thread.start()
    assert ready.wait(10)
    try:
        with Client(broker.port) as client, Program(tmp_path, configuration(port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            assert "with MQTT 3.1.1" in bridge.log.read_text() and versions == [5, 4]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
