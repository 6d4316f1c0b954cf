"""Questions to the person, on a terminal or from a file of answers."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from jacquard.input_file import open_input
from jacquard_apps.terminal import asking, exits, output

# A file of answers must have these words instead of "yes", because no one can undo the step.
CONSENT = "the tag may forget its phone"
LARGEST = 1 << 16


@dataclasses.dataclass(frozen=True)
class Ask:
    """A question to the person. `default` is also the answer if there is no terminal, and none in the file."""

    key: str
    text: str
    default: bool = True


USE = Ask(
    "use",
    "Try the tag's functions? Its light shines, the sleeve vibrates and feels touches, and the tag has another name for a moment. "
    "(30 s)",
)
MOTION = Ask(
    "motion",
    "Try its motion sensor? It records 10 seconds of motion, which are then erased, and sends 3 more. Other recordings stay. (1 minute)",
)
LISTEN = Ask("listen", "Watch how it connects and how long it stays connected? Nothing else is sent to it. (2 minutes)")
BIND = Ask(
    "bind",
    "This tag has no bond with this computer. Bonds are how a tag and a phone know each other. If you make one now, the tag "
    "may forget its phone for good, and no one can undo this. Without it, everything else is tried.\nMake a bond?",
    default=False,
)
SEEN = Ask("seen", "Does the light of the tag shine for three seconds?", default=False)
FELT = Ask("felt", "Did the sleeve vibrate?", default=False)
STROKE = "Please stroke the sleeve inwards, then outwards, then tap it twice. (6 seconds)"
STROKE_AGAIN = "And once more, the same."
KEYS = {ask.key: ask for ask in (USE, MOTION, LISTEN, BIND, SEEN, FELT)}


class Dialogue:
    """answers: the answers of the file; None: the person is asked, if there is a terminal."""

    def __init__(self, answers: dict[str, bool] | None, quiet: bool = False) -> None:
        self._answers = answers
        self._quiet = quiet

    async def asks(self, ask: Ask) -> bool:
        if self._answers is not None:
            return self._answers.get(ask.key, ask.default)
        if not asking.is_possible():
            return ask.default
        typed = (await asking.answer(f"\n{ask.text} [{'Y/n' if ask.default else 'y/N'}] ")).strip().lower()
        return typed in ("y", "yes") if typed else ask.default

    async def instruct(self, text: str) -> None:
        """Shows an instruction, if a person is there to follow it."""
        if self._answers is None and asking.is_possible():
            self.say(text)

    def say(self, text: str) -> None:
        if not self._quiet:
            print(output.printable(text), file=sys.stderr, flush=True)


def read(path: Path) -> dict[str, bool]:
    """The answers of a file: lines such as `motion: no`. Text after # is a comment."""
    answers = {}
    with open_input(path) as file:
        given = file.read(LARGEST).decode(errors="replace")
    for number, line in enumerate(given.splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        key, _, value = (part.strip() for part in text.partition(":"))
        yes = CONSENT if key == BIND.key else "yes"
        if key not in KEYS or value not in (yes, "no"):
            known = f"expected {key}: {yes}, or {key}: no" if key in KEYS else f"expected one of {', '.join(KEYS)}"
            raise exits.Failure(f"{path}, line {number}: {output.printable(line)!r} is not an answer; {known}.", exits.USAGE)
        answers[key] = value == yes
    if not answers:
        raise exits.Failure(f"{path} has no answers.", exits.USAGE)
    return answers
