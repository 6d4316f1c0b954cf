"""Experiments on links that are set up step by step."""

from __future__ import annotations

import dataclasses

from ..answer import Answer, Answers, Interrupted, evidence, unanswered
from ..link import Link
from ..wire import BATTERY, CONFIGURATION, NOTIFICATION, RAW, RESPONSE, encoded
from ..world import BEGUN, CONFIGURED, SUBSCRIBED, World, is_greeting
from .use import duration

PAUSE, MARGIN = 1.2, 0.3
# How often each step is done. It is done fewer times with a tag this slow, because links may end after 45 s.
TIMES, FEWER, SLOW = 3, 2, 1.0
OBSERVED = 60.0
# Two links that end after the same time differ by less.
SAME = 0.1
INVALID_STATE = 7
# notif_queue_depth of the link, as each program sets it.
QUEUE_FIELD, QUEUE = 10, 14
HELLO, BEGIN, CONFIGURE, BATTERY_REQUEST = (0, 1), (0, 2), (0, 11), (0, 23)


@dataclasses.dataclass
class Greetings:
    """Whether the tag greeted, for each moment and each time that it occurred."""

    seen: dict[str, list[bool]]
    # Whether it accepted hello and begin once more; None: neither this nor the refusal is certain.
    accepts_again: bool | None = None


async def greeting(world: World) -> Answers:
    start = world.clock.now()
    slowest = latency(world)
    pause = PAUSE + 1.3 * slowest
    ordinary = world.ordinary_greeting
    async with world.by_hand() as link:
        found = await set_up_slowly(link, pause, TIMES if slowest < SLOW else FEWER)
    if link.slowest > pause - MARGIN:
        raise Interrupted("the tag responds too slowly")
    packets = [packet for packet in world.trace.since(start) if packet.channel != RAW]
    shown = evidence(packets, start)
    answers = {"greeting": judged(found, ordinary), "second-hello": Answer()}
    again = found.accepts_again
    answers["second-hello"] = (
        unanswered("the responses were neither those of a tag that accepts nor of one that refuses")
        if again is None
        else Answer("accepted" if again else "refused")
    )
    for answer in answers.values():
        answer.evidence = shown
    return answers


def latency(world: World) -> float:
    """How long the tag takes to respond, if that is known."""
    return world.answers["latency"].measured.get("greatest", SLOW) if "latency" in world.answers else SLOW


async def set_up_slowly(link: Link, pause: float, times: int) -> Greetings:
    found = Greetings({SUBSCRIBED: [], BEGUN: [], CONFIGURED: []})

    async def moment(name: str, start: float) -> None:
        await link.wait(pause)
        greeted = any(is_greeting(packet) for packet in link.trace.since(start, NOTIFICATION))
        found.seen[name].append(greeted)

    for repetition in range(times):
        if repetition:
            await link.notify(NOTIFICATION, on=False)
        start = link.trace.clock.now()
        await link.notify(NOTIFICATION)
        await moment(SUBSCRIBED, start)
    await link.notify(RESPONSE)
    await link.notify(RAW)
    statuses = []
    for repetition in range(times):
        start = link.trace.clock.now()
        hello = await link.ask(*HELLO)
        begin = await link.ask(*BEGIN, (101, encoded((1, 2))))
        statuses.append((hello.status, begin.status))
        if repetition == 0 and statuses != [(0, 0)]:
            raise Interrupted("the tag refused hello or begin")
        await moment(BEGUN, start)
        start = link.trace.clock.now()
        written = await link.ask(*CONFIGURE, (CONFIGURATION, encoded((2, encoded((QUEUE_FIELD, QUEUE))))))
        if written.status != 0:
            raise Interrupted("the tag refused its configuration")
        await moment(CONFIGURED, start)
    works = (await link.ask(*BATTERY_REQUEST, (BATTERY, encoded((1, 1), (2, 1))))).status == 0
    if works and set(statuses[1:]) == {(0, 0)}:
        found.accepts_again = True
    elif works and set(statuses[1:]) == {(INVALID_STATE, INVALID_STATE)}:
        found.accepts_again = False
    return found


def judged(found: Greetings, ordinary: str | None) -> Answer:
    moments = [name for name, seen in found.seen.items() if any(seen)]
    measured = {f"{name} {number}": float(one) for name, seen in found.seen.items() for number, one in enumerate(seen, 1)}
    if len(moments) != 1 or not found.seen[moments[0]][0]:
        return Answer(doubt=f"battery and gear were reported at {len(moments)} moments", measured=measured)
    name = moments[0]
    if ordinary is not None and ordinary != name:
        return Answer(doubt=f"on an ordinary link they came at another moment: {ordinary}", measured=measured)
    later = found.seen[name][1:]
    if name != SUBSCRIBED and found.accepts_again is not True:
        doubt = "the tag does not accept begin again on a link, so the moment occurs once"
        return Answer(doubt=doubt, candidates=[name, f"{name} once"], measured=measured)
    if all(later):
        return Answer(name, measured=measured)
    if not any(later):
        return Answer(f"{name} once", measured=measured)
    return Answer(doubt="the tag greeted again only sometimes", candidates=[name, f"{name} once"], measured=measured)


async def link_time(world: World) -> Answers:
    """Sets up a link, and sends nothing on it."""
    times: list[float] = []
    for _ in range(2):
        async with world.by_hand() as link:
            await link.notify_all()
            await world.trace.until(lambda: link.is_lost, OBSERVED - (world.clock.now() - link.started))
            # However late bluetoothd is, it has signalled by now that the link ended before.
            await world.settle()
            if not link.is_lost:
                measured = {"observed": world.clock.now() - link.started}
                return {"link-time": Answer("unlimited", measured=measured) if not times else contradiction(times)}
            times.append(world.trace.links[-1].time - link.started)
            reason = world.trace.links[-1].reason
    world.check_steady(min(times))
    measured = {"first": times[0], "second": times[1]}
    if abs(times[0] - times[1]) > SAME * max(times) + 0.2 * world.clock.scale:
        return {"link-time": Answer(doubt="two links ended after different times", measured=measured)}
    if reason and "remote" not in reason.lower():
        return {"link-time": Answer(doubt=f"the links ended, but not by the tag: {reason}", measured=measured)}
    return {"link-time": Answer(duration(sum(times) / 2), measured=measured)}


def contradiction(times: list[float]) -> Answer:
    return Answer(doubt=f"one link ended after {times[0]:.1f} s, and the next did not", measured={"first": times[0]})

