"""Observations of a tag that is not used."""

from __future__ import annotations

from ..answer import Answer, Answers, evidence, unanswered
from ..wire import Packet
from ..world import World

# Longer packets show how the counter of the fragments continues.
FRAGMENTS = 16


async def address(world: World) -> Answers:
    """The kind of the address that the tag sends without a bond."""
    if world.was_bonded:
        doubt = "the tag is bonded with this computer, so bluetoothd shows its identity address whatever it sends"
        return {"address": unanswered(doubt, "identity", "private")}
    kind, text = world.address_type, world.first_address
    if kind not in ("public", "random") or len(text) != 17:
        return {"address": unanswered("bluetoothd does not say which kind of address it is", "identity", "private")}
    # Bluetooth Core Specification, Vol 6, Part B, 1.3.2: 11 is a static address, 01 and 00 change.
    bits = int(text[:2], 16) >> 6
    value = "identity" if kind == "public" or bits == 0b11 else "private"
    if kind == "random" and bits == 0b10:
        return {"address": unanswered("the two highest bits of the address have no meaning", "identity", "private")}
    found = Answer(value)
    found.measured["highest_bits"] = bits if kind == "random" else -1
    return {"address": found}


async def fragment_counter(world: World) -> Answers:
    """Only reads packets that the tag has sent for other reasons."""
    long = [packet for packet in world.trace.packets if len(packet.counters) > FRAGMENTS]
    if not long:
        return {"fragment-counter": unanswered("the tag sent no packet of more than 16 fragments", "64", "16")}
    values = {wrap(packet) for packet in long}
    if len(values) != 1 or None in values:
        return {"fragment-counter": unanswered("the counters follow neither rule", "64", "16")}
    return {"fragment-counter": Answer(values.pop(), evidence=evidence(long[:2], world.start))}


def wrap(packet: Packet) -> str | None:
    count = range(len(packet.counters))
    for modulus in (64, 16):
        if packet.counters == tuple(number % modulus for number in count):
            return str(modulus)
    return None
