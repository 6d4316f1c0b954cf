"""The result of an experiment."""

from __future__ import annotations

import dataclasses

from .wire import Packet

MOST_EVIDENCE = 40


class Interrupted(Exception):
    """The link was lost, or bluetoothd or the tag did not respond: the experiment is repeated."""


class Unsafe(Exception):
    """An experiment may not run; the text says why."""


class Gone(Unsafe):
    """The tag has left, so nothing else can be tried."""


@dataclasses.dataclass
class Answer:
    """`value` is the answer in the words of the simulator's action; None: there is none, and `doubt` says why.
    `candidates` are the values that the observations leave then. `measured` has times in seconds, and other numbers."""

    value: str | None = None
    doubt: str = ""
    candidates: list[str] = dataclasses.field(default_factory=list)
    evidence: list[str] = dataclasses.field(default_factory=list)
    measured: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def is_decided(self) -> bool:
        return self.value is not None


Answers = dict[str, Answer]


def evidence(packets: list[Packet], start: float) -> list[str]:
    """One line for each packet, with the time since the start."""
    lines = [packet.text(start) for packet in packets]
    more = len(lines) - MOST_EVIDENCE
    return lines[:MOST_EVIDENCE] + ([f"and {more} more packets"] if more > 0 else [])


def unanswered(doubt: str, *candidates: str) -> Answer:
    return Answer(doubt=doubt, candidates=list(candidates))
