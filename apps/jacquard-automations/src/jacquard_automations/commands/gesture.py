"""jacquardctl gesture"""

from __future__ import annotations

import asyncio
import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from jacquard import Capability
from jacquard_apps.recording import reader
from jacquard_apps.system.together import first, together
from jacquard_apps.tags import gear, target
from jacquard_apps.terminal import exits, options, output
from jacquard_apps.terminal.drawing import STEPS, STRONGEST
from jacquard_apps.touch import touching

if TYPE_CHECKING:
    from ..trained.episodes import Episode
    from ..trained.file import Gesture
    from ..trained.recogniser import Recogniser, Rival, Taught

EXAMPLES = 5
# The argument with the name of a gesture.
TAUGHT = "taught"


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gesture",
        help="teach a sleeve your own gestures",
        description="Gestures are kept in ~/.config/jacquard/gestures.toml. While a tag is used for them, it reports none "
        "of its own gestures. touch.md in the documentation explains more.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    teach = actions.add_parser(
        "teach",
        parents=[options.with_tag(goes_on=True)],
        help="store a gesture that you make a few times",
        description="A gesture ends when the sleeve has not been touched for 0.4 seconds. One that is taught again is replaced.",
    )
    teach.add_argument(TAUGHT, metavar="NAME", type=options.word, help="its name")
    about_examples = f"how often to make it ({EXAMPLES})"
    teach.add_argument("--examples", metavar="N", type=options.whole(3, 25), default=EXAMPLES, help=about_examples)
    add_recording(teach)
    teach.set_defaults(run=run_teach)

    test = actions.add_parser(
        "test",
        parents=[options.with_tag(goes_on=True)],
        help="print which gesture each touch is, until Ctrl-C",
        description="The distance is that to the nearest example: up to 1, the touch is that gesture; otherwise it is other.",
    )
    add_recording(test)
    options.add_duration(test)
    test.set_defaults(run=run_test)

    listed = actions.add_parser("list", parents=[options.shared()], help="list the gestures that were taught")
    listed.set_defaults(run=run_list)

    forget = actions.add_parser("forget", parents=[options.shared()], help="remove a gesture")
    forget.add_argument(TAUGHT, metavar="NAME", type=options.word, help="its name")
    forget.set_defaults(run=run_forget)


def add_recording(parser: Any) -> None:
    about = "use the touches of a file written by jacquardctl record --touch, instead of a tag"
    parser.add_argument("--from", dest="recording", metavar="FILE", type=options.word, help=about)


async def run_teach(arguments: Namespace) -> int:
    from ..trained import file

    if not file.is_name(arguments.taught):
        text = f"{arguments.taught!r} cannot be a name; expected at most {file.LONGEST_NAME} letters, without spaces around them."
        raise exits.Failure(text, exits.USAGE)
    path = file.default_path()
    others = [gesture for gesture in read(path) if gesture.name != arguments.taught]
    examples: list[Episode] = []

    def receive(episode: Episode) -> bool:
        if episode.is_cut:
            output.complain("This touch was too long for a gesture.")
        else:
            examples.append(episode)
            show_example(arguments, len(examples), episode)
        return ask(arguments, len(examples) + 1)

    await receive_episodes(arguments, receive, begin=lambda: ask(arguments, 1))
    if len(examples) < arguments.examples:
        text = (
            f"{arguments.recording} contains {len(examples)} gestures; expected {arguments.examples}: see --examples."
        )
        raise exits.Failure(text, exits.USAGE)
    # The gesture as it will be read: with times in milliseconds.
    gesture = file.parse(file.HEAD + file.written(file.Gesture(arguments.taught, tuple(examples))))[0]
    rival = checked_rival(arguments, gesture, others)
    store(path, gesture.name, gesture)
    show_taught(arguments, gesture.taught, rival)
    return exits.OK


def ask(arguments: Namespace, number: int) -> bool:
    """Asks for this example, and returns whether it is needed."""
    is_needed: bool = number <= arguments.examples
    if is_needed and not arguments.json and not arguments.recording:
        output.say(f"Make the gesture: {number} of {arguments.examples}")
    return is_needed


def show_example(arguments: Namespace, number: int, episode: Episode) -> None:
    if arguments.json:
        output.say_json(example=number, **described(episode))
    else:
        output.say(f"  {text_of(episode)}")


def checked_rival(arguments: Namespace, gesture: Gesture, others: Sequence[Gesture]) -> Rival | None:
    """The nearest other gesture. Refuses a gesture that cannot be told from it."""
    from ..trained import file

    spread = gesture.taught.spread
    rival = file.recogniser(others).rival(gesture.taught)
    if rival is None or rival.distance > spread:
        return rival
    (other,) = [one for one in others if one.name == rival.name]
    if not arguments.json:
        for one in (gesture, other):
            for example in one.examples:
                output.say(f"{one.name}: {text_of(example)}")
    raise exits.Failure(
        f"{gesture.name} is closer to {other.name} ({rival.distance:.2f}) than its own examples are to each other "
        f"({spread:.2f}). Nothing was stored: make it more evenly, choose a more different gesture, or run: "
        f"jacquardctl gesture forget {shlex.quote(other.name)}",
        exits.REFUSED,
    )


def show_taught(arguments: Namespace, taught: Taught, rival: Rival | None) -> None:
    if arguments.json:
        output.say_json(taught=taught.name, spread=round(taught.spread, 3), **members_of(rival))
    elif rival is None:
        output.say(f"{taught.name} is stored.")
    else:
        risk = " Some touches may be taken for the other one." if rival.distance <= 1 else ""
        output.say(
            f"{taught.name} is stored. The nearest other gesture is {rival.name}, at {rival.distance:.1f}.{risk}"
        )


