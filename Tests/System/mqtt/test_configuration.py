"""The configuration file."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import places
import pytest
from jacquard_mqtt import settings
from jacquard_mqtt.bridge import Bridge
from jacquard_mqtt.schemas import validator
from jacquard_mqtt.settings import Invalid, Tls, parse
from program import PYTHONPATH

SECTIONS = ("mqtt", "gestures", "firmware", "fader", "home_assistant")
EXAMPLE = places.APPS / "jacquard-mqtt" / "jacquard-mqtt.toml"


def test_an_empty_file_is_valid() -> None:
    assert parse("").mqtt.host == "localhost"
    assert (parse("").mqtt.effective_port, parse("[mqtt]\ntls = true").mqtt.effective_port) == (1883, 8883)


def test_the_installed_file_contains_every_setting_with_its_default() -> None:
    text = EXAMPLE.read_text()
    assert parse(text) == parse("")
    properties = validator("configuration").schema["properties"]
    names = set(properties) - {"tag", *SECTIONS}
    for section in SECTIONS:
        names |= set(properties[section]["properties"])
    missing = {name for name in names if f"#{name} =" not in text and f"[mqtt.{name}]" not in text}
    assert missing == set()


def test_all_settings_are_read() -> None:
    found = parse(
        """
        bridge = "shop"
        base_topic = "a/b"
        adapter = "00:11:22:33:44:55"
        mqtt = { host = "h", port = 1, protocol = "3.1.1", client_id = "c", username = "u", password_file = "p" }
        gestures = { maximum_age = 0.5, queue = 7, derived = true }
        firmware = { directory = "f" }
        fader = { mode = "relative" }
        home_assistant = { enabled = false, prefix = "p", discovery = "device", light_seconds = 5 }
        tag = [{ serial = "01ZK", topic = "sleeve" }, { serial = "T001" }]
        """,
        "/etc",
    )
    assert (found.bridge, found.base_topic, found.client_id, found.mqtt.effective_port) == ("shop", "a/b", "c", 1)
    assert (found.gestures.maximum_age, found.gestures.queue, found.home_assistant.light_seconds) == (0.5, 7, 5)
    assert found.gestures.derived and not parse("").gestures.derived
    assert found.firmware.directory == "/etc/f" and found.fader.mode == "relative"
    assert [(tag.serial, tag.topic) for tag in found.tags] == [("01ZK", "sleeve"), ("T001", None)]


def test_paths_are_relative_to_the_file() -> None:
    assert parse('[mqtt.tls]\nca_file = "ca.pem"', "/etc").mqtt.tls == Tls(ca_file="/etc/ca.pem")


def test_a_password_file_is_read_from_systemds_credentials_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p").write_text("here\n")
    found = parse('[mqtt]\nusername = "u"\npassword_file = "p"', str(tmp_path)).mqtt
    assert found.secret() == "here"
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "p").write_text("there")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    assert found.secret() == "there"


@pytest.mark.parametrize(
    "text, message",
    [
        ("x", "Expected"),
        ("speed = 1", "'speed' was unexpected"),
        ("[mqtt]\nport = 70000", "mqtt.port: 70000 is greater than the maximum of 65535"),
        ('[mqtt]\nport = "1883"', "mqtt.port: '1883' is not of type 'integer'"),
        ("[mqtt]\nkeepalive = 1", "mqtt.keepalive: 1 is less than the minimum of 5"),
        ('[mqtt]\npassword = "x"', "a password needs a username"),
        ('[mqtt]\nusername = "u"\npassword = "x"\npassword_file = "y"', "not both"),
        ('[mqtt.tls]\nkey = "k"', "certificate and key must be set together"),
        ('bridge = "a/b"', "bridge: 'a/b' does not match"),
        ('base_topic = "a/+"', "base_topic: 'a/+' does not match"),
        ('base_topic = "a/"', "base_topic: "),
        ("[gestures]\nqueue = 0", "gestures.queue: 0 is less than the minimum of 1"),
        ('[home_assistant]\ndiscovery = "all"', "home_assistant.discovery: 'all' is not one of"),
        ('[fader]\nmode = "on"', "fader.mode: 'on' is not one of ['off', 'absolute', 'relative']"),
        ('[[tag]]\ntopic = "a"', "tag.0: 'serial' is a required property"),
        ('[[tag]]\nserial = "01ZK"\n[[tag]]\nserial = "01zk"', "serial 01ZK is set more than once"),
        ('[[tag]]\nserial = "01ZK"\ntopic = "a"\n[[tag]]\nserial = "T001"\ntopic = "a"', "topic a is set more than once"),
    ],
)
def test_an_invalid_file_is_explained(text: str, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse(text)
    assert message in str(caught.value)


def test_a_users_new_file_is_read_at_the_next_reload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then the system's file is in effect."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(settings, "SYSTEM_FILE", tmp_path / "system.toml")
    read = []

    async def reload() -> None:
        bridge = Bridge(parse(""), None)

        async def apply(fresh: settings.Settings) -> None:
            read.append(fresh.bridge)

        bridge._apply = apply  # type: ignore[method-assign]
        await bridge.reload()

    (tmp_path / "system.toml").write_text('bridge = "first"')
    asyncio.run(reload())
    (tmp_path / "jacquard-mqtt.toml").write_text('bridge = "second"')
    asyncio.run(reload())
    assert read == ["first", "second"]


def check(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jacquard_mqtt", *words],
        env={"PYTHONPATH": PYTHONPATH, "JACQUARD_LIBRARY": str(places.LIBRARY), "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_check_reports_the_first_problem(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert check("--check", "--config", str(path)).stderr == f"jacquard-mqtt: {path}: No such file or directory\n"
    path.write_bytes(b"\xff")
    assert "not encoded in UTF-8" in check("--check", "--config", str(path)).stderr
    path.write_text("[mqtt]\nport = 0")
    ran = check("--check", "--config", str(path))
    assert (ran.returncode, ran.stdout) == (2, "") and "mqtt.port" in ran.stderr
    path.write_text("")
    assert check("--check", "--config", str(path)).stdout == f"{path}: valid\n"


def test_a_password_that_all_users_can_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('[mqtt]\nusername = "u"\npassword = "secret"')
    path.chmod(0o644)
    assert "readable by all users" in check("--check", "--config", str(path)).stderr
    path.chmod(0o600)
    assert check("--check", "--config", str(path)).stderr == ""


@pytest.mark.parametrize("is_own", [True, False])
def test_priorities_are_written_only_to_the_journal(tmp_path: Path, is_own: bool) -> None:
    """A program that systemd has started inherits the variable, and may have another standard error."""
    with open(tmp_path / "log", "w+") as log:
        status = os.fstat(log.fileno())
        stream = f"{status.st_dev}:{status.st_ino + (not is_own)}"
        environment = {**os.environ, "PYTHONPATH": PYTHONPATH, "JOURNAL_STREAM": stream}
        command = [sys.executable, "-m", "jacquard_mqtt", "--config", str(tmp_path / "none")]
        assert subprocess.run(command, env=environment, stderr=log).returncode != 0
        log.seek(0)
        assert log.read().startswith("<3>" if is_own else "jacquard-mqtt: ")
