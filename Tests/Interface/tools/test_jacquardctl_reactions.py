"""jacquardctl watch: what happens at gestures."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import ctl
import pytest
from jacquard import Gesture, GestureType, Haptic, Led
from jacquard_apps.tags.target import Target
from jacquard_apps.terminal import exits
from jacquard_automations.actions.command import Command
from jacquard_automations.actions.effect import Effect
from jacquard_automations.age import OLDEST, boottime
from jacquard_automations.reactions import MOST, Reaction, Reactions
from jacquardctl.parser import parsed
from simulator import SERIAL, Simulator
from waiting import turn, until

BACKPACK = "gear attach saint-laurent-backpack component 77"
TEAL = "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"


def reactions(*words: str) -> list[Reaction]:
    arguments = parsed(["watch", *words])
    found: list[Reaction] = arguments.on
    return found


def journal(simulator: Simulator, page: str) -> list[str]:
    text = simulator.tell(f"journal {page}")
    return text.split("; ") if text else []


def complaints(watch: ctl.Running, count: int) -> list[str]:
    assert watch.process.stderr
    return [watch.process.stderr.readline() for _ in range(count)]


# The command line


def test_each_action_belongs_to_the_gesture_before_it() -> None:
    found = reactions(SERIAL, "--on", "brush-in", "true", "--led", "teal", "--on", "7", "--haptic", "alert", "--led", "off")
    assert [(reaction.gesture, [action.text for action in reaction.actions]) for reaction in found] == [
        ("brush-in", ["true", "--led teal"]),
        ("7", ["--haptic alert", "--led off"]),
    ]
    assert [type(written.action) for written in found[0].actions] == [Command, Effect]


def test_effects_have_the_arguments_of_their_commands() -> None:
    (reaction,) = reactions(
        *("--on", "cover", "--led", "teal:0.3 red --intensity 50 --gear", "--haptic", "--on 0.2 --repeats 2"),
        *("--led", "--pattern blink '#010203'"),
    )
    first, second, third = (written.action for written in reaction.actions)
    assert isinstance(first, Effect) and isinstance(first.effect, Led) and first.is_on_gear
    assert [(frame.color, frame.duration) for frame in first.effect.frames] == [("teal", 0.3), ("red", 0.5)]
    assert first.effect.intensity == 50
    assert isinstance(second, Effect) and second.effect == Haptic(on=0.2, repeats=2) and second.is_on_gear
    assert isinstance(third, Effect) and third.effect == Led.blink("#010203", 2) and not third.is_on_gear


def test_the_same_gesture_may_be_named_twice() -> None:
    assert len(reactions("--on", "cover", "true", "--on", "cover", "--led", "red")) == 2


@pytest.mark.parametrize("words", [["--on", "cover", "true", SERIAL], ["--on", "cover", "--led", "red", SERIAL]])
def test_the_tag_may_follow_the_options(words: list[str]) -> None:
    assert parsed(["watch", *words]).tag == [SERIAL]
    assert parsed(["watch", *words, "T001"]).tag == [SERIAL, "T001"]


@pytest.mark.parametrize(
    "words, reason",
    [
        (["--on", "cover"], "--on cover needs a COMMAND, --led, --haptic or --do."),
        (["--on", "cover", "--for", "1"], "--on cover needs a COMMAND, --led, --haptic or --do."),
        (["--on", "cover", "--on", "7", "true"], "--on cover needs a COMMAND, --led, --haptic or --do."),
        (["--led", "teal"], "argument --led: must follow --on GESTURE"),
        (["--haptic", "alert", "--on", "cover"], "argument --haptic: must follow --on GESTURE"),
        (["--on", "wave", "--led", "teal"], "argument --on: 'wave' is neither a number nor one of"),
        (["--on", "cover", "--led", "taupe"], "argument --led: argument COLOR: 'taupe' is neither"),
        (["--on", "cover", "--led", ""], "argument --led: the following arguments are required: COLOR"),
        (["--on", "cover", "--led", "'red"], "argument --led: \"'red\": No closing quotation"),
        (["--on", "cover", "--led", "red off"], "argument --led: off cannot be combined with other colours"),
        (["--on", "cover", "--led", "red --intensity 0"], "argument --led: argument --intensity: 0 is out of range"),
        (["--on", "cover", "--led", "red --loud"], "argument --led: unrecognized arguments: --loud"),
        (["--on", "cover", "--haptic", "boom"], "argument --haptic: argument SYMBOL: invalid choice"),
        (["--on", "cover", "--haptic", ""], "argument --haptic: Specify what to play"),
        (["--on", "cover", "--haptic", "alert --on 1"], "argument --haptic: Use either alert or options, not both."),
        (["--on", "cover", "--haptic", "--on 66"], "argument --haptic: argument --on: 66.0 is out of range"),
        (["--do", "media = 'next'", "--on", "cover"], "argument --do: must follow --on GESTURE"),
        (["--on", "cover", "--do", ""], "argument --do: the action is missing; expected run, shell, led,"),
        (["--on", "cover", "--do", "media = 'nxt'"], "argument --do: 'nxt' is not one of next, previous"),
        (["--on", "cover", "--do", "media = next"], "argument --do: Invalid value"),
        (["--on", "cover", "--do", "led = 'red' }\nx = { y = 1"], "argument --do: this is more than one action"),
        (["--on", "cover", "--haptic", "--on 1 --repeats 256"], "argument --haptic: argument --repeats: 256 is out of"),
    ],
    ids=" ".join,
)
def test_wrong_reactions_are_refused_at_the_start(simulator: Simulator, words: list[str], reason: str) -> None:
    ran = ctl.run(simulator, "watch", SERIAL, *words)
    assert (ran.returncode, ran.stdout) == (exits.USAGE, "")
    assert reason in ran.stderr
    assert journal(simulator, "requests") == []


# With a tag


def test_light_and_vibration_are_played_over_the_connection_of_watch(simulator: Simulator) -> None:
    simulator.tell(BACKPACK)
    words = ["--on", "double-tap", "--led", "teal", "--haptic", "insert", "--on", "cover", "--led", "red --gear"]
    with ctl.watch(simulator, *words) as watch:
        watch.until(event="gear")
        simulator.tell("gesture double-tap")
        until(lambda: len(journal(simulator, "haptics")) == 1)
        assert journal(simulator, "lights") == [TEAL]
        assert journal(simulator, "haptics") == ["pattern 1 on 200 off 0 amplitude 60 repeats 0"]
        simulator.tell("gesture brush-in")
        simulator.tell("gesture cover")
        until(lambda: len(journal(simulator, "lights")) == 2)
        assert journal(simulator, "lights")[1].startswith("component 77 pattern 1 duration 2000")
        assert simulator.tell("stats").split()[1] == "links=1"


def test_a_command_runs_beside_light(simulator: Simulator) -> None:
    simulator.tell(BACKPACK)
    with ctl.watch(simulator, "--on", "cover", "echo done >&2", "--led", "teal") as watch:
        watch.until(event="gear")
        simulator.tell("gesture cover")
        assert complaints(watch, 1) == ["done\n"]
        until(lambda: journal(simulator, "lights") == [TEAL])


def test_a_command_has_the_environment_and_no_input_and_is_ended_with_watch(simulator: Simulator, tmp_path: Path) -> None:
    """A command that ignores SIGTERM is also ended, with its children."""
    simulator.tell("gear attach levis-trucker")
    script = "trap '' TERM; wc -c; echo $JACQUARD_GESTURE, $JACQUARD_GESTURE_NUMBER, $JACQUARD_SERIAL, $JACQUARD_TAG; exec 2>&- >&-;"
    script += f"echo $$ >{tmp_path}/running; sleep 1000; sleep 1000"
    with ctl.watch(simulator, "--on", "any", script) as watch:
        (*_, gear) = watch.until(event="gear")
        simulator.tell("gesture 99")
        assert complaints(watch, 2) == ["0\n", f", 99, {SERIAL}, {gear['identifier']}\n"]
        until(lambda: (tmp_path / "running").exists() and (tmp_path / "running").read_text().endswith("\n"))
        watch.process.send_signal(signal.SIGINT)
        assert watch.process.wait(20) == exits.INTERRUPTED
    group = (tmp_path / "running").read_text().strip()
    states = [fields for fields in map(stat, Path("/proc").glob("[0-9]*/stat")) if fields[2:3] == [group]]
    assert [fields for fields in states if fields[0] not in "ZX"] == []


def stat(path: Path) -> list[str]:
    """State, parent, process group, …"""
    try:
        return path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def test_actions_of_run_are_carried_out(simulator: Simulator) -> None:
    simulator.tell(BACKPACK)
    actions = ["--do", "run = ['sh', '-c', 'echo $JACQUARD_GESTURE >&2']", "--do", "led = 'teal'", "--do", "run = ['false']"]
    with ctl.watch(simulator, "--on", "any", "true", *actions) as watch:
        watch.until(event="gear")
        simulator.tell("gesture cover")
        assert set(complaints(watch, 2)) == {"cover\n", "jacquardctl: ‘--do run = ['false']’: ended with status 1\n"}
        until(lambda: journal(simulator, "lights") == [TEAL])


def test_gear_that_cannot_play_an_effect_is_reported(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with ctl.watch(simulator, "--on", "cover", "--led", "teal --gear", "--led", "teal") as watch:
        watch.until(event="gear")
        simulator.tell("gesture cover")
        (complaint,) = complaints(watch, 1)
        assert complaint.startswith("jacquardctl: ‘--led teal --gear’: ")
        until(lambda: journal(simulator, "lights") == [TEAL])


def test_effects_beyond_the_limit_are_reported(simulator: Simulator) -> None:
    """A tag that does not respond delays each effect by up to 8 s."""
    simulator.tell("gear attach levis-trucker")
    with ctl.watch(simulator, "--on", "cover", "--led", "teal") as watch:
        watch.until(event="gear")
        simulator.tell("on request led: drop")
        for _ in range(MOST + 3):
            simulator.tell("gesture cover")
        assert complaints(watch, 3) == [
            f"jacquardctl: ‘--led teal’ was not started: {MOST} commands are still running\n"
        ] * 3


def test_nothing_is_done_at_an_old_gesture(capfd: pytest.CaptureFixture[str]) -> None:
    """The age limit is that of jacquardctl run. Gestures wait in the service while watch is stopped."""
    suspended = 0.0

    def clock() -> float:
        return boottime() + suspended

    def gesture(name: str, age: float) -> Gesture:
        return Gesture(GestureType.COVER, name, arrival=clock() - age)

    async def test() -> None:
        nonlocal suspended
        async with Reactions(reactions("--on", "cover", "echo done"), Target(SERIAL), "", clock) as running:

            async def take(*events: Gesture) -> None:
                for event in events:
                    running.take(event)
                await asyncio.gather(*running._tasks)
                await turn()

            await take(gesture("cover", OLDEST * 1.1))
            # What arrives first after suspend may have arrived before.
            suspended = 3600
            await take(gesture("cover", 0), gesture("brush-in", 0))
            await take(gesture("cover", 0))

    asyncio.run(test())
    complaint = "jacquardctl: nothing is done at cover: it is more than 1 second old\n"
    assert capfd.readouterr().err == complaint * 2 + "done\n"


def test_effects_work_on_a_terminal(simulator: Simulator) -> None:
    simulator.tell(BACKPACK)
    simulator.tell("every 200ms gesture cover")
    shown = ctl.on_a_terminal(simulator, "watch", SERIAL, "--for", "2.5", "--on", "cover", "--led", "teal")
    assert "gesture cover" in shown and "connected 14/14" in shown
    assert TEAL in journal(simulator, "lights")


def test_derived_gestures_take_the_place_of_the_tags_own_while_another_program_reads_touches(
    simulator: Simulator, tmp_path: Path
) -> None:
    simulator.tell("gear attach levis-trucker")
    note = f"echo $JACQUARD_GESTURE $JACQUARD_GESTURE_NUMBER $JACQUARD_DERIVED >>{tmp_path}/gestures"
    with ctl.watch(simulator, "--on", "brush-in", note, "--on", "any", note) as watch:
        watch.until(event="gear")
        with ctl.Running(simulator, "touch", SERIAL) as touch:
            simulator.wait_for_touch_mode()
            simulator.tell("stroke swipe-in")
            until(lambda: (tmp_path / "gestures").exists() and len((tmp_path / "gestures").read_text().splitlines()) == 2)
            touch.process.send_signal(signal.SIGINT)
            touch.process.wait(20)
        simulator.tell("gesture cover")
        until(lambda: len((tmp_path / "gestures").read_text().splitlines()) == 3)
    assert (tmp_path / "gestures").read_text().splitlines() == ["brush-in 2 true", "brush-in 2 true", "cover 7"]


def test_nothing_happens_at_a_gesture_that_may_be_a_copy(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with ctl.watch(simulator, "--on", "cover", "--led", "teal", "--on", "double-tap", "--led", "off") as watch:
        watch.until(event="gear")
        simulator.tell("foreign subscribe")
        covers: list[bool] = []

        def read_until(name: str) -> None:
            events = watch.until(event="gesture", name=name)
            covers.extend(event["may_be_copy"] for event in events if event.get("name") == "cover")

        while not any(covers):
            simulator.tell("gesture cover")
            simulator.tell("gesture brush-in")
            read_until("brush-in")
        # Copies of brush-in end the reading early: gestures may be left.
        simulator.tell("gesture double-tap")
        read_until("double-tap")
        until(lambda: len(journal(simulator, "lights")) > covers.count(False))
        assert journal(simulator, "lights")[:-1] == [TEAL] * covers.count(False)
