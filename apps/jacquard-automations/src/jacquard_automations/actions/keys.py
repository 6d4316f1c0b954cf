"""Presses keys on a virtual keyboard, and scrolls with a virtual mouse (uinput). Media keys work better as `media`.

A device exists only while a rule needs it, and has only the keys of the rules: logind mistakes a device with every key
for a mouse (https://github.com/PixlOne/logiops/pull/183), and some desktops then ignore it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..action import Action, ActionError, Library, Resource, Run, written
from ..table import Table, nearest, shown

PRESS, SCROLL = "key", "scroll"
KEYS = (PRESS, SCROLL)
LIBRARY = Library("evdev", "python3-evdev")
NODE = "/dev/uinput"
MODIFIERS = {"ctrl": "LEFTCTRL", "shift": "LEFTSHIFT", "alt": "LEFTALT", "altgr": "RIGHTALT", "super": "LEFTMETA"}
OTHERS = {"return": "ENTER", "escape": "ESC", "page-up": "PAGEUP", "page-down": "PAGEDOWN"}
MOST_KEYS = 6
LONGEST_HOLD = 10
MOST_STEPS = 20
# linux/input-event-codes.h
EV_KEY, EV_REL = 1, 2
REL_X, REL_Y, REL_HWHEEL, REL_WHEEL = 0, 1, 6, 8
BTN_LEFT = 0x110

# The rule of the package jacquard-uinput, and where Debian's packages have this module.
INSTALLED_RULE = Path("/lib/udev/rules.d/60-jacquard-uinput.rules")
PACKAGES = Path("/usr/lib/python3/dist-packages")
RULE = 'SUBSYSTEM=="misc", KERNEL=="uinput", TAG+="uaccess", OPTIONS+="static_node=uinput"'
INSTALL = "Run: sudo apt install ./jacquard-uinput_*.deb"
INSTALL_RULE = (
    f"Run: echo '{RULE}' | sudo tee /etc/udev/rules.d/60-uinput.rules, and: "
    "sudo sh -c 'udevadm control --reload; modprobe uinput; udevadm trigger /dev/uinput'"
)
LOAD = "The kernel's module uinput is not loaded. Run: sudo modprobe uinput"
LOG_IN = "Only the user who has logged in at the screen can press keys, not over ssh or without a session: log in there"


def access_problem() -> str | None:
    """Why the device cannot be used, and what to do."""
    try:
        os.close(os.open(NODE, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        return None
    except OSError as error:
        text = f"{NODE} cannot be opened: {error.strerror}"
        if error.errno in (errno.EACCES, errno.EPERM):
            return f"{text}. {LOG_IN if is_for_the_screen() else how_to_install()}"
        if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
            return f"{text}. {LOAD if INSTALLED_RULE.exists() else how_to_install()}"
        return text


def is_for_the_screen() -> bool:
    """Whether udev lets the user at the screen use the device."""
    words = ["udevadm", "info", "--query=property", NODE]
    try:
        shown = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=5).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(line.startswith("CURRENT_TAGS=") and ":uaccess:" in line for line in shown.splitlines())


def how_to_install() -> str:
    return INSTALL if PACKAGES in Path(__file__).parents else INSTALL_RULE


def open_device(name: str, codes: Mapping[int, Sequence[int]]) -> Any:
    """Blocks for about 0.1 seconds."""
    import evdev

    problem = access_problem()
    if problem is not None:
        raise ActionError(problem)
    try:
        return evdev.UInput(codes, name=name)
    except (OSError, evdev.UInputError) as error:
        raise ActionError(f"{NODE} cannot be used: {getattr(error, 'strerror', None) or error}") from None


class Device(Resource):
    """A virtual device with the codes that the actions use."""

    name = ""
    _device: Any = None
    _codes: Mapping[int, Sequence[int]] | None = None

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        self._opening = asyncio.Lock()

    def codes(self, actions: Collection[Action]) -> Mapping[int, Sequence[int]]:
        raise NotImplementedError

    async def use(self, actions: Collection[Action]) -> None:
        codes = self.codes(actions)
        if codes == self._codes and self._device is not None:
            return
        await self.close()
        self._codes = codes
        await self.opened()

    async def opened(self) -> None:
        """Tries again if the device could not be opened before."""
        if LIBRARY.is_missing:
            raise ActionError(str(LIBRARY))
        async with self._opening:
            if self._device is None:
                on_thread = asyncio.get_running_loop().run_in_executor
                self._device = await on_thread(None, open_device, self.name, self._codes or {})

    def write(self, *events: tuple[int, int, int]) -> None:
        """Writes events, each with its type, code and value, and the end of the report. If that fails, the device is
        created again at the next use. The kernel releases the keys of a device that was removed."""
        try:
            for event in events:
                self._device.write(*event)
            self._device.syn()
        except OSError as error:
            self._discard()
            text = f"{self.name} cannot be used: {error.strerror}"
            raise ActionError(f"{text}. It is created again for the next event") from None

    def _discard(self) -> None:
        device, self._device = self._device, None
        if device is not None:
            with contextlib.suppress(OSError):
                device.close()

    async def close(self) -> None:
        self._discard()


@dataclasses.dataclass(eq=False)
class Held:
    """Keys that are held, for a tag."""

    identifier: str
    codes: tuple[int, ...]
    timer: asyncio.TimerHandle | None = None


class Keyboard(Device):
    name = "Jacquard keys"

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        self._held: list[Held] = []

    def codes(self, actions: Collection[Action]) -> Mapping[int, Sequence[int]]:
        return {EV_KEY: sorted({code for action in actions if isinstance(action, Press) for code in action.codes})}

    async def press(self, codes: tuple[int, ...], hold: float, identifier: str) -> None:
        self._release([held for held in self._held if set(held.codes) & set(codes)])
        await self.opened()
        self.write(*((EV_KEY, code, 1) for code in codes))
        pressed = Held(identifier, codes)
        self._held.append(pressed)
        if hold:
            pressed.timer = asyncio.get_running_loop().call_later(hold, self._release, [pressed])
        else:
            self._release([pressed])

    def link_lost(self, identifier: str) -> None:
        self._release([held for held in self._held if held.identifier == identifier])

    async def use(self, actions: Collection[Action]) -> None:
        wanted = {action.codes for action in actions if isinstance(action, Press)}
        self._release([held for held in self._held if held.codes not in wanted])
        await super().use(actions)

    async def close(self) -> None:
        self._release(list(self._held))
        await super().close()

    def _release(self, chords: Collection[Held]) -> None:
        for held in chords:
            if held in self._held:
                self._held.remove(held)
                if held.timer is not None:
                    held.timer.cancel()
                if self._device is not None:
                    with contextlib.suppress(ActionError):
                        self.write(*((EV_KEY, code, 0) for code in reversed(held.codes)))


class Wheel(Device):
    """udev requires axes and a button of a mouse; they are never used."""

    name = "Jacquard wheel"

    def codes(self, actions: Collection[Action]) -> Mapping[int, Sequence[int]]:
        return {EV_KEY: [BTN_LEFT], EV_REL: [REL_X, REL_Y, REL_HWHEEL, REL_WHEEL]}

    async def turn(self, steps: int, axis: int) -> None:
        await self.opened()
        for _ in range(abs(steps)):
            self.write((EV_REL, axis, 1 if steps > 0 else -1))


@dataclasses.dataclass(frozen=True)
class Press(Action):
    text: str
    codes: tuple[int, ...]
    hold: float = 0

    libraries = (LIBRARY,)
    needs = (Keyboard,)
    may_run_commands = True

    def obstacle(self) -> str | None:
        return access_problem()

    async def act(self, run: Run) -> str:
        await run.resources.of(Keyboard).press(self.codes, self.hold, run.occasion.link.identity.identifier)
        return ""

    def __str__(self) -> str:
        return written(PRESS, self.text, hold=self.hold or None)


@dataclasses.dataclass(frozen=True)
class Scroll(Action):
    # Positive: up, or to the right. 0: the steps of the fader.
    steps: int
    is_horizontal: bool = False

    libraries = (LIBRARY,)
    needs = (Wheel,)

    def obstacle(self) -> str | None:
        return access_problem()

    @property
    def needs_fader(self) -> bool:
        return self.steps == 0

    async def act(self, run: Run) -> str:
        steps = self.steps or min(max(run.occasion.details["change"], -MOST_STEPS), MOST_STEPS)
        await run.resources.of(Wheel).turn(steps, REL_HWHEEL if self.is_horizontal else REL_WHEEL)
        return ""

    def __str__(self) -> str:
        return written(SCROLL, self.steps or self.FADER, horizontal=self.is_horizontal or None)


def read(table: Table, key: str) -> Action:
    if key == SCROLL:
        is_fader = table.value(key) == Action.FADER
        steps = 0 if is_fader else table.whole(key, 0, -MOST_STEPS, MOST_STEPS)
        if steps == 0 and not is_fader:
            raise table.problem("0 steps do nothing", key)
        return Scroll(steps, bool(table.flag("horizontal")))
    text = table.text(key) or ""
    words = text.lower().split("+")
    if len(words) > MOST_KEYS or len(set(words)) < len(words):
        raise table.problem(f"{shown(text)} is not a combination of up to {MOST_KEYS} different keys", key)
    hold = table.number("hold", 0, 0, LONGEST_HOLD) or 0
    return Press(text, tuple(code_of(word, table, key) for word in words), hold)


def code_of(word: str, table: Table, key: str) -> int:
    """0 if evdev is not installed."""
    if LIBRARY.is_missing:
        return 0
    from evdev import ecodes

    codes: dict[str, int] = ecodes.ecodes
    name = MODIFIERS.get(word) or OTHERS.get(word) or word.upper().replace("-", "").replace("_", "")
    names = {known[4:].replace("_", ""): code for known, code in codes.items() if known.startswith("KEY_")}
    if name not in names:
        near = nearest(word, [*MODIFIERS, *OTHERS, *(known.lower() for known in names)])
        text = f"{shown(word)} is not a key"
        raise table.problem(f"{text}; did you mean {near}?" if near else f"{text}, such as space, f5 or ctrl", key)
    return names[name]
