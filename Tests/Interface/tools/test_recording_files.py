"""Files that a replay refuses, and what a recording may contain."""

from __future__ import annotations

import contextlib
import re

import pytest
from jacquard_apps.recording.reader import BadRecording, read
from jacquardctl.recording.scenario import scenario

HEAD = '{"jacquard_recording": 1, "library": "0.1.0"}'


CONNECTED = '{"time": 1, "state": {"phase": "connected", "step": 14, "reason": null}}'


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["hello"],
        ["[]"],
        ["{}"],
        ['{"jacquard_recording": 2}'],
        [HEAD, "["],
        [HEAD, "7"],
        [HEAD, "[" * 60000],
        [HEAD, '{"notification": "00"}'],
        [HEAD, '{"time": "1", "notification": "00"}'],
        [HEAD, '{"time": true, "notification": "00"}'],
        [HEAD, '{"time": NaN, "notification": "00"}'],
        [HEAD, '{"time": 1e300, "notification": "00"}'],
        [HEAD, '{"time": 1' + "0" * 400 + ', "notification": "00"}'],
        [HEAD, '{"time": -1, "notification": "00"}'],
        [HEAD, CONNECTED, '{"time": 0.5, "notification": "00"}'],
        [HEAD, '{"time": 1}'],
        [HEAD, '{"time": 1, "notification": "00", "raw_value": "00"}'],
        [HEAD, '{"time": 1, "notification": ""}'],
        [HEAD, '{"time": 1, "notification": "0"}'],
        [HEAD, '{"time": 1, "notification": "00\\nbluetoothd kill"}'],
        [HEAD, '{"time": 1, "notification": "' + "00" * 1025 + '"}'],
        [HEAD, '{"time": 1, "notification": 7}'],
        [HEAD, '{"time": 1, "raw_value": "' + "00" * 513 + '"}'],
        [HEAD, '{"time": 1, "state": {}}'],
        [HEAD, '{"time": 1, "state": {"phase": "connected", "step": "1"}}'],
        [HEAD, '{"time": 1, "state": {"phase": "connected", "step": 1, "reason": 7}}'],
        [HEAD, '{"time": 1, "tag": {"name": "x", "firmware": [1, 2]}}'],
        [HEAD, '{"time": 1, "tag": {"name": "x", "firmware": [1, 2, 4294967296]}}'],
        [HEAD, '{"time": 1, "tag": {"name": 7, "firmware": [1, 2, 3]}}'],
        [HEAD, '{"time": 1, "found": {"serial": "a b"}}'],
        [HEAD, '{"time": 1, "found": {"serial": "01ZK\\nbattery 1"}}'],
        [HEAD, '{"time": 1, "found": []}'],
        [HEAD, '{"time": 1, "log": "' + "x" * 70000 + '"}'],
    ],
)
def test_a_file_that_is_not_a_recording_is_refused(lines: list[str]) -> None:
    with pytest.raises(BadRecording, match="line [0-9]+ of the recording"):
        read(lines)


def test_a_name_cannot_add_lines() -> None:
    for name in ("a\\nbluetoothd kill", "a # b", " a", "", "x" * 22, "a\\u2028b", "a\\tb", "\\ud800"):
        tag = f'{{"time": 1, "tag": {{"name": "{name}", "firmware": [1, 2, 3]}}}}'
        assert scenario(read([HEAD, tag, CONNECTED])) == ["serial 01ZK", "firmware 1.2.3", "mute on"]


def test_a_loss_without_a_reason_is_not_replayed() -> None:
    lost = '{"time": 2, "state": {"phase": "preparing", "step": 1}}'
    assert scenario(read([HEAD, CONNECTED, lost])) == ["serial 01ZK", "mute on"]


def test_a_damaged_recording_is_refused_or_played() -> None:
    """Any one of its words may be replaced."""
    lines = [HEAD, CONNECTED, '{"time": 2, "notification": "00"}', CONNECTED.replace("connected", "preparing"),
             '{"time": 3, "tag": {"name": "x", "firmware": [1, 2, 3]}}', '{"time": 3, "found": {"serial": "01ZK"}}']
    others = ["null", "true", "-1", "1e400", "NaN", "1" * 400, "[]", "{}", '""', '"\\ud800"', '"phase"', '{"code": {}}', ""]
    word = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+|null|[{}\[\],:]')
    for number, line in enumerate(lines):
        for found in word.finditer(line):
            for other in others:
                damaged = line[: found.start()] + other + line[found.end() :]
                with contextlib.suppress(BadRecording):
                    scenario(read([*lines[:number], damaged, *lines[number + 1 :]]))


def test_unknown_kinds_of_lines_are_ignored() -> None:
    assert scenario(read([HEAD, '{"time": 1, "weather": "fine"}'])) == ["serial 01ZK", "mute on"]


def test_simultaneous_events_keep_their_order() -> None:
    sent = [f'{{"time": 1, "notification": "0{number}"}}' for number in range(4)]
    lines = scenario(read([HEAD, *sent[:2], CONNECTED, *sent[2:]]))[2:]
    assert [line.split()[-1] for line in lines] == ["00", "01", "02", "03"]
    assert [line.split()[3] for line in lines] == ["0.000000s", "0.000001s", "0.000002s", "0.000003s"]


def test_link_counts_are_in_english() -> None:
    up_and_down = []
    for number in range(23):
        up_and_down.append(CONNECTED.replace('"time": 1', f'"time": {2 * number}'))
        up_and_down.append(f'{{"time": {2 * number + 0.5}, "notification": "00"}}')
        lost = '{"phase": "preparing", "step": 1, "reason": {"code": "connection_lost"}}'
        up_and_down.append(f'{{"time": {2 * number + 1}, "state": {lost}}}')
    words = [line.split()[2] for line in scenario(read([HEAD, *up_and_down])) if "packet" in line]
    assert words[:4] == ["1st", "2nd", "3rd", "4th"]
    assert words[10:13] == ["11th", "12th", "13th"]
    assert words[20:] == ["21st", "22nd", "23rd"]
