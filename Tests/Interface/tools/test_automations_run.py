"""jacquardctl run with a software tag."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator
from waiting import elapse, until

TEAL = "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"


@pytest.fixture(name="rules")
def rules_fixture(tmp_path: Path) -> Path:
    return tmp_path / "rules" / "automations.toml"


def write(path: Path, *rules: str) -> None:
    """Replaces the file, as editors do."""
    path.parent.mkdir(exist_ok=True)
    (path.parent / "new").write_text("\n".join(f"[[on]]\n{rule}\n" for rule in rules))
    (path.parent / "new").replace(path)


class Program(ctl.Running):
    """jacquardctl run, connected: a rule of its own says so."""

    def __init__(self, tag: Simulator, path: Path, *rules: str, words: tuple[str, ...] = (), **options: Any) -> None:
        write(path, 'connected_for = 0\ndo = { run = ["true"] }', *rules)
        super().__init__(tag, "run", str(path), *words, **options)
        self.until(event="connected")

    def complaint(self) -> str:
        assert self.process.stderr
        with ctl.limited(self.process):
            return str(self.process.stderr.readline())

    def until_repeated(self, tag: Simulator, command: str, **members: object) -> dict[str, Any]:
        """Repeats a command to the software tag, because a pause of the machine changes a stroke."""
        ran: list[dict[str, Any]] = []
        reading = threading.Thread(target=lambda: ran.extend(self.until(**members)))
        reading.start()
        while reading.is_alive():
            tag.tell(command)
            reading.join(5)
        return ran[-1]

    @contextlib.contextmanager
    def absent(self, seconds: float) -> Iterator[None]:
        """Stops it until everything in the block is at least this old."""
        self.process.send_signal(signal.SIGSTOP)
        yield
        elapse(seconds)  # the age
        self.process.send_signal(signal.SIGCONT)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)


def wait_for(path: Path) -> str:
    """The text of a file, as soon as it has a complete line."""

    def complete() -> str:
        text = path.read_text() if path.exists() else ""
        return text if text.endswith("\n") else ""

    return until(complete)


def has_ended(process: int) -> bool:
    """Whether it has ended, also if no one has read its status yet."""
    try:
        return (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def test_a_command_has_arguments_environment_and_json(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    out, text = tmp_path / "out", tmp_path / "json"
    script = f'echo "$#" "$1" "$JACQUARD_GESTURE" "$JACQUARD_GESTURE_NUMBER" "$JACQUARD_SERIAL" >{out}; cat >{text}'
    rule = f"name = 'n'\ngesture = 'cover'\ndo = {{ run = ['sh', '-c', '''{script}''', 'sh', '$HOME; *'] }}"
    with Program(tag, rules, rule) as program:
        tag.tell("gesture cover")
        (*_, ran) = program.until(gesture="cover")
        assert wait_for(out) == "1 $HOME; * cover 7 0000AAAAA001ZK\n"
        described = json.loads(wait_for(text))
        assert {**described, **{key: ran[key] for key in ("rule", "event", "gesture", "gesture_number", "serial")}} == described
        assert (described["rule"], described["tag"], described["name"]) == ("n", ran["identifier"], "Jacquard-01ZK")
        assert program.end() == 128 + signal.SIGTERM


def test_light_is_an_answer(tag: Simulator, rules: Path) -> None:
    rule = "gesture = 'double-tap'\ndo = [{ led = 'teal --gear' }, { led = 'teal' }]"
    with Program(tag, rules, rule) as program:
        tag.tell("gesture double-tap")
        program.until(action='led = "teal"')
        assert tag.tell("journal lights") == TEAL
        # Levi's jacket has no light.
        assert program.complaint().startswith('jacquardctl: double-tap (line 5): led = "teal --gear": ')


def test_commands_end_with_the_time_limit_and_with_the_program(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    limited = "gesture = 'cover'\ndo = { shell = 'sleep 1000', time_limit = 0.2 }"
    child = tmp_path / "child"
    endless = f"gesture = 'brush-in'\ndo = {{ shell = 'sleep 1000 & echo $! >{child}; wait' }}"
    with Program(tag, rules, limited, endless) as program:
        tag.tell("gesture cover")
        assert program.complaint().endswith(': shell = "sleep 1000", time_limit = 0.2: was ended after 0.2 seconds\n')
        tag.tell("gesture brush-in")
        process = int(wait_for(child))
        program.end()
        assert has_ended(process)


def test_the_end_of_the_program_is_not_the_loss_of_a_link(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    lost = tmp_path / "lost"
    # A command that has been started is not ended before it has written the file.
    rule = f"away_for = 0\ndo = {{ shell = 'trap \"\" TERM; echo >{lost}' }}"
    with Program(tag, rules, rule) as program:
        assert program.end() == 128 + signal.SIGTERM
    assert not lost.exists()


def test_the_number_of_commands_is_limited(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    rule = f"gesture = 'any'\ndo = {{ shell = 'echo >>{started}; exec sleep 1000' }}\n[settings]\nparallel = 2\n"
    with Program(tag, rules, rule) as program:
        # Equal gestures at the same time may be copies.
        for gesture in ("cover", "brush-in", "brush-out", "double-tap"):
            tag.tell(f"gesture {gesture}")
        program.until(gesture="brush-in")
        until(lambda: started.exists() and started.read_text() == "\n\n")
        assert program.end() == 128 + signal.SIGTERM
        assert started.read_text() == "\n\n"


def test_failing_commands_are_reported_once(tag: Simulator, rules: Path) -> None:
    missing = "name = 'a'\ngesture = 'any'\ndo = { run = ['/nonexistent/program'] }"
    failing = "name = 'b'\ngesture = 'any'\ndo = { run = ['false'] }"
    with Program(tag, rules, missing, failing) as program:
        for gesture in ("cover", "brush-in", "brush-out"):
            tag.tell(f"gesture {gesture}")
            program.until(gesture=gesture)
        said = {program.complaint(), program.complaint()}
        program.end()
        assert program.process.stderr and program.process.stderr.read() == ""
        missing = "the program /nonexistent/program was not found, or cannot be executed"
        assert said == {
            f'jacquardctl: {rules}:5: run = ["/nonexistent/program"]: {missing}\n',
            'jacquardctl: b: run = ["false"]: ended with status 1\n',
        }


def test_a_changed_file_is_read_again_and_the_link_is_kept(tag: Simulator, rules: Path) -> None:
    with Program(tag, rules, "gesture = 'cover'\ndo = { led = 'teal' }") as program:
        write(rules, "gesture = 'cover'\ndo = { led = 'taupe' }")
        assert program.complaint().startswith(f"jacquardctl: {rules}:3: [[on]] number 1, key do.led: argument COLOR: 'taupe'")
        assert program.complaint() == f"jacquardctl: {rules}: the previous rules stay in effect\n"
        # One problem is one line, whatever is in the file.
        write(rules, """gesture = 'cover'\n"two\\nlines" = 1\ndo = { led = 'teal' }""")
        assert "key two\N{REPLACEMENT CHARACTER}lines: unknown key" in program.complaint()
        assert program.complaint() == f"jacquardctl: {rules}: the previous rules stay in effect\n"
        tag.tell("gesture cover")
        program.until(action='led = "teal"')
        write(rules, "name = 'new'\ngesture = 'brush-in'\ndo = { led = 'red' }")
        until(
            lambda: tag.tell("journal lights").endswith("255,0,0:2000"),
            meanwhile=lambda: tag.tell("gesture brush-in"),
            period=0.05,
        )
        tag.tell("gesture cover")
        tag.tell("gesture brush-in")
        assert {ran["rule"] for ran in program.until(rule="new", gesture="brush-in")} == {"new"}
        assert tag.tell("stats").split()[1] == "links=1"


def test_a_lost_link_repeats_nothing(tag: Simulator, rules: Path) -> None:
    """Gear that is reported again was not attached again, and no gesture runs twice."""
    gear = [f"gear = '{change}'\ndo = {{ run = ['true'] }}" for change in ("attached", "detached")]
    with Program(tag, rules, "gesture = 'any'\ndo = { run = ['true'] }", *gear) as program:
        tag.tell("gesture cover")
        program.until(gesture="cover")
        tag.tell("drop link")
        events = program.until(event="connected")
        tag.tell("gesture brush-in")
        events += program.until(gesture="brush-in")
        tag.tell("gear detach")
        events += program.until(gear="detached")
        tag.tell("gear attach levis-trucker")
        events += program.until(gear="attached")
        assert [event["link"] for event in events if "link" in event] == ["away", "connected"]
        events = [event for event in events if "event" in event]
        kinds = [event.get("gesture") or event.get("gear") for event in events if event["event"] != "connected"]
        assert kinds == ["brush-in", "detached", "attached"]


def test_a_bond_that_may_be_lost_is_reported_and_the_tag_is_still_awaited(tag: Simulator, rules: Path) -> None:
    with Program(tag, rules) as program:
        tag.tell("connect drops 4 times")
        tag.tell("drop link")
        complaint = program.complaint()
        assert "The tag may have lost its bond with this machine." in complaint and "bind it again" in complaint and ". Advice: " in complaint
        program.until(event="connected")


def test_a_gesture_that_waited_in_the_service_runs_nothing(tag: Simulator, rules: Path) -> None:
    with Program(tag, rules, "gesture = 'any'\ndo = { run = ['true'] }") as program:
        # The age at which a gesture is too old, and time for the service to receive it.
        with program.absent(3):
            tag.tell("gesture cover")
        assert program.complaint().endswith("not run for an event that is more than 1 second old\n")
        tag.tell("gesture brush-in")
        ran = program.until(gesture="brush-in")
        assert [each["gesture"] for each in ran if "gesture" in each] == ["brush-in"]


def test_touches_that_waited_in_the_service_run_nothing(tag: Simulator, rules: Path) -> None:
    """They are made while the program is stopped, and keep their durations until it reads them."""
    made = ["gesture = 'double-tap'", "touch = 'swipe-in'", "fader = 'relative'"]
    with Program(tag, rules, *(f"{event}\ndo = {{ run = ['true'] }}" for event in made)) as program:
        tag.wait_for_touch_mode()
        # The longest strokes of a person, the age at which the second one is too old, and time for the service to receive it.
        with program.absent(2 + 2 + 3):
            tag.tell("stroke double-tap")
            tag.tell("at 2s stroke swipe-in")
        complaints = {program.complaint() for _ in made}
        late = "not run for an event that is more than 1 second old\n"
        lines = {f"{name} (line {line}): {late}" for name, line in (("double-tap", 5), ("touch swipe-in", 9), ("relative fader", 13))}
        assert {text.removeprefix("jacquardctl: ") for text in complaints} == lines
        tag.tell("stroke double-tap")
        ran = program.until(event="gesture")
        # The finger moves while it taps, by less than a swipe.
        assert [each["event"] for each in ran if each["event"] != "fader"] == ["gesture"]
        assert all(abs(each["change"]) == 1 for each in ran if each["event"] == "fader")


def test_a_tag_is_used_as_soon_as_it_is_bound(
    simulator: Simulator, rules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write(rules, "connected_for = 0\ntag = '01ZK'\ndo = { run = ['true'] }")
    with ctl.Running(simulator, "run", str(rules)) as program:
        assert program.process.stderr
        wanted = "jacquardctl: no tag 01ZK is bound to this machine: see jacquardctl bind\n"
        assert program.process.stderr.readline() == wanted
        assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
        events = program.until(event="connected")
        assert [event["link"] for event in events if "link" in event] == ["connecting", "connected"]
