"""How a tag pairs. The only experiment whose result stays: a bond, which the person has agreed to."""

from __future__ import annotations

import contextlib

import jacquard
from jacquard_apps.system.together import within

from ..answer import Answer, Answers, Interrupted
from ..bus import BLUEZ, CallFailed
from ..world import CONNECTING, World

AGENT, AGENTS, PATH = "org.bluez.Agent1", "org.bluez.AgentManager1", "/org/bluez"
OURS = "/jacquard/certify"
MEANINGS = {
    "RequestConfirmation": "confirmation",
    "RequestAuthorization": "authorization",
    "RequestPinCode": "pin",
    "DisplayPinCode": "pin",
    "RequestPasskey": "passkey",
    "DisplayPasskey": "passkey",
}
# A tag has no keys and no display, so these can be answered only by yes.
HARMLESS = ("RequestConfirmation", "RequestAuthorization")


async def pairing(world: World) -> Answers:
    asked: list[str] = []

    def accepts(member: str) -> bool:
        asked.append(member)
        return member in HARMLESS

    world.bus.answer_agent(AGENT, accepts)
    async with world.by_hand(needs_services=False) as link:
        await world.bus.call(BLUEZ, PATH, AGENTS, "RegisterAgent", "os", [OURS, "KeyboardDisplay"])
        try:
            await world.bus.call(BLUEZ, world.device, "org.bluez.Device1", "Pair")
            problem = ""
        except CallFailed as failed:
            problem = failed.name
        finally:
            with contextlib.suppress(Interrupted):
                await world.bus.call(BLUEZ, PATH, AGENTS, "UnregisterAgent", "o", [OURS])
        properties = {} if link.is_lost else await world.bus.properties(world.device)
    values = {MEANINGS[one] for one in asked if one in MEANINGS}
    is_paired = bool(properties.get("Paired"))
    return {"pairing": judged(values, problem, is_paired, properties.get("Bonded") is True)}


def judged(values: set[str], problem: str, is_paired: bool, is_bonded: bool) -> Answer:
    measured = {"paired": float(is_paired), "bonded": float(is_bonded)}
    if len(values) > 1:
        return Answer(doubt=f"bluetoothd asked for {', '.join(sorted(values))}", measured=measured)
    if not values and not is_paired:
        return Answer(doubt=f"the tag did not pair: {problem or 'the link was lost'}", measured=measured)
    return Answer(values.pop() if values else "nothing", measured=measured)


async def bind(world: World, serial: str) -> None:
    """Makes the tag known on this computer, with the bond that it has now."""
    await world.close()
    async with world.manager.bind(code=serial, timeout=CONNECTING) as connection:
        tag: jacquard.Tag = await within(CONNECTING, connection.tag())
        world.identifier, world.info = tag.info.identifier, tag.info
