"""A rule, and the tags and conditions for which it runs."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Sequence

from .action import Action
from .occasion import TagIdentity
from .settings import RATE
from .triggers import Trigger


@dataclasses.dataclass(frozen=True)
class Selection:
    """A selection of tags: those with one of these serial numbers (or the end of one), names or identifiers, if there are any,
    and with all of these entries in their profile."""

    words: tuple[str, ...] = ()
    profile: tuple[tuple[str, str], ...] = ()

    def selects(self, tag: TagIdentity) -> bool:
        return self.names(tag) and set(self.profile) <= set(tag.profile)

    def __str__(self) -> str:
        return ", ".join([*self.words, *(f"{key} = {value}" for key, value in self.profile)])

    def names(self, tag: TagIdentity) -> bool:
        return not self.words or any(word_selects(word, tag) for word in self.words)

    def may_meet(self, other: Selection) -> bool:
        """Whether both may select the same tag. A word may be its name, which is not known here."""
        entries = dict(self.profile)
        if any(entries.get(key, value) != value for key, value in other.profile):
            return False
        pairs = [(one.upper(), two.upper()) for one in self.words for two in other.words]
        return not (self.words and other.words) or any(one.endswith(two) or two.endswith(one) for one, two in pairs)


def unbound(rules: Iterable[Rule], known: Sequence[TagIdentity]) -> dict[str | None, str]:
    """The words that select no bound tag, and None if there is no tag, with messages."""
    words = {word for rule in rules for word in rule.selection.words if not any(word_selects(word, tag) for tag in known)}
    found: dict[str | None, str] = {word: f"no tag {word} is bound to this machine: see jacquardctl bind" for word in sorted(words)}
    return found if found or known else {None: "no tag is bound to this machine: see jacquardctl bind"}


def word_selects(word: str, tag: TagIdentity) -> bool:
    """Either number may be longer: a tag advertises only the end of the one that is printed on it."""
    serial, wanted = tag.serial.upper(), word.upper()
    by_serial = bool(serial) and (serial.endswith(wanted) or wanted.endswith(serial))
    return by_serial or word == tag.name or word.lower() == tag.identifier


@dataclasses.dataclass(frozen=True)
class Hours:
    """A time of day, possibly across midnight."""

    start: datetime.time
    end: datetime.time

    def __str__(self) -> str:
        return f"{self.start:%H:%M} to {self.end:%H:%M}"

    def include(self, now: datetime.time) -> bool:
        if self.start <= self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


@dataclasses.dataclass(frozen=True)
class Source:
    """A rule as it is written in the file: its event and its conditions, each on one line, as after --add, and its actions, as
    after --do."""

    event: str = ""
    conditions: str = ""
    actions: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Rule:
    trigger: Trigger
    actions: tuple[Action, ...]
    selection: Selection = Selection()
    hours: Hours | None = None
    # Whether the screen must be locked; None: either.
    locked: bool | None = None
    # How often the rule may run in one second.
    rate: int = RATE
    name: str = ""
    # A rule that is switched off stays in the file, and never runs.
    is_enabled: bool = True
    # Not compared: equal rules of a changed file keep their memory.
    line: int = dataclasses.field(default=0, compare=False)
    source: Source = dataclasses.field(default=Source(), compare=False)

    @property
    def may_run_commands(self) -> bool:
        return any(action.may_run_commands for action in self.actions)

    @property
    def label(self) -> str:
        """The rule's name in messages."""
        return self.name or f"{self.trigger} (line {self.line})"

    @property
    def conditions(self) -> list[str]:
        """The conditions as they are shown."""
        found = [f"{key} = {value}" for key, value in self.selection.profile]
        if self.hours is not None:
            found.append(str(self.hours))
        if self.locked is not None:
            found.append("screen locked" if self.locked else "screen not locked")
        return found
