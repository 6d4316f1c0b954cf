"""A guided session with one tag, from the search to the answers."""

from __future__ import annotations

import asyncio
import contextlib
import io
from argparse import Namespace
from collections.abc import Coroutine
from functools import partial
from importlib import import_module
from typing import Any, Callable

import jacquard
from jacquard_apps.recording.writer import Writer
from jacquard_apps.system.together import end, within
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits

from . import dialogue, undo
from .answer import Answer, Answers, Gone, Interrupted, Unsafe
from .bus import BLUEZ, Bus
from .clock import Clock
from .dialogue import Dialogue
from .experiments import functions, listen
from .questions import BIND, LISTEN, MOTION, QUESTIONS, USE, decided_by, of_stage
from .report import Evidence
from .trace import CHARACTERISTIC, DEVICE
from .world import GONE, World

ATTEMPTS = 3
STAGE_ASKS = {USE: dialogue.USE, MOTION: dialogue.MOTION, LISTEN: dialogue.LISTEN, BIND: dialogue.BIND}
# Seconds after which an experiment is ended; the longest one observes two links for a minute each.
LONGEST = 400.0
RESTORING = 300.0
CONNECTING = 60.0
# The number of characters of its serial number that a tag advertises.
SERIAL = 4
# Failures that another attempt may not have.
TRANSIENT = (Interrupted, jacquard.JacquardError, asyncio.TimeoutError)
# A tag that does not respond will not do so at the next attempt.
SLOW = (asyncio.TimeoutError, jacquard.TimeoutError)
# The errors of the library for programs that use a tag of a link that has ended.
LOST = (jacquard.ConnectionLostError, jacquard.StaleTagError, jacquard.StaleGearError)


async def certify(arguments: Namespace, talk: Dialogue) -> Evidence:
    clock = Clock(arguments.time_scale)
    async with target.manager(arguments) as manager, Bus() as bus:
        found = await target.find(manager, arguments)
        address, serial = await identity(manager, found)
        world = World(manager, bus, found.identifier, clock, undo.Promises(serial))
        recording = io.StringIO()
        writer = Writer(recording)
        writer.begin(jacquard.loaded_library().version)
        writer.found(found)
        world.record = writer.event
        try:
            await meet(world, address)
            facts = await tried(world, talk, serial)
        finally:
            await ended(world, talk)
        writer.end("complete")
        return Evidence(world, facts, recording.getvalue())


async def tried(world: World, talk: Dialogue, serial: str) -> dict[str, Any]:
    """Tries everything that the person agrees to. Returns facts about the tag."""
    if world.promises.open:
        talk.say("An earlier run was interrupted. First, the tag is restored.")
        await world.while_present(restored(world))
    world.answers.update({one.name: Answer(doubt=one.why_not) for one in QUESTIONS if not one.is_decidable})
    facts: dict[str, Any] = {}
    try:
        await stage(world, talk, BIND)
        if world.answers["pairing"].is_decided:
            await adopted(world, serial)
        facts = await world.while_present(known(world))
    except jacquard.NotBoundError:
        talk.say("This tag demands a bond, so nothing else can be tried.")
        for question in QUESTIONS:
            world.answers.setdefault(question.name, Answer(doubt="the tag demands a bond, and has none"))
        world.answers.update(await listen.address(world))
        return facts
    for name in (USE, MOTION, LISTEN):
        if await stage(world, talk, name):
            facts.update(await shown(world, talk, name))
    return facts


