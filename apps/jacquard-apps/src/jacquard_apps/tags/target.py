"""Finds the tag of a command.

TAG is its identifier, address, name, or serial number: the one that it advertises, the longer one that is printed on
it, or the end of either. It may be omitted if exactly one tag is bound.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import re
import uuid
from argparse import Namespace
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Callable, Union

import jacquard

from ..system.together import within
from ..terminal import exits, options, output

AnyTag = Union[jacquard.Advertisement, jacquard.KnownTag]

ADDRESS = re.compile("[0-9A-F]{2}(:[0-9A-F]{2}){5}")
# How long to wait for further tags that match a word that is possibly not unique.
AMBIGUITY = 2
# Maximum number of other tags named in a message.
MOST_NAMES = 8


@dataclasses.dataclass(frozen=True)
class Target:
    """Information about a tag before it is connected."""

    identifier: str
    serial: str = ""

    @property
    def name(self) -> str:
        """The name in messages."""
        return self.serial or self.identifier


@dataclasses.dataclass(frozen=True)
class StandIn:
    """A word that is `meaning` if TAG was omitted, or TAG if `missing` was forgotten."""

    word: str
    meaning: str
    missing: str


def manager(arguments: Namespace) -> jacquard.Manager:
    return jacquard.Manager(adapter=arguments.adapter)


@contextlib.asynccontextmanager
async def connected(arguments: Namespace) -> AsyncIterator[tuple[jacquard.Connection, jacquard.Tag]]:
    """A connection and its connected tag."""
    async with manager(arguments) as in_use:
        target = await find(in_use, arguments)
        async with in_use.connect(target.identifier, timeout=arguments.timeout) as connection:
            yield connection, await tag_of(connection, target.name, arguments.json)


async def tag_of(connection: jacquard.Connection, name: str, quiet: bool) -> jacquard.Tag:
    with output.progress(f"connecting to {name}", quiet) as say:
        async for state in connection.states():
            if state.tag is not None:
                return state.tag
            if state.phase is jacquard.Phase.DISCONNECTED and state.reason is not None:
                raise state.reason
            say(f"{state.phase} {state.step}/{state.total_steps}")
    raise exits.Failure("The connection has been closed.")


async def find(manager: jacquard.Manager, arguments: Namespace) -> Target:
    if arguments.tag is None:
        arguments.tag = await only_one_bound(manager)
    return await matching(manager, arguments.tag, arguments)


async def chosen(manager: jacquard.Manager, arguments: Namespace) -> list[Target]:
    """The tags of a command for several: all bound ones, those that are named, or the only bound one."""
    words = arguments.tag if isinstance(arguments.tag, list) else [arguments.tag]
    if arguments.all_tags:
        if words != [None]:
            raise exits.Failure("Use either TAG or --all, not both.", exits.USAGE)
        known = await manager.known()
        if not known:
            raise exits.Failure("No tag is bound to this machine: see jacquardctl bind.", exits.USAGE)
        return [target(tag) for tag in known]
    if words == [None]:
        words = [await only_one_bound(manager)]
    found = [await matching(manager, word, arguments) for word in words]
    if len({one.identifier for one in found}) < len(found):
        raise exits.Failure(f"{', '.join(words)}: two of these words select the same tag.", exits.USAGE)
    return found


async def matching(manager: jacquard.Manager, wanted: str, arguments: Namespace) -> Target:
    """The tag that a word selects."""
    if is_identifier(wanted):
        return Target(wanted.lower())
    found = among(await known_if_readable(manager), wanted)
    if found is not None:
        return found
    with output.progress(f"searching for {wanted}", arguments.json) as say:
        return await seen(manager, wanted, arguments.timeout or options.DEFAULT_TIMEOUT, say)


async def known_if_readable(manager: jacquard.Manager) -> list[jacquard.KnownTag]:
    """The bound tags. If their file cannot be read, the error is printed: tags in range can be used without it."""
    try:
        return await manager.known()
    except jacquard.StateFileError as error:
        output.complain(str(error))
        return []


async def only_one_bound(manager: jacquard.Manager) -> str:
    """Returns a word that selects the only bound tag, if TAG was omitted."""
    known = await manager.known()
    if len(known) == 1:
        return known[0].serial or known[0].identifier
    bound = f"{len(known)} tags are bound ({', '.join(map(name, known))})" if known else "no tag is bound"
    raise exits.Failure(f"TAG is missing. It may be omitted only if exactly one tag is bound; {bound}.", exits.USAGE)


async def fill_in(arguments: Namespace) -> None:
    """Sets TAG, which was omitted, before anything is done. Refuses a word after it that selects a tag."""
    stand_in: StandIn = arguments.stand_in
    word = stand_in.word
    async with manager(arguments) as in_use:
        known = await in_use.known()
        is_tag = any(selects(word, tag) for tag in known)
        if not is_tag:
            arguments.tag = await only_one_bound(in_use)
    if is_tag:
        text = f"{stand_in.missing} is missing: {word} selects a tag. To use it as {stand_in.meaning}, specify TAG as well."
        raise exits.Failure(text, exits.USAGE)


async def is_name(arguments: Namespace) -> bool:
    """Whether TAG, which optional words may follow, is such a word, because the only bound tag was omitted."""
    if arguments.tag is None:
        return False
    async with manager(arguments) as in_use:
        known = await known_if_readable(in_use)
    return len(known) == 1 and not selects(arguments.tag, known[0])


def selects(word: str, tag: jacquard.KnownTag) -> bool:
    """Whether a word selects this tag, or any tag by its address or identifier."""
    return is_identifier(word) or is_address(word) or is_surely(tag, word) or may_be(tag, word)


def among(known: Sequence[jacquard.KnownTag], wanted: str) -> Target | None:
    """The bound tag that matches this word, if there is one."""
    surely = [tag for tag in known if tag.identifier == wanted.lower() or is_surely(tag, wanted)]
    found = surely or [tag for tag in known if may_be(tag, wanted)]
    if len(found) > 1:
        raise ambiguous(wanted, found)
    return target(found[0]) if found else None


async def seen(manager: jacquard.Manager, wanted: str, timeout: float, say: Callable[[str], None]) -> Target:
    found: dict[str, jacquard.Advertisement] = {}
    others: list[str] = []
    async with manager.scan(timeout=timeout) as scan:
        async for advertisement in scan:
            if is_surely(advertisement, wanted):
                return target(advertisement)
            if may_be(advertisement, wanted):
                found[advertisement.identifier] = advertisement
                break
            others.append(name(advertisement))
            say(f"searching for {wanted}; found: {', '.join(others)}")
        if found:
            await collect(scan, wanted, found)
    if len(found) == 1:
        return target(*found.values())
    if found:
        raise ambiguous(wanted, found.values())
    instead = f"found: {listed(others)}." if others else "no tag was found."
    details = jacquard.ErrorDetails(
        jacquard.Status.NOT_FOUND,
        f"Tag {wanted} was not found in {output.seconds(timeout)}; {instead}",
        "Hold the tag's button for three seconds until its light pulses, and bring it closer.",
    )
    raise jacquard.NotFoundError(details)


async def collect(
    scan: jacquard.Stream[jacquard.Advertisement], wanted: str, found: dict[str, jacquard.Advertisement]
) -> None:
    """Adds other tags that match the word, unless the match is certain."""

    async def others() -> None:
        async for advertisement in scan:
            if is_surely(advertisement, wanted):
                found.clear()
            if is_surely(advertisement, wanted) or may_be(advertisement, wanted):
                found[advertisement.identifier] = advertisement
            if is_surely(advertisement, wanted):
                return

    with contextlib.suppress(asyncio.TimeoutError):
        await within(AMBIGUITY, others())


def name(tag: AnyTag) -> str:
    """The tag's display name."""
    return tag.serial or tag.address


def listed(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def target(tag: AnyTag) -> Target:
    return Target(tag.identifier, tag.serial)


def ambiguous(wanted: str, found: Iterable[AnyTag]) -> exits.Failure:
    names = ", ".join(sorted(map(name, found)))
    return exits.Failure(f"{wanted} matches {names}. Use more characters of the serial number.", exits.USAGE)


def is_identifier(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def is_address(text: str) -> bool:
    return ADDRESS.fullmatch(text.upper()) is not None


def is_surely(tag: AnyTag, wanted: str) -> bool:
    """Returns whether no other tag can match this word."""
    if is_address(wanted):
        return tag.address.upper() == wanted.upper()
    serial = tag.serial.upper()
    return bool(serial) and wanted.upper().endswith(serial) and wanted != tag.name


def may_be(tag: AnyTag, wanted: str) -> bool:
    if is_address(wanted):
        return False
    return wanted == tag.name or tag.serial.upper().endswith(wanted.upper())
