"""Programs that attack a service, four at a time, beside an honest program that uses a tag through it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_fixtures import world  # noqa: F401 (first: it finds the others)

# isort: split
from attacker import ATTACKS
from field import Field
from invariants import LATENCY, RETURN, is_busy, within
from sharing_fixtures import program  # noqa: F401
from simulator import Simulator

MESSAGES = int(os.environ.get("JACQUARD_HOSTILE_MESSAGES", "1000"))


@pytest.fixture(scope="module")
def field(program: Path, world: Simulator) -> Iterator[Field]:  # noqa: F811
    made = Field(program, world)
    yield made
    made.close()


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack != "noise"])
def test_programs_harm_no_one(field: Field, attack: str) -> None:
    was_busy = is_busy()
    latency = field.attacked(attack)
    if latency >= LATENCY and was_busy and "JACQUARD_HOSTILE_LATENCY" not in os.environ:
        pytest.skip(f"the latency is {latency * 1e3:.0f} ms; it is judged only on a machine that is not busy with other things")
    assert latency < LATENCY, "an attack delays the commands of others"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs of other users")
def test_a_program_without_rights_touches_no_other_device(field: Field) -> None:
    """It can use nothing but the socket. JACQUARD_HOSTILE_MESSAGES is the number of its messages."""
    with field.attackers("noise", user=65534, count=MESSAGES // 4) as attackers:
        for each in attackers:
            assert each.stdout and each.stdout.read().endswith("done\n")
    # A member may use the tag, and even unbind it.
    within(RETURN, lambda: field.honest.is_connected)
    field.check()