async def shown(world: World, talk: Dialogue, stage: str) -> dict[str, Any]:
    """The results of the tag's functions, by name, and the failures."""
    found: dict[str, Any] = {}
    works = {USE: [partial(one, world, talk) for one in functions.PARTS], MOTION: [partial(functions.stream, world)]}
    for work in works.get(stage, []):
        if world.promises.open.keys() & {undo.RECORDING, undo.MODULE}:
            found.setdefault("problems", []).append("what an experiment has changed could not be restored")
            break
        try:
            await world.check_battery()
            found.update(await world.while_present(within(world.clock.real(LONGEST) + LONGEST / 4, work())))
        except (Unsafe, *TRANSIENT) as error:
            found.setdefault("problems", []).append(f"{work.func.__name__}: {in_words(error)}")
    with contextlib.suppress(Gone, *TRANSIENT):
        await world.while_present(restored(world))
    return {"functions" if stage == USE else stage: found} if found else {}


async def identity(manager: jacquard.Manager, found: target.Target) -> tuple[str, str]:
    """The address under which bluetoothd has the tag, and the end of its serial number."""
    for known in await manager.known():
        if known.identifier == found.identifier:
            return known.address, known.serial[-SERIAL:]
    async with manager.scan(timeout=CONNECTING) as scan:
        async for advertisement in scan:
            if advertisement.identifier == found.identifier:
                return advertisement.address, advertisement.serial[-SERIAL:]
    raise exits.Failure("The tag is no longer in range.", exits.NOT_FOUND)


async def meet(world: World, address: str) -> None:
    """Finds out what must be known before anything is done, and refuses a tag that is in use."""
    world.first_address = address
    await world.locate(address)
    properties = await world.bus.properties(world.device)
    if properties.get("Connected"):
        await take_over(world)
    adapter = await world.bus.properties(world.device.rpartition("/")[0], "org.bluez.Adapter1")
    world.adapters.append(str(adapter.get("Address", "")))
    world.names += [str(adapter.get("Alias", "")), *(str(properties.get(name, "")) for name in ("Name", "Alias"))]
    world.was_bonded = bool(properties.get("Bonded", properties.get("Paired")))
    world.address_type = str(properties.get("AddressType", ""))


async def known(world: World) -> dict[str, Any]:
    """The tag's statements about itself. Without them, nothing else is tried."""
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            return await ask_tag(world)
        except jacquard.NotBoundError:
            raise
        except TRANSIENT as error:
            problem = in_words(error)
    raise Unsafe(f"tried {ATTEMPTS} times: {problem}")


async def ask_tag(world: World) -> dict[str, Any]:
    """The tag's statements about itself, for the file."""
    tag = await world.tag()
    battery = await tag.battery()
    gear = await world.component()
    properties = await world.bus.properties(world.device)
    info = tag.info
    return {
        "firmware": list(info.firmware),
        "bootloader": list(info.bootloader),
        "vendor": info.vendor,
        "model": info.model,
        "revision": info.revision,
        "battery": {"percent": battery.percent, "charging": battery.charging},
        "gear": None if gear is None else {"vendor": gear.info.vendor, "product": gear.info.product},
        "modules": await modules(tag),
        "bonded_before": world.was_bonded,
        "services": sorted(str(uuid) for uuid in properties.get("UUIDs", [])),
    }


async def modules(tag: jacquard.Tag) -> list[dict[str, Any]] | None:
    """None if the tag refuses to list them."""
    try:
        return [{"name": one.name, "version": list(one.version)} for one in await tag.modules()]
    except jacquard.TagStatusError:
        return None


async def take_over(world: World) -> None:
    """Ends a link that a program has left when it was killed. A link in use has a subscription."""
    for path, interfaces in (await world.bus.objects()).items():
        if path.startswith(world.device) and interfaces.get(CHARACTERISTIC, {}).get("Notifying"):
            raise exits.Failure(
                "Another program uses the tag. End it, or wait until the service has released it: see jacquardctl doctor."
            )
    await world.bus.call(BLUEZ, world.device, DEVICE, "Disconnect")


