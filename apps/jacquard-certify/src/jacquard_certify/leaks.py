"""Searches the finished file for secrets that should have been replaced. Takes only the list from `privacy`, which
replaces them."""

from __future__ import annotations

import base64
import json
from typing import Any

from .privacy import Secret

ALPHABET = {letter: number for number, letter in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")}


def found(text: str, secrets: list[Secret]) -> str | None:
    """The kind of a secret that the file still contains."""
    strings: list[str] = []
    collect(json.loads(text), strings)
    everything = "\n".join(strings).lower()
    data = [decoded(word) for one in strings for word in one.split()]
    for secret in secrets:
        if is_text(secret, everything) or any(needle in one for one in data for needle in needles(secret) if one):
            return secret.kind
    return None


def collect(value: Any, strings: list[str]) -> None:
    """All strings but those of the program's vocabulary: names of members, values of answers."""
    if isinstance(value, str):
        strings.append(value)
    elif isinstance(value, list):
        for one in value:
            collect(one, strings)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in ("value", "candidates", "replaced"):
                collect(one, strings)


def decoded(word: str) -> bytes:
    try:
        return bytes.fromhex(word) if len(word) > 6 else b""
    except ValueError:
        return b""


def is_text(secret: Secret, everything: str) -> bool:
    wanted = secret.text.lower()
    if secret.kind == "person":
        return any(stands_alone(wanted, everything, place) for place in places(wanted, everything))
    raw = secret.text.encode()
    spelled = {wanted, "".join(reversed(wanted.split(":"))), wanted.replace(":", ""), wanted.replace(":", "_")}
    spelled |= {":".join(reversed(wanted.split(":"))), wanted.replace("-", "") if secret.kind == "identifier" else wanted}
    if len(raw) > 5:
        # The three ways in which base64 aligns it, without the letters that depend on its neighbours.
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + raw)
            spelled.add(coded[4 if shift else 0 : -4].decode().lower())
    return any(one in everything for one in spelled if len(one) > 2)


def places(wanted: str, everything: str) -> list[int]:
    found_at, start = [], everything.find(wanted)
    while start >= 0:
        found_at.append(start)
        start = everything.find(wanted, start + 1)
    return found_at


def stands_alone(wanted: str, everything: str, place: int) -> bool:
    around = everything[place - 1 : place] + everything[place + len(wanted) : place + len(wanted) + 1]
    return not any(letter.isalnum() for letter in around)


def needles(secret: Secret) -> list[bytes]:
    """A secret as bytes that a packet can contain."""
    text = secret.text
    wanted = [text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be")]
    if secret.kind == "address":
        octets = [int(pair, 16) for pair in text.split(":")]
        wanted += [bytes(octets), bytes(reversed(octets))]
    if secret.kind == "identifier":
        wanted.append(bytes(int(text.replace("-", "")[place : place + 2], 16) for place in range(0, 32, 2)))
    if secret.kind == "serial number" and set(text) <= set(ALPHABET):
        bits = "".join(format(ALPHABET[letter], "06b")[::-1] for letter in text)
        whole = len(bits) // 8 * 8
        wanted.append(bytes(int(bits[place : place + 8][::-1], 2) for place in range(0, whole, 8)))
    return [one for one in wanted if len(one) >= 3]
