"""Changes of the rules that the page requests. The file stays the only source: each change edits its text."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import Any

from jacquard_apps.terminal import exits
from jacquard_automations import edit, file
from jacquard_automations.followed_file import FollowedFile
from jacquard_automations.occasion import Link
from jacquard_automations.rules import Rule
from jacquard_automations.table import Problem
from jacquard_automations.toml_file import Invalid

from .trial import carried_out

# The page may change rules, and try them.
ACTIONS = ("add-rule", "change-rule", "remove-rule", "switch-rule", "try-rule")
LONGEST = 4000
MOST_ACTIONS = 16
READ_ONLY = "Rules are changed here only if the board was started with --edit-rules."
NO_COMMANDS = (
    "This rule runs a command, presses a key or calls D-Bus. From other machines it can only be switched off, unless the board was "
    "started with --allow-commands."
)


@dataclasses.dataclass(frozen=True)
class Permissions:
    """may_edit: whether rules may be changed and tried. may_run_commands: also those that can run any program."""

    may_edit: bool = False
    may_run_commands: bool = False


class Editor:
    def __init__(self, followed: FollowedFile, permissions: Permissions) -> None:
        self._file = followed
        self._permissions = permissions
        self._changing = asyncio.Lock()
        self._is_trying = False

    async def carry_out(self, request: Mapping[str, Any], link: Link | None) -> None:
        """link: the link to the tag that the page shows. Raises exits.Failure if it is not permitted or fails, and
        ValueError for a request that the page would not send."""
        if not self._permissions.may_edit:
            raise exits.Failure(READ_ONLY)
        try:
            if request["action"] == "try-rule":
                await self._try(self._written(request), link)
            else:
                async with self._changing:
                    await asyncio.to_thread(self._change, request)
                self._file.read()
        except Problem as problem:
            raise exits.Failure(f"This is not possible: {problem.text}") from None
        except Invalid as error:
            raise exits.Failure(str(error)) from None

    def _change(self, request: Mapping[str, Any]) -> None:
        """Checks the version of the text that the request names; writing refuses any other version."""
        action, version, path = request["action"], request.get("version"), self._file.path
        if not isinstance(version, str):
            raise ValueError("the request names no version of the file")
        if action == "add-rule":
            edit.edit(path, None, self._written(request), version)
            return
        before = self._existing(request)
        line = before.line
        if action == "switch-rule":
            is_on = request.get("value") is True
            if is_on:
                self._permit(before)
            edit.switch(path, line, is_on, version)
        elif action == "change-rule":
            self._permit(before)
            edit.change(path, line, self._written(request, is_on=before.is_enabled), version)
        else:
            self._permit(before)
            edit.edit(path, line, None, version)

    def _existing(self, request: Mapping[str, Any]) -> Rule:
        """The rule in this version of the file."""
        automations = file.read(self._file.path)
        found = [rule for rule in automations.rules if rule.line == request.get("line")]
        if automations.version != request["version"] or not found:
            raise exits.Failure("The file has changed since this page showed it. Nothing was written: try again.")
        return found[0]

    def _written(self, request: Mapping[str, Any], is_on: bool = True) -> str:
        """The text of the rule that the request describes, as --add and --do do."""
        event, actions = request.get("event"), request.get("actions")
        texts = [event, *actions] if isinstance(actions, list) else []
        if not 2 <= len(texts) <= MOST_ACTIONS + 1 or not all(isinstance(text, str) and len(text) <= LONGEST for text in texts):
            raise ValueError(f"a rule has an event and 1 to {MOST_ACTIONS} actions, each a text of up to {LONGEST} characters")
        text = edit.rule_of(texts[0] if is_on else f"{texts[0].rstrip(edit.BLANK)}, enabled = false", texts[1:])
        (rule,) = file.parse(text).rules
        self._permit(rule)
        return text

    def _permit(self, rule: Rule) -> None:
        if rule.may_run_commands and not self._permissions.may_run_commands:
            raise exits.Failure(NO_COMMANDS)

    async def _try(self, text: str, link: Link | None) -> None:
        if self._is_trying:
            raise exits.Failure("Another try has not ended yet.")
        (rule,) = file.parse(text, str(self._file.path.parent)).rules
        self._is_trying = True
        try:
            await carried_out(rule, link, self._file.automations.settings)
        finally:
            self._is_trying = False
