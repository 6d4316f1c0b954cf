"""Questions and results of the steps."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from jacquard_apps.terminal import asking, exits, output

WIDTH = 8
GOOD, CAVEAT, BAD, PLAN = "✓", "!", "✗", "·"
SKIPPED = ("s", "skip")


class Dialogue:
    """Asks on a terminal; elsewhere it only says what would be done."""

    def __init__(self, as_json: bool, is_interactive: bool | None = None) -> None:
        self._as_json = as_json
        self.is_interactive = asking.is_possible() and not as_json if is_interactive is None else is_interactive

    def say(self, step: str, mark: str, text: str, advice: str = "") -> None:
        if self._as_json:
            output.say_json(step=step, result=RESULTS[mark], text=text, advice=advice)
            return
        output.say(f"{mark} {step:{WIDTH}} {output.printable(text)}")
        if advice:
            self.hint(advice)

    def hint(self, text: str) -> None:
        if not self._as_json:
            output.say(f"{'':{WIDTH + 2}} {output.printable(text)}")

    async def ask(self, question: str) -> str | None:
        """None if the step is to be skipped, with s or at the end of the input."""
        answer = await asking.answer(f"{'':{WIDTH + 2}} {question} (s: skip): ")
        text = answer.strip()
        return None if not answer or text.lower() in SKIPPED else text

    async def confirmed(self, question: str) -> bool:
        return await asking.confirmed(f"{'':{WIDTH + 2}} {question}")

    async def choose(self, question: str, options: Sequence[str]) -> int | None:
        """The number of an option, from 0."""
        for number, option in enumerate(options, 1):
            self.hint(f"{number}  {option}")
        while True:
            answer = await self.ask(f"{question}, 1 to {len(options)}")
            if answer is None:
                return None
            if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(options):
                return int(answer) - 1

    async def install(self, step: str, package: str) -> bool:
        """Whether the package has been installed. Nothing is run before the user has seen the command and has agreed."""
        if shutil.which("apt") is None:
            self.say(step, BAD, f"{package} is not installed, and apt is not available", "Install it, then repeat this step.")
            return False
        words = [*(() if os.geteuid() == 0 else ("sudo",)), "apt", "install", package]
        if not self.is_interactive:
            self.say(step, PLAN, f"would ask whether to run: {shlex.join(words)}")
            return False
        self.hint(f"This needs the package {package}: {shlex.join(words)}")
        if not await self.confirmed("Run this command?"):
            return False
        sys.stdout.flush()
        process = await asyncio.create_subprocess_exec(*words)
        return await process.wait() == exits.OK


RESULTS = {GOOD: "done", CAVEAT: "caveat", BAD: "failed", PLAN: "planned"}
