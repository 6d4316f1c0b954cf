"""The output of jacquardctl run: text, JSON, or lines with fields in the journal."""

from __future__ import annotations

from types import TracebackType

from jacquard_apps.terminal import output

from ..action import Action
from ..occasion import Occasion, TagIdentity
from ..outcomes import Outcome
from ..reasons import Reason
from ..rules import Rule
from . import journal, shown
from .line import StatusLine


class Report:
    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._journal = None if as_json else journal.connected()
        self._line = StatusLine()

    def say(self, text: str) -> None:
        if not self._as_json and not self._sent(text, journal.INFO):
            output.say(output.printable(text))

    def complain(self, text: str) -> None:
        if not self._sent(text, journal.WARNING):
            output.complain(text)

    def ran(self, rule: Rule, action: Action, occasion: Occasion, result: str) -> None:
        tag = occasion.link.identity
        if self._as_json:
            about = {"identifier": tag.identifier, "serial": tag.serial, **occasion.details}
            done = {"rule": rule.label, "action": str(action), "result": result or None}
            output.say_json(time=output.now().isoformat(timespec="milliseconds"), **about, **done)
            return
        text = f"{tag.label} {occasion.event}: {action}{f' ({result})' if result else ''}"
        fields = {"rule": rule.label, "action": str(action), "result": result, "tag": tag.identifier, "event": occasion.event}
        if not self._sent(text, journal.INFO, **fields):
            output.say(f"{output.now():%H:%M:%S} {output.printable(text)}")

    def noted(self, rule: Rule, outcome: Outcome) -> None:
        """Only the journal has a line for each event for which a rule did not run."""
        self._line.noted(rule, outcome)
        if outcome.reason not in (Reason.RAN, Reason.RUNNING, Reason.DRY_RUN):
            text = f"{rule.label}: {shown.result_of(outcome.described())}"
            self._sent(text, journal.INFO, rule=rule.label, reason=outcome.reason.value, tag=outcome.tag, event=outcome.event)

    def link_changed(self, tag: TagIdentity, state: str) -> None:
        self._line.link_changed(tag, state)
        if self._as_json:
            about = {"identifier": tag.identifier, "serial": tag.serial, "link": state}
            output.say_json(time=output.now().isoformat(timespec="milliseconds"), **about)
        elif not self._sent(f"{tag.label}: {state}", journal.NOTICE, tag=tag.identifier, link=state):
            output.say(f"{output.now():%H:%M:%S} {output.printable(tag.label)}: {state}")

    def _sent(self, text: str, priority: int, **fields: str) -> bool:
        return self._journal is not None and self._journal.send(output.printable(text), priority, **fields)

    def __enter__(self) -> Report:
        if not self._as_json:
            self._line.__enter__()
        return self

    def __exit__(self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._line.__exit__(type, error, traceback)
        if self._journal is not None:
            self._journal.close()
