"""Converts a recording to a scenario of the software tag (docs/scenarios.md).

A tag with `mute on` sends the recorded data at the recorded times after each link was ready. A lost link is lost again,
as far as possible in the same way, and the tag stays away for the same time.
"""

from __future__ import annotations

import dataclasses

from jacquard_apps.recording.reader import Moment, Recording

# The serial number of the software tag if the recording does not contain one.
DEFAULT_SERIAL = "01ZK"
# A tag advertises the end of its serial number; the software tag advertises at most this many characters.
LONGEST_SERIAL = 7
ADVERTISED = 4
LINK_UP = 3
LONGEST_NAME = 21
SHORTEST_ABSENCE = 0.1
TICK = 0.000001
# Scenario lines that reproduce a fault of the machine.
MISHAPS = {
    "powered_off": "adapter off for {0}",
    "no_adapter": "adapter removed for {0}",
    "bluez_unavailable": "bluetoothd restart after {0}",
    "bus_unavailable": "bluetoothd restart after {0}",
}
ABSENCE = "out-of-range for {0}"


@dataclasses.dataclass
class Link:
    """One recorded link."""

    ready: float
    sent: list[Moment]
    lost: float | None = None
    why: str = ""
    back: float | None = None


def scenario(recording: Recording) -> list[str]:
    lines = [f"serial {advertised(recording.serial or DEFAULT_SERIAL)}", *identity(recording), "mute on"]
    for number, link in enumerate(links(recording.moments), 1):
        lines += replayed(number, link)
    return lines


def advertised(serial: str) -> str:
    return serial if len(serial) <= LONGEST_SERIAL else serial[-ADVERTISED:]


def identity(recording: Recording) -> list[str]:
    """The tag's firmware and name, as first reported."""
    for moment in recording.moments:
        if moment.kind == "tag":
            version = ".".join(str(part) for part in moment.value["firmware"])
            name = moment.value["name"]
            named = [f"name {name}"] if is_one_word_after_another(name) else []
            return [f"firmware {version}", *named]
    return []


def is_one_word_after_another(name: str) -> bool:
    """Returns whether a name from the file can be part of a line: it must not add lines or comments."""
    return name.isprintable() and name == " ".join(name.split()) != "" and "#" not in name and len(name.encode()) <= LONGEST_NAME


def links(moments: list[Moment]) -> list[Link]:
    found: list[Link] = []
    sent: list[Moment] = []
    is_up = False
    for moment in moments:
        if moment.kind in ("notification", "raw_value"):
            sent.append(moment)
        elif moment.kind == "state" and moment.value["phase"] == "connected":
            if not is_up:
                found.append(Link(moment.time, sent))
            is_up = True
        elif moment.kind == "state":
            if is_up:
                found[-1].lost, found[-1].why = moment.time, cause(moment)
                sent = []
            elif found and found[-1].back is None and moment.value["step"] >= LINK_UP:
                found[-1].back = moment.time
            is_up = False
    return found


def cause(moment: Moment) -> str:
    return str((moment.value.get("reason") or {}).get("code"))


def replayed(number: int, link: Link) -> list[str]:
    lines = []
    last = -TICK
    for moment in link.sent:
        # Data received before the link was ready is sent as soon as it is ready; never two events at the same time.
        last = max(moment.time - link.ready, last + TICK)
        word = "packet notification" if moment.kind == "notification" else "send raw"
        lines.append(f"after ready {ordinal(number)} {duration(last)} {word} {moment.value}")
    if link.lost is not None and link.why != "None":
        absence = max((link.back or link.lost) - link.lost, SHORTEST_ABSENCE)
        mishap = MISHAPS.get(link.why, ABSENCE).format(duration(absence))
        lines.append(f"after ready {ordinal(number)} {duration(max(link.lost - link.ready, last + TICK))} {mishap}")
    return lines


def ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def duration(seconds: float) -> str:
    return f"{max(seconds, 0):.6f}s"
