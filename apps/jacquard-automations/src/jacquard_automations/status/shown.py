"""The status as text."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

INDENT = "    "
# For all other reasons: not run.
RESULTS = {"ran": "ran", "running": "still running", "dry-run": "only printed", "failed": "failed", "no-player": "failed"}


def lines(status: dict[str, Any]) -> Iterator[str]:
    if status.get("silent"):
        yield f"jacquardctl run ({status['process']}) does not reply: it may be stopped"
        return
    if status["process"] is not None:
        how = ", only prints what would run" if status["dry_run"] else ""
        yield f"jacquardctl run ({status['process']}){how}: {status['file']}"
    else:
        yield f"{status['file']}"
    yield from obstacles(status["obstacles"])
    for tag in status["tags"]:
        yield of_tag(tag)
    for rule in status["rules"]:
        yield from of_rule(rule)
    if not status["rules"]:
        yield "The file has no rules."


def of_tag(tag: dict[str, Any]) -> str:
    parts = [f"{'connected' if tag['connected'] else 'not connected'} since {clock(tag['since'])}"]
    if tag["problem"]:
        parts.append(tag["problem"])
    if tag["connected"]:
        parts.append(tag["gear"] or "no gear")
        parts += ["touch mode"] if tag["touch_mode"] else []
    if tag["battery"]:
        parts.append(f"battery {tag['battery']['percent']}%{', charging' if tag['battery']['charging'] else ''}")
    return f"{tag['serial'] or tag['identifier']}: {', '.join(parts)}"


def of_rule(rule: dict[str, Any]) -> Iterator[str]:
    when = ", ".join([rule["event"], *rule["tags"], *rule["conditions"]])
    name = f"{rule['name']}: " if rule["name"] else ""
    yield f"line {rule['line']}: {name}{when} → {'; '.join(rule['actions'])}"
    last = rule["last"]
    if last is None:
        yield f"{INDENT}no event yet"
    else:
        yield f"{INDENT}{of_outcome(last)}"
        earlier = rule["last_ran"]
        if earlier is not None and earlier != last:
            yield f"{INDENT}{of_outcome(earlier)}"
        yield f"{INDENT}ran: {rule['ran']}, not run: {rule['not_run']}"
    yield from obstacles(rule["obstacles"])


def of_outcome(outcome: dict[str, Any]) -> str:
    return f"{clock(outcome['time'])} {outcome['tag']} {outcome['event']}: {result_of(outcome)}"


def result_of(outcome: dict[str, Any]) -> str:
    text = f": {outcome['text']}" if outcome["text"] else ""
    return RESULTS.get(outcome["reason"], "not run") + text


def obstacles(found: list[dict[str, str]]) -> Iterator[str]:
    for obstacle in found:
        yield f"{INDENT}cannot run: {obstacle['text']}"


def clock(moment: float) -> str:
    """The time; with the date if it is another day."""
    then, now = datetime.datetime.fromtimestamp(moment), datetime.datetime.now()
    return f"{then:%H:%M:%S}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"
