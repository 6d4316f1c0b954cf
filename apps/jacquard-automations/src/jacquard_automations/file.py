"""The file of the rules."""

from __future__ import annotations

import dataclasses
import datetime
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

from jacquard_apps.touch.gestures import exist_in_touch_mode

from . import actions, events, toml_file
from .action import Action, ActionError, Resources, toml, toml_key
from .actions import mqtt as mqtt_action
from .events.gesture import GestureTrigger
from .occasion import TagIdentity
from .rules import Hours, Rule, Selection, Source, unbound
from .settings import Settings
from .table import Problem, Table, shown
from .triggers import Trigger

# The keys of a rule that are conditions of it.
CONDITIONS = ("tag", "profile", "while_held", "between", "locked", "rate")


@dataclasses.dataclass(frozen=True)
class Automations:
    rules: tuple[Rule, ...] = ()
    settings: Settings = Settings()
    # See toml_file.version_of.
    version: str = dataclasses.field(default="", compare=False)

    @property
    def active(self) -> tuple[Rule, ...]:
        """The rules that are not switched off."""
        return tuple(rule for rule in self.rules if rule.is_enabled)

    @property
    def actions(self) -> list[Action]:
        return [action for rule in self.active for action in rule.actions]

    def missing(self) -> list[Problem]:
        """The things that must be installed or taught for the rules, each once."""
        triggers = [(rule, rule.trigger.problem()) for rule in self.active]
        untaught = {problem: Problem(problem, rule.line, str(rule.trigger)) for rule, problem in reversed(triggers) if problem}
        return [*untaught.values(), *self._problems(lambda action: action.problem())]

    def runs_something(self) -> bool:
        """Whether any action can be carried out although others miss something."""
        return any(
            rule.trigger.problem() is None and any(action.problem() is None for action in rule.actions) for rule in self.active
        )

    def obstacles(self) -> list[Problem]:
        """Why this user cannot carry out the rules now, each once, and rules that exclude each other."""
        return [*self._problems(lambda action: action.obstacle()), *self._silenced()]

    def unbound(self, known: Sequence[TagIdentity]) -> list[Problem]:
        """The triggers that no bound tag can start, each word once."""
        lines = {text: rule.line for rule in reversed(self.active) for text in unbound([rule], known).values()}
        return [Problem(text, line) for text, line in reversed(lines.items())]

    async def unreachable(self) -> list[Problem]:
        """Services that the actions need and that cannot be reached now, each once."""
        resources = Resources(self.settings, lambda kind, problem: None)
        found: dict[str, Problem] = {}
        try:
            for rule in self.active:
                for action in rule.actions:
                    try:
                        if action.problem() is None:
                            await action.check(resources)
                    except ActionError as error:
                        found.setdefault(str(error), Problem(str(error), rule.line, str(action)))
        finally:
            await resources.close()
        return list(found.values())

    def _silenced(self) -> list[Problem]:
        """Rules for gestures of a tag that is in touch mode for another rule."""
        found: list[Problem] = []
        for rule in self.active:
            text = self.silenced(rule)
            if text is not None:
                found.append(Problem(text, rule.line, str(rule.trigger)))
        return found

    def silenced(self, rule: Rule) -> str | None:
        """Why the tag of this rule reports no such gesture."""
        touching = (one for one in self.active if one.trigger.needs_touches and one.selection.may_meet(rule.selection))
        other = next(touching, None)
        if other is None or not isinstance(rule.trigger, GestureTrigger) or exist_in_touch_mode(rule.trigger.gesture):
            return None
        return f"a tag of the rule in line {other.line} ({other.trigger}) is in touch mode, and reports no such gesture"

    def _problems(self, of: Callable[[Action], str | None]) -> list[Problem]:
        found: dict[str, Problem] = {}
        for rule in self.active:
            for action in rule.actions:
                problem = of(action)
                if problem is not None:
                    found.setdefault(problem, Problem(problem, rule.line, str(action)))
        return list(found.values())


def default_path() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home, "jacquard", "automations.toml")


def read(path: Path) -> Automations:
    """Raises Invalid with all problems, one for each rule."""
    text: str | None = None
    try:
        text = toml_file.text_of(path)
        return parse(text, str(path.parent))
    except Problem as problem:
        raise toml_file.Invalid(path, [problem], toml_file.version_of(text)) from None
    except toml_file.Problems as several:
        raise toml_file.Invalid(path, several.all, toml_file.version_of(text)) from None


