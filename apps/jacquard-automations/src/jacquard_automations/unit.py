"""The user unit that runs the rules of the default file."""

from __future__ import annotations

import asyncio
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from jacquard_apps.terminal import exits, output

UNIT = "jacquard-automations.service"


async def enable(path: Path) -> int:
    await systemctl("daemon-reload")
    await systemctl("enable", "--now", UNIT)
    output.say(f"{UNIT} runs the rules of {path}, from now on and from each login on.")
    output.say(f"What it does: journalctl --user --follow --unit {UNIT}")
    output.say("To turn it off: jacquardctl run --disable")
    return exits.OK


async def output_of_systemctl(*words: str) -> str:
    """The output of systemctl, "" if it is not installed. Its exit status may mean no."""
    if shutil.which("systemctl") is None:
        return ""
    process = await asyncio.create_subprocess_exec("systemctl", "--user", *words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    shown, _ = await process.communicate()
    return shown.decode(errors="replace").strip()


async def systemctl(*words: str) -> None:
    if shutil.which("systemctl") is None:
        raise exits.Failure("systemctl is not installed: start jacquardctl run in another way at login.")
    process = await asyncio.create_subprocess_exec("systemctl", "--user", *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    _, complaint = await process.communicate()
    if process.returncode != 0:
        text = complaint.decode(errors="replace").strip().split("\n")[-1]
        raise exits.Failure(f"systemctl --user {' '.join(words)} failed: {text or process.returncode}")
