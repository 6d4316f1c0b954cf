"""jacquardctl certify"""

from __future__ import annotations

import contextlib
import os
from argparse import SUPPRESS, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jacquard_apps.terminal import exits, options, output

if TYPE_CHECKING:
    from .report import Evidence

MISSING = "certify needs dbus-fast: install the package python3-dbus-fast (pip: jacquardctl[certify])."


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "certify",
        parents=[options.with_tag()],
        help="find out how a real tag behaves, for everybody's benefit",
        description="Leads you through experiments with a tag that answer what is not known about tags, in about five minutes. "
        "What they change is restored. The result is one file without personal data, which you can publish.",
    )
    parser.add_argument("--output", metavar="FILE", type=options.path, default=Path("tag.certify.json"), help="the file (%(default)s)")
    parser.add_argument("--answers", metavar="FILE", type=options.path, help="answers to the questions, instead of a terminal")
    parser.add_argument("--force", action="store_true", help="overwrite FILE")
    parser.add_argument("--questions", action="store_true", help="only list the questions, and how each is decided")
    parser.add_argument("--show", metavar="FILE", type=options.path, help="only show what such a file says")
    parser.add_argument("--time-scale", type=scale, default=1.0, help=SUPPRESS)
    parser.set_defaults(run=run)


def scale(text: str) -> float:
    value = float(text)
    if not 1 <= value <= 100:
        raise ArgumentTypeError(f"{text} is out of range; expected 1 to 100")
    return value


async def run(arguments: Namespace) -> int:
    if arguments.questions:
        return list_questions(arguments.json)
    if arguments.show is not None:
        return show(arguments.show, arguments.json)
    try:
        import dbus_fast  # noqa: F401
    except ImportError:
        raise exits.Failure(MISSING) from None
    from jacquard.whole_file import WholeFile

    from . import dialogue
    from .answer import Interrupted, Unsafe
    from .run import certify
    from .undo import NotRestored

    answers = None if arguments.answers is None else dialogue.read(arguments.answers)
    # The service would keep a link of its own, and experiments need to see each link from its start.
    os.environ["JACQUARD_SERVICE"] = "off"
    # The place of the file must be writable before anything is tried.
    with WholeFile(arguments.output, overwrite=arguments.force) as file:
        try:
            evidence = await certify(arguments, dialogue.Dialogue(answers, quiet=arguments.json))
        except (Interrupted, Unsafe, NotRestored) as error:
            raise exits.Failure(f"The tag could not be examined: {error}.") from None
        written, text = published(evidence, arguments.tag)
        file.write(text.encode())
        file.flush()
        with contextlib.suppress(OSError):  # a pipe
            os.fsync(file.fileno())
    tell(written, str(arguments.output), arguments.json)
    return exits.OK


def published(evidence: Evidence, tag: str | None) -> tuple[dict[str, Any], str]:
    """The file's contents without personal data."""
    from . import leaks, privacy, report

    secrets = privacy.secrets_of(evidence.world, tag)
    written = privacy.replaced(evidence.report(), secrets)
    text = report.text_of(written)
    left = leaks.found(text, secrets)
    if left:
        raise exits.Failure(f"The file was not written: {left} is still in it. Please report this.", exits.FAILED)
    return written, text


def tell(written: dict[str, Any], path: str, as_json: bool) -> None:
    from . import report

    if as_json:
        values = {name: answer["value"] for name, answer in written["answers"].items()}
        output.say_json(file=path, answers=values)
        return
    for line in report.summary(written):
        output.say(output.printable(line))
    output.say(f"\n{output.printable(path)} has all of this. It contains no names, addresses or serial numbers. Read it, and")
    output.say("please attach it to a new issue of libjacquard.")


def show(path: Path, as_json: bool) -> int:
    from . import report

    try:
        found = report.read(path)
    except report.BadFile as error:
        raise exits.Failure(f"{path}: {error}.", exits.USAGE) from None
    if as_json:
        output.say_json(answers={name: answer.get("value") for name, answer in found["answers"].items()})
        return exits.OK
    for line in report.summary(found):
        output.say(output.printable(line))
    return exits.OK


def list_questions(as_json: bool) -> int:
    from .questions import QUESTIONS

    for question in QUESTIONS:
        if as_json:
            output.say_json(question=question)
            continue
        output.say(question.text)
        output.say(f"  {question.how or f'Not decided: {question.why_not}.'}")
        if question.is_decidable:
            output.say(f"  Risk: {question.risk}")
    return exits.OK
