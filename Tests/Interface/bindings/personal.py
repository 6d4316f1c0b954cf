"""Data that identify a tag and its owner, and a search for them in a file. It does not use the code that replaces them."""

from __future__ import annotations

import base64
import dataclasses
import json
import random
import re
from collections.abc import Iterator
from typing import Any

SIX_BITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz"
# People give such names.
NAMES = ("{}'s jacket", "Jacke von {}", "{}", "{} \N{HEAVY BLACK HEART}", 'the "{}" one', "Frau M\N{LATIN SMALL LETTER U WITH DIAERESIS}ller-{}")
HEXADECIMAL = re.compile("(?:[0-9a-fA-F]{2}){3,}")


@dataclasses.dataclass
class Secrets:
    texts: list[str]
    # Each has six bytes.
    addresses: list[bytes]
    # These may be parts of other words.
    words: list[str]

    def left_in(self, data: bytes) -> list[str]:
        """The secrets that are in the file, in any encoding."""
        strings = list(strings_of(json.loads(data)))
        text = "\n".join([*strings, data.decode()])
        blobs = [bytes.fromhex(one) for string in strings for one in HEXADECIMAL.findall(string)]
        found = [one for one in self.texts if is_in(one, text, blobs)]
        found += [one.hex() for one in self.addresses if is_address_in(one, text.lower(), blobs)]
        return found + [one for one in self.words if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text)]


def strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings_of(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from strings_of(one)


def is_in(secret: str, text: str, blobs: list[bytes]) -> bool:
    raws = [secret.encode(), secret.encode("utf-16-le"), secret.encode("utf-16-be")]
    is_identifier = re.fullmatch("[0-9a-fA-F-]{36}", secret) is not None
    if secret.lower() in text.lower() or is_identifier and secret.replace("-", "").lower() in text.lower():
        return True
    for raw in raws if len(secret) > 5 else []:
        for shift in range(3):
            # Without the letters that depend on the bytes before and after it.
            coded = base64.b64encode(bytes(shift) + raw).decode()
            if coded[0 if shift == 0 else 4 : -4] in text:
                return True
    if is_identifier:
        raws.append(bytes.fromhex(secret.replace("-", "")))
    if set(secret) <= set(SIX_BITS):
        number = sum(SIX_BITS.index(letter) << 6 * place for place, letter in enumerate(secret))
        raws.append(number.to_bytes(len(secret), "little")[: len(secret) * 6 // 8])
    return any(raw in blob for raw in raws for blob in blobs)


def is_address_in(address: bytes, text: str, blobs: list[bytes]) -> bool:
    for order in (address, address[::-1]):
        spelled = [order.hex(), *(order.hex(sign) for sign in ":_-")]
        if any(one in text for one in spelled) or any(order in blob for blob in blobs):
            return True
    return False


def chosen_name(chance: random.Random) -> str:
    return chance.choice(NAMES).format("".join(chance.choices(LETTERS, k=chance.randint(4, 8))))


def chosen_serial(chance: random.Random) -> str:
    """The end of a serial number, which is printed on a tag."""
    return "Z" + "".join(chance.choices(LETTERS, k=3))
