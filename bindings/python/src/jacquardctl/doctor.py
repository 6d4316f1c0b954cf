"""jacquardctl doctor"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import pathlib

import jacquard
from jacquard._native.library import library, path

from . import exits, output

PATIENCE = 15
RFKILL = pathlib.Path("/sys/class/rfkill")


@dataclasses.dataclass(frozen=True)
class Finding:
    about: str
    good: bool
    text: str
    advice: str = ""


async def doctor(manager: jacquard.Manager, arguments: argparse.Namespace) -> int:
    findings = [Finding("library", True, f"libjacquard {library().jacquard_version_string().decode()}, {path()}")]
    findings += switched_off()
    adapter = await settled(manager)
    findings.append(about(adapter))
    if adapter is not None and adapter.usable:
        findings.append(await tags_in_range(manager, arguments.timeout))
    show(findings, arguments.json)
    return exits.OK if adapter is not None and adapter.usable else exits.NO_BLUETOOTH


async def settled(manager: jacquard.Manager) -> jacquard.Adapter | None:
    """The adapter once something is known of it; None if that takes too long."""

    async def known() -> jacquard.Adapter | None:
        async with manager.adapter_states() as states:
            async for adapter in states:
                if adapter.state is not jacquard.AdapterState.UNKNOWN:
                    return adapter
        return None

    try:
        return await asyncio.wait_for(known(), PATIENCE)
    except asyncio.TimeoutError:
        return None


def about(adapter: jacquard.Adapter | None) -> Finding:
    if adapter is None:
        return Finding("adapter", False, f"No word from the bus in {PATIENCE} seconds.", "Look at its log.")
    if adapter.error is not None:
        return Finding("adapter", False, adapter.error.message, adapter.error.advice)
    return Finding("adapter", True, f"{adapter.address} {adapter.name}, {adapter.state.name.lower().replace('_', ' ')}")


async def tags_in_range(manager: jacquard.Manager, seconds: float) -> Finding:
    try:
        serials = [found.serial or found.address async for found in manager.scan(timeout=seconds)]
    except jacquard.JacquardError as error:
        return Finding("tags", False, error.message, error.advice)
    if not serials:
        return Finding("tags", False, f"None seen in {seconds:g} seconds.", "Wake one by moving it.")
    return Finding("tags", True, ", ".join(sorted(serials)))


def switched_off() -> list[Finding]:
    """What the kernel's switch for radios says of Bluetooth, where there is one."""
    findings = []
    for switch in sorted(RFKILL.glob("*")):
        try:
            kind, soft, hard = ((switch / name).read_text().strip() for name in ("type", "soft", "hard"))
        except OSError:
            continue
        if kind == "bluetooth" and hard == "1":
            findings.append(Finding("rfkill", False, f"{switch.name} is off by a switch or key.", "Turn it on."))
        elif kind == "bluetooth" and soft == "1":
            findings.append(Finding("rfkill", False, f"{switch.name} is blocked.", "Run: rfkill unblock bluetooth"))
    return findings


def show(findings: list[Finding], as_json: bool) -> None:
    console = output.console()
    for finding in findings:
        if as_json:
            output.say_json(**output.members_of(finding))
        else:
            mark = "[green]✓[/]" if finding.good else "[red]✗[/]"
            console.print(f"{mark} {finding.about:8} {output.printable(finding.text)}")
            if finding.advice:
                console.print(f"{'':10} {output.printable(finding.advice)}")
