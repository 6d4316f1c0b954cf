"""Replaces personal data by text of the same length, in each encoding in which the file can have it.

`leaks` searches for it again, with separate code.
"""

from __future__ import annotations

import dataclasses
import os
import pwd
import re
import socket
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from .wire import STORED, texts

if TYPE_CHECKING:
    from .world import World

ADDRESS, IDENTIFIER, SERIAL, NAME, PERSON = "address", "identifier", "serial number", "name", "person"
# Shorter texts identify no one, and are parts of many words and packets.
SHORTEST = 3
# Members whose values are words of this program.
OWN_WORDS = ("value", "candidates")
SIX_BITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"
HEX = re.compile("([0-9a-f]{2})+")
LINE = re.compile(r"(-?[0-9.]+ [a-z]+ )([0-9a-f]+)")


@dataclasses.dataclass(frozen=True)
class Secret:
    kind: str
    text: str


def secrets_of(world: World, word: str | None) -> list[Secret]:
    """Texts about the tag, this computer and its user that may be in the file. word: the text that selected the tag."""
    info = world.info
    found = [Secret(ADDRESS, world.first_address), Secret(IDENTIFIER, world.identifier)]
    for state in world.adapters:
        found.append(Secret(ADDRESS, state))
    if info is not None:
        found += [Secret(ADDRESS, info.address), Secret(IDENTIFIER, info.identifier), Secret(NAME, info.name)]
        found += [Secret(SERIAL, info.uuid), Secret(SERIAL, info.serial), Secret(SERIAL, info.serial[-4:])]
    found += [Secret(NAME, name) for name in world.names]
    # A tag reports all recordings that are on it.
    stored = [packet.field(STORED) for packet in world.trace.packets]
    found += [Secret(NAME, text) for one in stored if isinstance(one, bytes) for text in texts(one)]
    if word:
        found.append(Secret(ADDRESS if re.fullmatch("([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}", word) else NAME, word))
    found += people()
    kept = {secret.text.lower(): secret for secret in found if len(secret.text) >= SHORTEST}
    return sorted(kept.values(), key=lambda secret: -len(secret.text))


def people() -> Iterator[Secret]:
    host = socket.gethostname()
    yield from (Secret(PERSON, host), Secret(PERSON, host.partition(".")[0]), Secret(PERSON, os.path.expanduser("~")))
    try:
        user = pwd.getpwuid(os.getuid())
    except KeyError:
        return
    yield from (Secret(PERSON, user.pw_name), Secret(PERSON, user.pw_dir))
    yield from (Secret(PERSON, name) for name in user.pw_gecos.replace(",", " ").split())


def replaced(report: dict[str, Any], secrets: list[Secret]) -> dict[str, Any]:
    """The report without secrets, and with the kinds of those that were replaced."""
    used: set[str] = set()

    def walk(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: walk(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [walk(one, name) for one in value]
        return value if not isinstance(value, str) or name in OWN_WORDS else string(value, secrets, used)

    return {**walk(report), "replaced": sorted(used)}


def string(text: str, secrets: list[Secret], used: set[str]) -> str:
    line = LINE.fullmatch(text)
    if line is not None:
        return line[1] + in_bytes(bytes.fromhex(line[2]), secrets, used).hex()
    if HEX.fullmatch(text) and len(text) > 2 * SHORTEST:
        text = in_bytes(bytes.fromhex(text), secrets, used).hex()
    for secret in secrets:
        pattern, instead = "|".join(spellings(secret)), filler(secret)
        text, count = re.subn(pattern, partial(shortened, instead), text, flags=re.IGNORECASE)
        if count:
            used.add(secret.kind)
    return text


def shortened(instead: str, found: re.Match[str]) -> str:
    return instead[: len(found[0])]


def spellings(secret: Secret) -> list[str]:
    """Regular expressions for the text of a secret."""
    if secret.kind == ADDRESS:
        pairs = secret.text.split(":")
        return [sign.join(order) for order in (pairs, pairs[::-1]) for sign in (":", "_", "-", "")]
    if secret.kind == IDENTIFIER:
        return [secret.text, secret.text.replace("-", "")]
    if secret.kind == PERSON:
        return [rf"(?<![^\W_]){re.escape(secret.text)}(?![^\W_])"]
    return [re.escape(secret.text)]


def filler(secret: Secret) -> str:
    """The replacement: it differs from the secret, and is an address, an identifier or a name again."""
    if secret.kind == ADDRESS:
        return "00:00:00:00:00:00"
    if secret.kind == IDENTIFIER:
        return "00000000-0000-0000-0000-000000000000"
    letter = "X" if set(secret.text.upper()) != {"X"} else "Y"
    return letter * len(secret.text)


def in_bytes(data: bytes, secrets: list[Secret], used: set[str]) -> bytes:
    for secret in secrets:
        for form in forms(secret):
            if form in data:
                used.add(secret.kind)
                instead = b"\0" if secret.kind in (ADDRESS, IDENTIFIER) else filler(secret)[:1].encode()
                data = data.replace(form, instead * len(form))
    return data


def forms(secret: Secret) -> Iterator[bytes]:
    """A secret as bytes of packets."""
    if secret.kind == ADDRESS:
        number = bytes.fromhex(secret.text.replace(":", ""))
        yield from (number, number[::-1])
    if secret.kind == IDENTIFIER:
        yield bytes.fromhex(secret.text.replace("-", ""))
    for text in {secret.text, secret.text.upper(), secret.text.lower()}:
        yield from (text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be"))
    if secret.kind == SERIAL and all(letter in SIX_BITS for letter in secret.text):
        yield packed(secret.text)


def packed(serial: str) -> bytes:
    """Six bits for each character, lowest bits first, as in advertisements."""
    number = 0
    for place, letter in enumerate(serial):
        number |= SIX_BITS.index(letter) << 6 * place
    # The last byte also has bits of the end mark, which follows.
    return number.to_bytes((6 * len(serial) + 7) // 8, "little")
