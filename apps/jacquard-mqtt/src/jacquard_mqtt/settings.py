"""The configuration file."""

from __future__ import annotations

import dataclasses
import os
import re
import socket
import stat
import tomllib
from pathlib import Path
from typing import Any

from jacquard.input_file import open_input

from .schemas import validator

SYSTEM_FILE = Path("/etc/jacquard-mqtt.toml")
FILE_NAME = "jacquard-mqtt.toml"
# Home Assistant accepts no other characters in its discovery topics.
UNSUITABLE = re.compile("[^A-Za-z0-9_-]")


class Invalid(Exception):
    """The configuration cannot be used."""


@dataclasses.dataclass(frozen=True)
class Tls:
    ca_file: str | None = None
    certificate: str | None = None
    key: str | None = None


@dataclasses.dataclass(frozen=True)
class Mqtt:
    host: str = "localhost"
    port: int | None = None
    protocol: str = "auto"
    client_id: str | None = None
    keepalive: int = 15
    username: str | None = None
    password: str | None = None
    password_file: str | None = None
    tls: Tls | None = None
    # The directory of the configuration file, for relative paths.
    directory: str = "."

    @property
    def effective_port(self) -> int:
        return self.port or (1883 if self.tls is None else 8883)

    def secret(self) -> str | None:
        """The password. Read at each connection, so that it can be changed."""
        if self.password_file is None:
            return self.password
        # systemd puts credentials (LoadCredential=) into a separate directory.
        directory = os.environ.get("CREDENTIALS_DIRECTORY", self.directory)
        with open_input(Path(directory, self.password_file)) as file:
            return file.read().decode("utf-8").rstrip("\n")


@dataclasses.dataclass(frozen=True)
class Gestures:
    maximum_age: float = 30.0
    queue: int = 1000
    derived: bool = False


@dataclasses.dataclass(frozen=True)
class FirmwareImages:
    # None: no firmware is updated.
    directory: str | None = None


@dataclasses.dataclass(frozen=True)
class Fader:
    mode: str = "off"


@dataclasses.dataclass(frozen=True)
class HomeAssistant:
    enabled: bool = True
    prefix: str = "homeassistant"
    discovery: str = "component"
    light_seconds: int = 600


@dataclasses.dataclass(frozen=True)
class Selected:
    """A [[tag]] of the file."""

    serial: str
    topic: str | None = None


@dataclasses.dataclass(frozen=True)
class Settings:
    bridge: str = ""
    base_topic: str = "jacquard"
    adapter: str | None = None
    mqtt: Mqtt = Mqtt()
    gestures: Gestures = Gestures()
    firmware: FirmwareImages = FirmwareImages()
    fader: Fader = Fader()
    home_assistant: HomeAssistant = HomeAssistant()
    tags: tuple[Selected, ...] = ()

    @property
    def client_id(self) -> str:
        return self.mqtt.client_id or f"jacquard-{self.bridge}"

    @property
    def connection(self) -> tuple[object, ...]:
        """The settings that the connection to the broker and its subscriptions depend on."""
        return self.mqtt, self.client_id, self.home_assistant.prefix, self.home_assistant.enabled


def default_path() -> Path:
    """The user's file if there is one, else the system's."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    own = Path(home, FILE_NAME)
    return own if own.exists() else SYSTEM_FILE


def read(path: Path, optional: bool = False) -> Settings:
    """optional: a missing file means the defaults."""
    if optional and not path.exists():
        return parse("")
    try:
        with open_input(path) as file:
            text = file.read().decode("utf-8")
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Invalid(f"{path}: not encoded in UTF-8") from None
    try:
        return parse(text, str(path.parent))
    except Invalid as error:
        raise Invalid(f"{path}: {error}") from None


def parse(text: str, directory: str = ".") -> Settings:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Invalid(str(error)) from None
    from jsonschema.exceptions import best_match

    problem = best_match(validator("configuration").iter_errors(table))
    if problem is not None:
        place = ".".join(str(part) for part in problem.absolute_path)
        raise Invalid(f"{place}: {problem.message}" if place else problem.message)
    return consistent(converted(table, directory))


def converted(table: dict[str, Any], directory: str) -> Settings:
    mqtt = dict(table.get("mqtt", {}))
    if "tls" in mqtt:
        tls = mqtt["tls"]
        mqtt["tls"] = None if tls is False else Tls(**paths({} if tls is True else tls, directory))
    return Settings(
        bridge=table.get("bridge", UNSUITABLE.sub("_", socket.gethostname().split(".")[0]) or "bridge"),
        base_topic=table.get("base_topic", Settings.base_topic),
        adapter=table.get("adapter"),
        mqtt=Mqtt(**mqtt, directory=directory),
        gestures=Gestures(**table.get("gestures", {})),
        firmware=FirmwareImages(**paths(table.get("firmware", {}), directory)),
        fader=Fader(**table.get("fader", {})),
        home_assistant=HomeAssistant(**table.get("home_assistant", {})),
        tags=tuple(Selected(**tag) for tag in table.get("tag", [])),
    )


def paths(table: dict[str, str], directory: str) -> dict[str, str]:
    return {name: os.path.join(directory, path) for name, path in table.items()}


def consistent(settings: Settings) -> Settings:
    mqtt = settings.mqtt
    if mqtt.password is not None and mqtt.password_file is not None:
        raise Invalid("mqtt: set either password or password_file, not both")
    if (mqtt.password is not None or mqtt.password_file is not None) and mqtt.username is None:
        raise Invalid("mqtt: a password needs a username")
    if mqtt.tls is not None and (mqtt.tls.certificate is None) != (mqtt.tls.key is None):
        raise Invalid("mqtt.tls: certificate and key must be set together")
    serials = [tag.serial.upper() for tag in settings.tags]
    topics = [tag.topic for tag in settings.tags if tag.topic is not None]
    for name, values in (("serial", serials), ("topic", topics)):
        repeated = {value for value in values if values.count(value) > 1}
        if repeated:
            raise Invalid(f"tag: {name} {', '.join(sorted(repeated))} is set more than once")
    return settings


def exposed(path: Path, settings: Settings) -> bool:
    """Whether other users can read a password in the file."""
    try:
        return settings.mqtt.password is not None and bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False