async def stage(world: World, talk: Dialogue, name: str) -> bool:
    """Whether its experiments ran."""
    why = ""
    if world.is_gone:
        why = GONE
    elif name == BIND and world.was_bonded:
        why = "the tag was bonded before, and a bond is never removed to learn something"
    elif not await talk.asks(STAGE_ASKS[name]):
        why = "this stage was left out"
    for experiment in of_stage(name):
        if not why:
            for one in decided_by(experiment):
                talk.say(f"… {one.text}")
            try:
                store(world, experiment, await world.while_present(answers_of(world, experiment, name != BIND)))
                continue
            except Gone as reason:
                why = str(reason)
                talk.say(f"Nothing else is tried: {why}.")
        store(world, experiment, {}, why)
    return not why


def store(world: World, experiment: str, answers: dict[str, Answer], doubt: str = "the experiment gave no answer") -> None:
    """An experiment may have decided one of its questions before it ended."""
    for question in decided_by(experiment):
        found = answers.get(question.name) or world.answers.get(question.name)
        world.answers[question.name] = found or Answer(doubt=doubt)


async def answers_of(world: World, experiment: str, is_connected: bool = True) -> dict[str, Answer]:
    """The answers of one experiment, which is repeated if the link is lost."""
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            if is_connected:
                await world.check_battery()
                # The response about the battery is not evidence of the experiment.
                await world.settle()
            module, _, function = experiment.partition(":")
            work = getattr(import_module(f".experiments.{module}", __package__), function)
            answers = await timed(world, work, any(one.is_time for one in decided_by(experiment)))
        except Unsafe as reason:
            answers = {one.name: Answer(doubt=str(reason)) for one in decided_by(experiment)}
        except TRANSIENT as error:
            problem = in_words(error)
            continue
        break
    else:
        # An experiment may have decided one of its questions before it was interrupted.
        open_ones = [one.name for one in decided_by(experiment) if one.name not in world.answers]
        answers = {name: Answer(doubt=f"tried {ATTEMPTS} times: {problem}") for name in open_ones}
    # If this fails, the tag is restored at the end, or by the next run.
    with contextlib.suppress(*TRANSIENT):
        await restored(world)
    return answers


def in_words(error: Exception) -> str:
    """What happened, for a person who has a tag and knows nothing about this program."""
    if isinstance(error, LOST):
        return "the link was lost"
    if isinstance(error, jacquard.TimeoutError):
        return "the tag did not respond"
    if isinstance(error, jacquard.JacquardError):
        return error.message.rstrip(".")
    return str(error) or "it took too long"


async def timed(world: World, work: Callable[[World], Coroutine[Any, Any, Answers]], is_time: bool) -> Answers:
    """The answers of an experiment. The world notes for how long bluetoothd did not respond: times may mean nothing
    then."""
    world.stood_still = 0.0
    watching = asyncio.ensure_future(world.watch()) if is_time else None
    try:
        return await within(world.clock.real(LONGEST) + LONGEST / 4, work(world))
    finally:
        if watching is not None:
            await end([watching])


async def restored(world: World) -> None:
    """Keeps the promises; once more after a lost link."""
    for attempt in range(ATTEMPTS):
        if not world.promises.open:
            return
        try:
            await world.tag()
            await within(world.clock.real(RESTORING) + CONNECTING / 4, undo.restore(world.promises, await world.connection()))
        except SLOW:
            raise
        except TRANSIENT:
            if attempt == ATTEMPTS - 1:
                raise


async def ended(world: World, talk: Dialogue) -> None:
    """Restores what is left, also after Ctrl-C, and ends the link."""
    try:
        if world.promises.open:
            await world.while_present(restored(world))
    except (Gone, *TRANSIENT, undo.NotRestored) as error:
        talk.say(f"The tag could not be restored: {in_words(error)}. Run jacquardctl certify again: it restores the tag first.")
    with contextlib.suppress(*TRANSIENT):
        await world.close()


async def adopted(world: World, serial: str) -> None:
    """Makes the bond one of this library, too."""
    from .experiments import bonding

    with contextlib.suppress(*TRANSIENT):
        await bonding.bind(world, serial)
