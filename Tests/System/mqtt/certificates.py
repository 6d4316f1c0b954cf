"""Certificates of an authority, a broker and a client, and what the program says without one."""

import subprocess
import threading
from pathlib import Path
from typing import Any

from broker import Broker
from program import Program, configuration
from simulator import Simulator

LATEST = """openssl_conf = start
[start]
ssl_conf = contexts
[contexts]
system_default = limits
[limits]
MaxProtocol = """


def openssl(*words: str, folder: Path) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def certificates(folder: Path) -> None:
    # Since Python 3.13 an authority has to say that it may sign certificates.
    subject = ["-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign"]
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", *subject, folder=folder)
    for name, extension in (("server", "subjectAltName=IP:127.0.0.1"), ("client", "subjectAltName=DNS:client")):
        (folder / f"{name}.ext").write_text(extension)
        request = ["-subj", f"/CN={name}", "-out", f"{name}.csr"]
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", *request, folder=folder)
        words = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", f"{name}.ext", "-out", f"{name}.pem"]
        openssl("x509", "-req", "-in", f"{name}.csr", *words, folder=folder)


def refused_without_certificate(folder: Path, simulator: Simulator, version: str, text: str) -> None:
    """The program reports this once, also after several attempts."""
    certificates(folder)
    options = [f"cafile {folder}/ca.pem", f"certfile {folder}/server.pem", f"keyfile {folder}/server.key"]
    with Broker(folder, *options, "require_certificate true") as broker:
        with_tls = configuration(broker.port) + '[mqtt.tls]\nca_file = "ca.pem"\n'
        (folder / "openssl.cnf").write_text(LATEST + version)
        environment: dict[str, Any] = {"OPENSSL_CONF": str(folder / "openssl.cnf")}
        with Program(folder, with_tls, simulator.bus_address, **environment) as bridge:
            bridge.wait_for_log(text)
            attempts(broker, 4)
            assert bridge.log.read_text().count(text) == 1


def attempts(broker: Broker, count: int) -> None:
    """Waits until the broker has refused this number of connections."""
    for _ in range(400):
        if (broker.folder / "log").read_text().count("SSL routines") >= count:
            return
        threading.Event().wait(0.05)
    raise AssertionError((broker.folder / "log").read_text())