def parse(text: str, directory: str = ".") -> Automations:
    """Raises Problem if the text is not TOML, else Problems."""
    table = Table(*toml_file.values(text))
    problems: list[Problem] = []
    settings = Settings(directory=directory)
    try:
        settings = read_settings(table, directory)
    except Problem as problem:
        problems.append(problem)
    rules: list[Rule] = []
    try:
        for each in table.tables("on") if "on" in table else []:
            try:
                rule = read_rule(each, settings.rate)
                if rule in rules:
                    raise each.problem(f"the same rule is in line {rules[rules.index(rule)].line}")
                rules.append(rule)
            except Problem as problem:
                problems.append(problem)
        table.finish()
    except Problem as problem:
        problems.append(problem)
    if problems:
        raise toml_file.Problems(problems)
    return Automations(tuple(rules), settings, toml_file.version_of(text))


def read_settings(root: Table, directory: str) -> Settings:
    mqtt = root.table("mqtt")
    if mqtt is not None:
        mqtt_action.check(mqtt, directory)
    table = root.table("settings") or Table({}, {})
    parallel = table.whole("parallel", Settings.parallel, 1, 100)
    rate = table.whole("rate", Settings.rate, 1, 100)
    notify = table.flag("notify") or False
    table.finish()
    return Settings(parallel, rate, notify, None if mqtt is None else mqtt.entries(), directory)


def read_rule(table: Table, rate: int) -> Rule:
    source = read_source(table)
    name = table.text("name", "") or ""
    if not name.isprintable():
        raise table.problem(f"{shown(name)} is not one line of printable characters", "name")
    key = table.one_of(events.READERS, "event")
    trigger = events.READERS[key](table, key)
    selection = Selection(table.texts("tag"), read_profile(table))
    hours = read_hours(table)
    locked = table.flag("locked")
    is_enabled = table.flag("enabled") is not False
    rate = table.whole("rate", rate, 1, 100)
    table.required("do")
    done = tuple(read_action(each, trigger) for each in table.tables("do", or_one=True))
    if not done:
        raise table.problem("must not be empty", "do")
    table.finish()
    return Rule(trigger, done, selection, hours, locked, rate, name, is_enabled, table.line, source)


def read_source(table: Table) -> Source:
    values = dict(table.values)
    done = values.pop("do", [])
    conditions = {key: values.pop(key) for key in list(values) if key in CONDITIONS}
    actions = [one for one in (done if isinstance(done, list) else [done]) if isinstance(one, dict)]
    for key in ("name", "enabled"):
        values.pop(key, None)
    return Source(joined(values), joined(conditions), tuple(map(joined, actions)))


def joined(values: Mapping[str, Any]) -> str:
    """The text between the braces of a table."""
    return ", ".join(f"{toml_key(key)} = {toml(value)}" for key, value in values.items())


def read_action(table: Table, trigger: Trigger | None = None) -> Action:
    key = table.one_of(actions.READERS, "action")
    action = actions.READERS[key](table, key)
    if action.needs_fader and not (trigger and trigger.has_value):
        raise table.problem("only a rule with the event fader has a value for this", key)
    table.finish()
    return action


def action_of(text: str) -> Action:
    """An action on one line: the text between the braces in the file. Raises Problem."""
    return read_action(table_of_action(text))


def table_of_action(text: str) -> Table:
    root, of = toml_file.values(f"do = {{ {text} }}")
    (table,) = Table(root, of).tables("do", or_one=True)
    if set(root) != {"do"} or "\n" in text:
        raise Problem("this is more than one action", 1)
    return table


def read_profile(table: Table) -> tuple[tuple[str, str], ...]:
    profile = table.table("profile")
    if profile is None:
        return ()
    return tuple((key, profile.text(key) or "") for key in profile.entries())


def read_hours(table: Table) -> Hours | None:
    value = table.value("between")
    if value is None:
        return None
    times = [time_of_day(one) for one in value] if isinstance(value, list) else []
    if len(times) != 2 or None in times:
        raise table.problem('expected two times of day, as in ["08:00", "22:30"]', "between")
    start, end = times
    assert start is not None and end is not None
    return Hours(start, end)


def time_of_day(value: object) -> datetime.time | None:
    if isinstance(value, datetime.time):
        return value
    if not isinstance(value, str) or re.fullmatch("[0-9]{2}:[0-9]{2}", value, re.ASCII) is None:
        return None
    hour, minute = int(value[:2]), int(value[3:])
    return datetime.time(hour, minute) if hour < 24 and minute < 60 else None
