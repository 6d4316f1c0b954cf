"""jacquardctl certify: its answers about software tags, whose behaviour is known."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ctl
import pytest
import waiting
from certifying import CONSENT, NOTHING, USUAL, Ran, begun_updates, certify, promised, started, state, words, wrong
from jacquard_apps.terminal import exits
from jacquard_certify import undo
from jacquard_certify.questions import BY_NAME, QUESTIONS
from jacquard_certify.world import GONE
from places import ROOT
from simulator import SERIAL, Simulator

# The profiles have each value once. Tests of single values: Tests/Support/long certify.
PROFILES = [
    {"greeting": "subscribed once", "motion erase-response": "end", "packet-numbers": "restart"},
    {"greeting": "begun", "load-report": "before", "motion erase-response": "unstated"},
    {"greeting": "configured once", "link-time": "45s", "address": "private"},
]
DECIDED = set(USUAL)
ROW = re.compile(r"^\| (?P<question>.+?) \| (?P<values>`.+?) \| `(?P<action>.+?)` \|$", re.MULTILINE)


def actions(profile: dict[str, str]) -> list[str]:
    return [f"{name} {value}" for name, value in profile.items()]


def test_answers_are_those_of_the_tag(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda at: certify(tmp_path / str(at), *actions(PROFILES[at])), range(len(PROFILES))))
    for ran, profile in zip(runs, PROFILES):
        assert wrong(ran, {**USUAL, **profile}) == []
        assert {name for name in DECIDED if ran.values[name] is None} == set(), ran.answers


def test_pairing_needs_consent_in_words_and_then_is_decided(tmp_path: Path) -> None:
    for text, status in (("bind: yes", exits.USAGE), ("bnd: no", exits.USAGE)):
        ran = certify(tmp_path, "battery 80", answers=text)
        assert ran.status == status and "is not an answer" in ran.said
    ran = certify(tmp_path, "pairing asks confirmation", answers=f"{CONSENT}\n{NOTHING}")
    assert ran.values["pairing"] == "confirmation"
    assert certify(tmp_path, "battery 80", answers=NOTHING).answers["pairing"]["doubt"] == "this stage was left out"


def test_a_tag_that_demands_a_bond_is_examined_as_far_as_possible(tmp_path: Path) -> None:
    ran = certify(tmp_path, "bond required")
    assert ran.values["address"] == "identity" and ran.values["greeting"] is None


@pytest.mark.parametrize("number", ["64", "16"])
def test_the_counter_of_fragments_is_observed_on_a_link_with_a_small_mtu(tmp_path: Path, number: str) -> None:
    ran = certify(tmp_path, "mtu 23", f"fragment-counter {number}", answers="use: no\nlisten: yes")
    assert ran.values["fragment-counter"] == number


def test_the_functions_are_tried_and_restored(tmp_path: Path) -> None:
    answers = "use: yes\nmotion: yes\nlisten: no\nseen: yes\nfelt: yes"
    ran = certify(tmp_path, "gear attach levis-trucker", "name Anna", answers=answers)
    tag = ran.file["tag"]
    assert all(tag["functions"][name] for name in ("light_seen", "vibration_felt", "name_stored"))
    assert tag["functions"]["firmware"] == {"status": 0, "size": 0, "stored": 0}
    # 75 samples on a machine that does nothing else.
    assert 0 < tag["motion"]["samples"] <= 100
    assert "problems" not in {**tag["functions"], **tag["motion"]}


def test_nothing_starts_with_a_low_battery(tmp_path: Path) -> None:
    ran = certify(tmp_path, "battery 19")
    stages = [question.name for question in QUESTIONS if question.stage in ("use", "motion")]
    assert {ran.values[name] for name in stages} == {None}
    assert "below 20 %" in ran.answers["load-report"]["doubt"]


def test_faults_cause_doubts_and_no_wrong_answers(tmp_path: Path) -> None:
    faults = [
        ["on request list-modules: status 10"],
        ["on request session-erase: drop", "on request battery 3 times: drop"],
        ["after ready 500ms drop link"],
        ["load-report never", "motion erase-report never"],
        ["on request session-erase: disconnect"],
    ]
    with ThreadPoolExecutor(5) as pool:
        runs = list(pool.map(lambda at: certify(tmp_path / str(at), *faults[at], answers="listen: no"), range(len(faults))))
    for ran in runs:
        if ran.status == exits.OK:
            assert wrong(ran, USUAL) == []
        else:
            assert "the link was lost" in ran.said and "Traceback" not in ran.said
    assert runs[3].values["load-report"] is None and runs[3].values["motion erase-time"] is None
    # `packet-numbers` is decided before the recording is erased.
    assert runs[4].values["motion erase-time"] is None and runs[4].values["packet-numbers"] == "continue"


def test_a_tag_that_cannot_be_asked_is_given_up(tmp_path: Path) -> None:
    ran = certify(tmp_path, "on request battery: disconnect")
    assert ran.status == exits.FAILED
    assert ran.said == "jacquardctl: The tag could not be examined: tried 3 times: the link was lost.\n"


@pytest.fixture
def fast() -> Simulator:
    return Simulator("--time-scale", "10")


def test_a_tag_that_is_in_use_is_left_alone(fast: Simulator, tmp_path: Path) -> None:
    with fast as simulator, ctl.watch(simulator, "--for", "60") as other:
        other.until(phase="connected")
        ran = subprocess.run(words(tmp_path), env=ctl.environment(simulator.bus_address), capture_output=True, text=True)
        assert ran.returncode != 0 and not (tmp_path / "file").exists()


def interrupted(simulator: Simulator, folder: Path, kind: str, end: signal.Signals) -> None:
    """Ends a session that must restore this kind of state."""
    while True:
        process = started(simulator, folder, "listen: no")
        waiting.until(lambda: process.poll() is not None or kind in promised(folder), period=0.002)
        process.send_signal(end)
        process.communicate()
        # A busy machine may see the promise only after the session has ended.
        if process.returncode != exits.OK:
            return


def test_a_tag_that_leaves_ends_the_session_and_is_restored_by_the_next_one(fast: Simulator, tmp_path: Path) -> None:
    with fast as simulator:
        before = state(simulator)
        start = time.monotonic()
        process = started(simulator, tmp_path)
        waiting.until(lambda: "recording" in promised(tmp_path), period=0.002)
        simulator.tell("out-of-range")
        said, _ = process.communicate()
        # The limits of the single steps are three minutes for each experiment.
        assert time.monotonic() - start < 170
        ran = Ran(process.returncode, said, tmp_path / "file")
        doubts = [name for name, answer in ran.answers.items() if answer["doubt"] == GONE]
        assert {"motion erase-time", "greeting", "link-time"} <= set(doubts) and "load-report" not in doubts
        assert "Nothing else is tried" in said and "it restores the tag first" in said
        simulator.tell("in-range")
        finishing = started(simulator, tmp_path, NOTHING)
        said, _ = finishing.communicate()
        assert finishing.returncode == exits.OK, said
        assert promised(tmp_path) == [] and state(simulator) == before


def test_a_link_that_lasts_is_seen_although_bluetoothd_is_late(fast: Simulator, tmp_path: Path) -> None:
    """Only times that are measured need a computer that never stands still."""

    def links() -> int:
        return int(re.search(r"links=(\d+)", simulator.tell("stats"))[1])  # type: ignore[index]

    with fast as simulator:
        process = started(simulator, tmp_path, "use: no\nmotion: no\nlisten: yes")
        assert process.stdout
        for line in process.stdout:
            if BY_NAME["link-time"].text in line:
                break
        before = links()
        # An ordinary link, on which the battery is checked, and then the one that is observed.
        waiting.until(lambda: links() >= before + 2)
        simulator.tell("bluetoothd hang for 8s")
        said, _ = process.communicate()
        # One more for the next question. The experiment was not repeated.
        assert links() == before + 3
    answer = Ran(process.returncode, said, tmp_path / "file").answers["link-time"]
    assert answer["value"] == "unlimited", answer


def test_the_tag_is_as_before_whenever_the_program_ends(fast: Simulator, tmp_path: Path) -> None:
    """It is killed or interrupted, and the next run finishes. Tests/Support/long certify has 200 random moments."""
    with fast as simulator:
        for action in ("session theirs samples 20", "gear attach levis-trucker"):
            simulator.tell(action)
        before = state(simulator)
        for kind, end in (("recording", signal.SIGKILL), ("module", signal.SIGINT), ("touch", signal.SIGKILL)):
            interrupted(simulator, tmp_path, kind, end)
            finishing = started(simulator, tmp_path, NOTHING)
            said, _ = finishing.communicate()
            assert finishing.returncode == exits.OK, said
            assert promised(tmp_path) == []
            assert state(simulator) == before, kind
        assert begun_updates(simulator) == set()


@pytest.mark.parametrize("kind", undo.RESTORERS)
@pytest.mark.parametrize("before", [None, False, ""])
def test_a_promise_that_was_kept_is_not_stored(kind: str, before: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    promises = undo.Promises(SERIAL)
    promises.make(kind, before)
    assert promised(tmp_path) == [kind]
    promises.keep(kind)
    assert promised(tmp_path) == [] and undo.Promises(SERIAL).open == {}


def test_the_questions_are_those_of_the_protocol() -> None:
    """The values of each are those of the protocol, too, in this order."""
    table = {row["action"]: re.findall("`(.+?)`", row["values"]) for row in ROW.finditer((ROOT / "docs" / "protocol.md").read_text())}
    assert len(table) == 12
    assert {name: list(BY_NAME[name].values) for name in table} == table
    for question in QUESTIONS:
        assert bool(question.experiment) != bool(question.why_not)


def test_each_question_says_its_risk(tmp_path: Path) -> None:
    ran = subprocess.run(ctl.program("certify", "--questions"), env=ctl.environment(""), capture_output=True, text=True)
    assert ran.returncode == exits.OK
    assert ran.stdout.count("Risk: ") == sum(question.is_decidable for question in QUESTIONS)
    assert SERIAL not in ran.stdout
