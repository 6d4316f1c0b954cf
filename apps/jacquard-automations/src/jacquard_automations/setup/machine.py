"""Checks whether the machine and this session lack something."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jacquard_apps.terminal import exits

from ..unit import systemctl
from .context import Context
from .dialogue import BAD, CAVEAT, GOOD
from .simulated import environment

NAME = "machine"
BLUEZ = "bluez"


async def step(context: Context) -> bool:
    """Whether Bluetooth can be used."""
    for text, advice in session_problems():
        context.dialogue.say("session", CAVEAT, text, advice)
    problem = "" if context.is_simulated else await manager_problem()
    if problem:
        context.dialogue.say("session", CAVEAT, "no user manager: rules cannot run from each login on", problem)
    findings = await doctor(context.adapter)
    blamed = next((finding for finding in findings if finding["cause"]), None)
    if blamed is not None and f"apt install {BLUEZ}" in blamed["advice"] and await context.dialogue.install(NAME, BLUEZ):
        findings = await doctor(context.adapter)
        blamed = next((finding for finding in findings if finding["cause"]), None)
    if blamed is not None:
        context.dialogue.say(NAME, BAD, blamed["text"], blamed["advice"])
        return False
    for finding in findings:
        if finding["about"] == "adapter":
            context.dialogue.say(NAME, GOOD, f"Bluetooth can be used: {finding['text']}")
    return True


async def doctor(adapter: str | None) -> list[dict[str, Any]]:
    """The findings of jacquardctl doctor, which belongs to a package above this one."""
    words = [*command(adapter), "--json", "--timeout", "1"]
    process = await asyncio.create_subprocess_exec(*words, env=environment(), stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    reply, complaint = await process.communicate()
    if process.returncode not in (exits.OK, exits.NO_BLUETOOTH) or not reply:
        raise exits.Failure(f"jacquardctl doctor failed: {complaint.decode(errors='replace').strip()}", exits.NO_BLUETOOTH)
    findings: list[dict[str, Any]] = [json.loads(line) for line in reply.splitlines()]
    return findings


def command(adapter: str | None) -> list[str]:
    words = [sys.executable, "-m", "jacquardctl", "doctor"]
    return words if adapter is None else [*words, "--adapter", adapter]


async def manager_problem() -> str:
    """Why systemd does not run units of this user; "" if it does."""
    try:
        await systemctl("show", "--property=Version")
    except exits.Failure as failure:
        return f"{str(failure).rstrip('.')}. After setup, start jacquardctl run yourself."
    return ""


def session_problems() -> Iterator[tuple[str, str]]:
    """The problems of this session, each with advice."""
    if os.geteuid() == 0:
        user = os.environ.get("SUDO_USER")
        advice = f"To set up the account {user}, run this command without sudo." if user else "Usually your own account is set up."
        yield "you are root: the tag, the rules and the unit will belong to root", advice
    if os.environ.get("SSH_CONNECTION"):
        yield (
            "over ssh: no key can be pressed, and players at the screen may be out of reach",
            "To use them, run this command at the screen. To run rules after logout: loginctl enable-linger",
        )
    if not has_session_bus():
        yield "no session bus: no player can be controlled", "Log in at the screen, or as this user with ssh instead of su or sudo."


def has_session_bus() -> bool:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS")) or bool(runtime and Path(runtime, "bus").exists())
