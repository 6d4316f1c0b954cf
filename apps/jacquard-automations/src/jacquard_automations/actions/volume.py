"""Changes the volume of the machine, with wpctl (PipeWire) or pactl (PulseAudio), and returns the new one."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE

from jacquard_apps.system.together import within

from ..action import Action, ActionError, Resource, Run, written
from ..table import Table
from ..triggers import Details

KEYS = ("volume",)
MUTES = {"mute": "1", "unmute": "0", "toggle-mute": "toggle"}
LEVEL = re.compile("([+-]?)([0-9]{1,3})%")
TIME_LIMIT = 2.0
WPCTL, PACTL = "wpctl", "pactl"


class Mixer(Resource):
    # The program that has worked: another one may wait for a server that does not run.
    program: str | None = None


@dataclasses.dataclass(frozen=True)
class Volume(Action):
    text: str

    needs = (Mixer,)

    @property
    def needs_fader(self) -> bool:
        return self.text == self.FADER

    async def act(self, run: Run) -> str:
        reasons = []
        text = of_fader(run.occasion.details) if self.needs_fader else self.text
        mixer = run.resources.of(Mixer)
        for program in sorted(filter(shutil.which, (WPCTL, PACTL)), key=lambda program: program != mixer.program):
            try:
                shown = await (with_wpctl if program == WPCTL else with_pactl)(text)
                mixer.program = program
                return shown
            except ActionError as error:
                reasons.append(f"{program}: {error}")
        raise ActionError("; ".join(reasons) or str(self.problem()))

    def problem(self) -> str | None:
        if shutil.which(WPCTL) or shutil.which(PACTL):
            return None
        return "neither wpctl nor pactl is installed. Run: sudo apt install wireplumber, or pulseaudio-utils"

    def __str__(self) -> str:
        return written("volume", self.text)


def of_fader(details: Details) -> str:
    if details["fader"] == "absolute":
        return f"{round(100 * details['value'])}%"
    percent = round(100 * details["change"] / details["steps"])
    return f"{min(max(percent, -100), 100):+d}%"


async def with_wpctl(text: str) -> str:
    sink = "@DEFAULT_AUDIO_SINK@"
    if text in MUTES:
        await output_of(WPCTL, "set-mute", sink, MUTES[text])
    else:
        sign, percent = parts(text)
        await output_of(WPCTL, "set-volume", "--limit", "1.0", sink, f"{percent}%{sign}")
    shown = await output_of(WPCTL, "get-volume", sink)
    level = re.search(r"Volume: ([0-9.]+)(.*)", shown)
    if level is None:
        raise ActionError(f"unexpected output: {shown.strip()}")
    return described(round(float(level[1]) * 100), "MUTED" in level[2])


async def with_pactl(text: str) -> str:
    sink = "@DEFAULT_SINK@"
    if text in MUTES:
        await output_of(PACTL, "set-sink-mute", sink, MUTES[text])
    else:
        await output_of(PACTL, "set-sink-volume", sink, text)
    percent = await pactl_level(sink)
    if percent > 100:
        await output_of(PACTL, "set-sink-volume", sink, "100%")
        percent = 100
    return described(percent, "yes" in await output_of(PACTL, "get-sink-mute", sink))


async def pactl_level(sink: str) -> int:
    shown = await output_of(PACTL, "get-sink-volume", sink)
    levels = [int(level) for level in re.findall(r"([0-9]+)%", shown)]
    if not levels:
        raise ActionError(f"unexpected output: {shown.strip()}")
    return max(levels)


def described(percent: int, is_muted: bool) -> str:
    return f"{percent}%, muted" if is_muted else f"{percent}%"


def parts(text: str) -> tuple[str, int]:
    """The sign and the number of a level."""
    found = LEVEL.fullmatch(text)
    assert found is not None
    return found[1], int(found[2])


async def output_of(*words: str) -> str:
    """Runs a program, whose output must not be translated."""
    try:
        process = await asyncio.create_subprocess_exec(
            "env", "LC_ALL=C", *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
    except OSError as error:
        raise ActionError(str(error.strerror)) from None
    try:
        shown, complaint = await within(TIME_LIMIT, process.communicate())
    except asyncio.TimeoutError:
        raise ActionError(f"did not end in {TIME_LIMIT:g} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        lines = complaint.decode(errors="replace").split("\n") + shown.decode(errors="replace").split("\n")
        raise ActionError(next((line for line in lines if line), f"status {process.returncode}"))
    return shown.decode(errors="replace")


def read(table: Table, key: str) -> Action:
    text = table.text(key) or ""
    found = LEVEL.fullmatch(text)
    if text not in (*MUTES, Action.FADER) and (found is None or int(found[2]) > 100):
        raise table.problem(f'"{text}" is neither a level such as "40%", "+5%" or "-5%", nor one of {", ".join((*MUTES, Action.FADER))}', key)
    return Volume(text)
