"""The motion module, and a recording that is made for this and erased again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import jacquard

from ..answer import Answer, Answers, Interrupted, Unsafe, evidence, unanswered
from ..undo import CONFIGURATION, MODULE, RECORDING
from ..wire import (
    ERASE_ONE,
    ERASED,
    LOADED,
    NOTIFICATION,
    RAW,
    RESPONSE,
    Packet,
    encoded,
    number_within,
    request,
    within,
)
from ..world import World
from .use import LATE, duration

MOTION_MODULE = 0x3D0BE753
TIMES = 3
REPORT = 8.0
RECORD = 10.0
# Below this, tags refuse to record.
ENOUGH_BATTERY = 50
ERASING = 75.0
# The recorder's statuses in responses.
IDLE, IS_ERASING = 0, 3
# The field of the report of the end.
ERROR_CODE = 3
BEFORE_ERASING = 0.2


async def load_report(world: World) -> Answers:
    module = await motion_module(world)
    if module is None:
        return {"load-report": unanswered("the tag has no motion module", "after", "before")}
    tag = await world.tag()
    if module.enabled:
        await check_idle(tag)
    world.promises.make(MODULE, module.enabled)
    seen, start = [], world.clock.now()
    for number in range(TIMES):
        if module.enabled or number:
            await tag.unload_module(module)
        await world.settle()
        asked = world.clock.now()
        await tag.load_module(module)
        order = await loading(world, asked)
        if order is None:
            return {"load-report": unanswered("the report of a loaded module was not seen", "after", "before")}
        seen.append(order)
    packets = [packet for packet in world.trace.since(start) if packet.channel == RESPONSE or packet.field(LOADED)]
    if len(set(seen)) > 1:
        return {"load-report": Answer(doubt=f"different each time: {', '.join(seen)}", evidence=evidence(packets, start))}
    return {"load-report": Answer(seen[0], evidence=evidence(packets, start))}


async def loading(world: World, asked: float) -> str | None:
    """When the report came: before or after the response; None if one of them is missing."""

    def seen() -> list[bool]:
        """Whether each was the response."""
        return [
            packet.channel == RESPONSE
            for packet in world.trace.since(asked)
            if packet.channel == RESPONSE and packet.status == 0 or packet.field(LOADED) is not None
        ]

    await world.trace.until(lambda: len(set(seen())) == 2, REPORT)
    order = seen()
    return None if len(set(order)) < 2 else "after" if order[0] else "before"


async def motion_module(world: World) -> jacquard.Module | None:
    modules = await (await world.tag()).modules()
    return next((module for module in modules if module.module_id == MOTION_MODULE), None)


async def check_idle(tag: jacquard.Tag) -> None:
    status = await tag.motion_status()
    if status.activity is not jacquard.MotionActivity.IDLE:
        raise Unsafe(f"the tag is busy: {status.text}")


async def stop_own(tag: jacquard.Tag) -> None:
    """Ends the recording that an interrupted attempt has left."""
    if (await tag.motion_status()).activity is jacquard.MotionActivity.RECORDING:
        await tag.stop_motion()


async def recording(world: World) -> Answers:
    names = ("motion erase-response", "motion erase-time", "packet-numbers")
    module = await motion_module(world)
    if module is None:
        return {name: unanswered("the tag has no motion module") for name in names}
    if world.battery is None or world.battery.percent < ENOUGH_BATTERY:
        return {name: unanswered(f"the battery is below {ENOUGH_BATTERY} %") for name in names}
    await world.renew()
    session = await recorded(world, module)
    # An experiment that is repeated after a lost link continues: all of it may take longer than the tag keeps a link.
    if "packet-numbers" not in world.answers:
        await world.renew()
        world.answers.update(await downloads(world, session))
    await world.renew()
    return {"packet-numbers": world.answers["packet-numbers"], **await erased(world, session)}


async def recorded(world: World, module: jacquard.Module) -> jacquard.Session:
    """Records for ten seconds, unless an interrupted experiment has done so."""
    tag = await world.tag()
    if module.enabled and RECORDING not in world.promises.open:
        await check_idle(tag)
    world.promises.make(MODULE, module.enabled)
    await tag.prepare_motion()
    if RECORDING in world.promises.open:
        await stop_own(tag)
    await check_idle(tag)
    world.promises.make(CONFIGURATION, (await world.configuration()).hex())
    name = str(world.promises.open.get(RECORDING, ""))
    if name:
        found = [one for one in await tag.sessions() if one.name == name]
        if found:
            return found[0]
    name = name or new_name()
    world.promises.make(RECORDING, name)
    await tag.start_recording(name)
    await world.clock.sleep(RECORD)
    await tag.stop_motion()
    found = [one for one in await tag.sessions() if one.name == name]
    if not found:
        raise Interrupted("the recording is not listed")
    return found[0]


def new_name() -> str:
    """A name that no owner chooses."""
    import secrets

    return f"certify-{secrets.token_hex(6)}"


async def downloads(world: World, session: jacquard.Session) -> Answers:
    start = world.clock.now()
    first, second = [await downloaded(world, session) for _ in range(2)]
    # The number after the last one can be 0 by chance.
    if numbers(first)[-1] == 255:
        first, second = second, await downloaded(world, session)
    value = order(numbers(first), numbers(second))
    shown = evidence([*first[:1], *first[-1:], *second[:1]], start)
    if value is None:
        return {"packet-numbers": Answer(doubt="the numbers follow neither rule", evidence=shown)}
    return {"packet-numbers": Answer(value, evidence=shown)}


def numbers(packets: list[Packet]) -> list[int]:
    return [packet.data[0] for packet in packets]


def order(first: list[int], second: list[int]) -> str | None:
    follows = second[0] == (first[-1] + 1) % 256
    starts_again = second[0] == first[0] == 0
    if follows == starts_again:
        return None
    return "continue" if follows else "restart"


async def downloaded(world: World, session: jacquard.Session) -> list[Packet]:
    """The raw data packets of a download."""
    await world.tag()
    await world.settle()
    start = world.clock.now()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recording")
        await (await world.connection()).download(session, path)
        if path.stat().st_size != session.size:
            raise Interrupted("the download is incomplete")
    await world.settle()
    # Responses to acknowledgements have the length 2.
    packets = [packet for packet in world.trace.since(start, RAW) if len(packet.data) > 2]
    if not packets:
        raise Interrupted("no raw data packets were seen")
    return packets


async def erased(world: World, session: jacquard.Session) -> Answers:
    tag = await world.tag()
    await check_idle(tag)
    names = (session.campaign, session.group, session.name, session.product, session.subject)
    which = encoded(*((number, name.encode()) for number, name in enumerate(names, 1)))
    world.stood_still = 0.0
    before = await response_time(world)
    await world.settle()
    start = world.clock.now()
    try:
        response = await tag.send_request(request(9, 6, (ERASE_ONE, which)), timeout=world.clock.real(ERASING) + LATE)
    except jacquard.TimeoutError:
        return failed("the tag did not respond to an erase request")

    def responses() -> list[Packet]:
        return [packet for packet in world.trace.since(start, RESPONSE) if packet.data == response]

    # The library may have read the signal earlier.
    responded = next(iter(await world.trace.until(responses, LATE)), None)
    if within(response, 2) != 0 or responded is None:
        return failed("the tag refused to erase its recording")
    content = within(response, ERASE_ONE)
    status = number_within(content, 1)

    def reports() -> list[Packet]:
        return [packet for packet in world.trace.since(start, NOTIFICATION) if packet.field(ERASED) is not None]

    losses = world.trace.losses
    await world.trace.until(lambda: reports() or world.trace.losses > losses, ERASING)
    if world.trace.losses > losses:
        raise Interrupted("the link was lost while the tag erased")
    times = (before, await response_time(world))
    world.check_steady(world.clock.now() - start)
    return judged(start, responded, status, reports(), times)


async def response_time(world: World) -> float:
    """How long the tag takes to respond to a request that it can answer at once."""
    await world.settle()
    start = world.clock.now()
    await (await world.tag()).motion_status()
    return world.clock.now() - start


def judged(
    start: float, responded: Packet, status: int | None, reports: list[Packet], times: tuple[float, float]
) -> Answers:
    """times: how long the tag took to respond before and after that."""
    shown = evidence(sorted([responded, *reports], key=lambda packet: packet.last), start)
    code = number_within(reports[0].field(ERASED), ERROR_CODE) if reports else None
    if code:
        return failed(f"the tag reported error {code}")
    delay, spread = sum(times) / 2, abs(times[0] - times[1])
    took = responded.last - start - delay
    ended = reports[0].last - start if reports else None
    is_early = took <= BEFORE_ERASING + delay / 2 if ended is None or ended <= took + delay else True
    value = {IDLE: "end", IS_ERASING: "start", None: "unstated" if is_early else None}.get(status)
    answers = {"motion erase-response": Answer(value, evidence=shown)}
    if value is None:
        text = f"the response had the status {status}" if status is not None else "the response had no status, and came late"
        answers["motion erase-response"].doubt = text
    time = took if value == "end" else ended
    if time is None:
        answers["motion erase-time"] = Answer(doubt="the tag did not report the end", evidence=shown)
    elif value == "end" and time < 2 * spread:
        answers["motion erase-time"] = Answer(doubt="the tag's response times differ too much", evidence=shown)
    else:
        measured = {"seconds": time, "response": responded.last - start}
        answers["motion erase-time"] = Answer(duration(time), evidence=shown, measured=measured)
    return answers


def failed(doubt: str) -> Answers:
    return {"motion erase-response": unanswered(doubt), "motion erase-time": unanswered(doubt)}