def members_of(rival: Rival | None) -> dict[str, Any]:
    return {"nearest": rival.name if rival else None, "distance": round(rival.distance, 3) if rival else None}


async def run_test(arguments: Namespace) -> int:
    from ..trained import file

    gestures = read(file.default_path())
    if not gestures:
        raise exits.Failure("No gesture has been taught: see jacquardctl gesture teach.", exits.USAGE)
    recogniser = file.recogniser(gestures)

    def receive(episode: Episode) -> bool:
        show_decision(arguments, recogniser, episode)
        return True

    await together(receive_episodes(arguments, receive), seconds=arguments.duration)
    return exits.OK


def show_decision(arguments: Namespace, recogniser: Recogniser, episode: Episode) -> None:
    decision = recogniser.decide(episode)
    if decision is None:
        return
    time = None if arguments.recording else output.now()
    if arguments.json:
        at = {} if time is None else {"time": time.isoformat(timespec="milliseconds")}
        about = {**output.members_of(decision), "distance": round(decision.distance, 3), **described(episode)}
        output.say_json(**at, **about)
        return
    shown = "" if time is None else f"{time:%H:%M:%S} "
    nearest = "" if decision.gesture else f" (nearest: {decision.nearest})"
    output.say(f"{shown}{decision.gesture or 'other'} {decision.distance:.2f}{nearest}  {text_of(episode)}")


async def run_list(arguments: Namespace) -> int:
    from ..trained import file

    path = file.default_path()
    gestures = read(path)
    recogniser = file.recogniser(gestures)
    rows = []
    for gesture in gestures:
        taught: Taught = gesture.taught
        rival = recogniser.rival(taught)
        about = {"name": gesture.name, "examples": len(gesture.examples), "tolerance": gesture.tolerance}
        if arguments.json:
            output.say_json(**about, spread=round(taught.spread, 3), **members_of(rival))
        rows.append(
            [
                gesture.name,
                str(len(gesture.examples)),
                f"{taught.spread:.2f}",
                f"{rival.name} {rival.distance:.2f}" if rival else "",
            ]
        )
    if rows and not arguments.json:
        output.show_table(("NAME", "EXAMPLES", "SPREAD", "NEAREST OTHER"), rows)
    elif not rows:
        output.complain("No gesture has been taught: see jacquardctl gesture teach.")
    return exits.OK


async def run_forget(arguments: Namespace) -> int:
    from ..table import expectation
    from ..trained import file

    path = file.default_path()
    names = [gesture.name for gesture in read(path)]
    if arguments.taught not in names:
        rest = f"; {expectation(arguments.taught, names)}" if names else "."
        raise exits.Failure(f"No gesture {arguments.taught} has been taught{rest}", exits.USAGE)
    store(path, arguments.taught, None)
    return exits.OK


def read(path: Path) -> list[Gesture]:
    from ..toml_file import Invalid
    from ..trained import file

    try:
        return file.read(path)
    except Invalid as error:
        raise exits.Failure(str(error), exits.USAGE) from None


def store(path: Path, name: str, gesture: Gesture | None) -> None:
    from ..table import Problem
    from ..toml_file import Invalid
    from ..trained import file

    try:
        file.change(path, name, gesture)
    except Invalid as error:
        raise exits.Failure(str(error), exits.USAGE) from None
    except Problem as problem:
        raise exits.Failure(f"{path}: {problem.text}") from None


async def receive_episodes(
    arguments: Namespace, receive: Callable[[Episode], bool], begin: Callable[[], object] = lambda: None
) -> None:
    """Passes on the samples of a recording, or of the tag, until `receive` returns False. begin: called when the tag can be touched."""
    if arguments.recording:
        if arguments.tag is not None:
            raise exits.Failure("Use either TAG or --from, not both.", exits.USAGE)
        for episode in recorded(arguments.recording):
            if not receive(episode):
                return
        return
    from ..trained.attempts import Attempts

    async with target.connected(arguments) as (connection, _):
        await gear.component(connection, Capability.TOUCH)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def pass_on(episode: Episode) -> None:
            if ended.done():
                return
            try:
                if not receive(episode):
                    ended.set_result(None)
            except Exception as error:
                ended.set_exception(error)

        begin()
        await first(touching.read(connection, Attempts(pass_on)), ended)


def recorded(name: str) -> list[Episode]:
    from ..trained.episodes import Episodes

    running = Episodes()
    moments = [moment for moment in reader.read_file(name).moments if moment.kind == "touch"]
    found = [running.add(moment.time, moment.value["lines"]) for moment in moments]
    found.append(running.wait(float("inf")))
    return [episode for episode in found if episode is not None]


def strongest(episode: Episode) -> list[int]:
    """The largest reading of each line."""
    return [max(levels) for levels in zip(*(sample.levels for sample in episode.samples))]


def described(episode: Episode) -> dict[str, Any]:
    from ..trained.recogniser import strokes

    return {"duration": round(episode.duration, 3), "strokes": strokes(episode), "strongest": strongest(episode)}


def text_of(episode: Episode) -> str:
    about = described(episode)
    picture = "".join(
        STEPS[round(min(level, STRONGEST) * (len(STEPS) - 1) / STRONGEST)] for level in about["strongest"]
    )
    return (
        f"{picture}  {about['duration']:.2f} s, {about['strokes']} {'stroke' if about['strokes'] == 1 else 'strokes'}"
    )
