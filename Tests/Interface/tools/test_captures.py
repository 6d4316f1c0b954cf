"""The output in docs/jacquardctl.md matches the current output of the tool, except for times, signal strengths and
similar values."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re

import places
import pytest

_loader = importlib.machinery.SourceFileLoader("capture", str(places.ROOT / "docs" / "capture"))
_specification = importlib.util.spec_from_loader("capture", _loader)
assert _specification
capture = importlib.util.module_from_spec(_specification)
_loader.exec_module(capture)

BLOCKS = capture.BLOCK.findall(capture.PAGE.read_text())
VARYING = [
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+"), "DATE"),
    (re.compile(r"\d\d:\d\d:\d\d "), "TIME "),
    (re.compile(r" -\d\d "), " RSSI "),
    # The version of the installed bluetoothd, if any.
    (re.compile(r"^✓ bluetoothd .*\n", re.MULTILINE), ""),
    (re.compile(r"jacquardd \(\d+\)"), "SERVICE"),
    (re.compile(r"libjacquard [\d.]+, \S+"), "LIBRARY"),
    # The final position of the finger.
    (re.compile(r"[█·]{40}"), "BAR"),
    (re.compile(r"BAR +\d+"), "BAR STRENGTH"),
    (re.compile(r"sequence \d+"), "SEQUENCE"),
]


def unvarying(text: str) -> str:
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[2])
def test_a_captured_block(block: tuple[str, str, str, str]) -> None:
    _, world, command, shown = block
    assert unvarying(capture.output(world, command)) == unvarying(shown), "run: docs/capture"


def test_scan_watch_touch_and_doctor_are_shown() -> None:
    assert {command.split()[1] for _, _, command, _ in BLOCKS} == {"scan", "watch", "touch", "doctor"}
    assert all(shown for _, _, _, shown in BLOCKS)
