"""$JACQUARD_LOG turns the log on in a program without a callback for it."""

import re

import pytest
from conftest import ROOT, SIMULATOR, build, run

LINE = re.compile(r"jacquard: (warning|info|debug): (bus|bluez|scan|link|wire|state): .+")


@pytest.fixture(scope="module")
def battery(tmp_path_factory):
    return build(ROOT / "bindings/c/examples/battery.c", tmp_path_factory.mktemp("log") / "battery")


def levels(battery, value):
    """The levels of the messages on standard error."""
    ran = run([SIMULATOR, "run", "--", battery], env={} if value is None else {"JACQUARD_LOG": value})
    assert ran.returncode == 0 and ran.stdout.splitlines()[-1].endswith("battery 80%")
    return {LINE.fullmatch(line)[1] for line in ran.stderr.splitlines()}


@pytest.mark.parametrize("value, expected", [("debug", {"info", "debug"}), ("info", {"info"}), ("warning", set())])
def test_messages_up_to_the_level_are_written_to_standard_error(battery, value, expected):
    assert levels(battery, value) == expected


@pytest.mark.parametrize("value", [None, "", "loud", "\n"])
def test_nothing_is_written_without_a_level(battery, value):
    assert levels(battery, value) == set()
