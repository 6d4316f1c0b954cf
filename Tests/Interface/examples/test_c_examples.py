"""The C examples from end to end: program, library, D-Bus, simulated BlueZ, software tag."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SIMULATOR, STRICT, compiler, run

SOURCES = ROOT / "bindings" / "c"
EXAMPLES = ROOT / "build" / "examples"
LIBRARIES = {"loop-glib": "glib-2.0", "loop-uv": "libuv"}


def example(
    name: str,
    scenario: str = "",
    tmp_path: Path | None = None,
    tags: int = 1,
    arguments: Iterable[object] = (),
    verbose: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    words: list[object] = ["--tags", tags, *(["--verbose"] if verbose else [])]
    if scenario:
        assert tmp_path
        (tmp_path / "scenario").write_text(scenario + "\n")
        words += ["--scenario", tmp_path / "scenario"]
    return run([SIMULATOR, "run", *words, "--", EXAMPLES / name, *arguments], **options)


def says(ran: subprocess.CompletedProcess[str], *lines: str) -> None:
    """Checks the last lines of a program that has ended successfully."""
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-len(lines) :] == list(lines)


def test_every_example_is_built() -> None:
    sources = {path.stem for path in (ROOT / "bindings/c/examples").glob("*.c")}
    assert sources and sources <= {path.name for path in EXAMPLES.iterdir()}


def test_battery_prints_each_step_and_the_battery() -> None:
    ran = example("battery")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert [line for line in lines if line.startswith("adapter ") and "powered on" in line]
    assert [line for line in lines if line.startswith("found 01ZK Jacquard-01ZK ")]
    assert [line for line in lines if line.endswith("/14")][-1] == "connected 14/14"
    assert lines[-1] == "battery 80%"


@pytest.mark.parametrize(
    "scenario, last",
    [
        ("battery 12 charging", "battery 12%, charging"),
        ("battery 0 discharging", "battery 0%"),
        ("after subscribed once bluetoothd restart after 500ms", "battery 80%"),
    ],
)
def test_battery_shows_the_tags_response(tmp_path: Path, scenario: str, last: str) -> None:
    ran = example("battery", scenario, tmp_path)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, last)


@pytest.mark.parametrize("scenario", ["adapter off", "adapter removed", "bluetoothd stop"])
def test_battery_reports_what_is_missing(tmp_path: Path, scenario: str) -> None:
    ran = example("battery", scenario, tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("scan: ") and len(ran.stderr.splitlines()) == 1


def test_battery_reports_a_missing_bus() -> None:
    ran = run([EXAMPLES / "battery"], env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
    assert ran.returncode == 1
    assert ran.stderr.startswith("scan: ") and len(ran.stderr.splitlines()) == 1


def test_threaded_lists_all_tags() -> None:
    ran = example("threaded", tags=3)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert len(lines) == 3 == len({line.split()[-1] for line in lines})


def test_scan_lists_each_report() -> None:
    ran = example("scan", arguments=["0.5"])
    assert (ran.returncode, ran.stderr) == (0, "")
    line = re.compile(r"01ZK {3}Jacquard-01ZK {9}[0-9a-f-]{36} -\d\d dBm")
    assert len(ran.stdout.splitlines()) > 1 and all(line.fullmatch(said) for said in ran.stdout.splitlines())


def test_gestures_run_commands(tmp_path: Path) -> None:
    gestures = "gear attach levis-trucker\nafter ready 1s gesture brush-in\nafter ready 2s gesture cover"
    first, then = tmp_path / "first", tmp_path / "then"
    (tmp_path / "scenario").write_text(gestures + "\n")
    words = [SIMULATOR, "run", "--scenario", tmp_path / "scenario", "--", EXAMPLES / "gestures"]
    words += ["brush-in", f"touch {first}", "cover", f"touch {then}; kill $PPID"]
    with subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        assert (running.wait(30), running.stderr.read()) == (0, "")
    assert first.exists() and then.exists()


def test_gestures_prints_its_usage() -> None:
    ran = run([EXAMPLES / "gestures"])
    assert (ran.returncode, "usage" in ran.stderr) == (1, True)


def test_states_shows_a_reconnection(tmp_path: Path) -> None:
    ran = example("states", "after ready once 100ms out-of-range for 300ms", tmp_path, arguments=["2"])
    says(ran, "connected 14/14, attempt 1")
    assert ran.stdout.count("connected 14/14, attempt 1\n") == 2
    assert "preparing 1/14, attempt 1: The link to the tag was lost.\n" in ran.stdout


def test_several_reads_the_battery_of_each_tag() -> None:
    ran = example("several", tags=3, arguments=["3"])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert sorted(ran.stdout.splitlines()) == ["01ZK 80%", "T001 80%", "T002 80%"]


def test_raw_shows_bytes() -> None:
    ran = example("raw")
    # The first request of this program; those before it were the service's.
    says(ran, "response 08 01 10 00 18 00 ca 07 04 08 50 10 02")
    assert "notification 08 00 10 17 18 00 ca 07 04 08 50 10 02" in ran.stdout.splitlines()


def test_log_prints_the_librarys_messages() -> None:
    ran = example("log")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr.splitlines()[-1].startswith("debug link: ") and ran.stderr.endswith("connected 14/14\n")


def test_deadline_cancels_a_command(tmp_path: Path) -> None:
    says(example("deadline", "on request battery: drop", tmp_path, arguments=["300"]), "withdrawn", "over")


def test_deadline_prints_a_response() -> None:
    says(example("deadline", arguments=["8000"]), "battery 80%", "over")


def test_a_loop_around_poll() -> None:
    says(example("loop-poll", stdin=None, input="b\nb\n"), "battery 80%", "battery 80%")


def test_a_loop_around_epoll() -> None:
    says(example("loop-epoll"), "connected")


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_loop_of_another_library(name: str) -> None:
    says(example(name), "connected", "battery 80%")


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_loop_of_another_library_ends_with_the_connection(tmp_path: Path, name: str) -> None:
    ran = example(name, "after begun adapter off", tmp_path)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (1, "disconnected")
    assert "off" in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_blocking_battery_needs_no_callback() -> None:
    says(example("blocking-battery", arguments=["01ZK"]), "Jacquard-01ZK, firmware 1.96.0", "battery 80%")


def test_blocking_battery_reports_what_is_missing(tmp_path: Path) -> None:
    ran = example("blocking-battery", "adapter off", tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("find: ") and len(ran.stderr.splitlines()) == 1


def test_blocking_gestures_ends_at_a_signal(tmp_path: Path) -> None:
    (tmp_path / "scenario").write_text("gear attach levis-trucker\nafter ready 1s gesture brush-in\n")
    words = [SIMULATOR, "run", "--scenario", tmp_path / "scenario", "--", EXAMPLES / "blocking-gestures"]
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        assert [running.stdout.readline(), running.stdout.readline()] == ["connected\n", "brush-in\n"]
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0


def test_a_session_that_waits_causes_no_wake_ups(tmp_path: Path) -> None:
    count = "awk '/voluntary/ { all += $2 } END { print all }' /proc/$!/task/*/status"
    connected = 'until grep -q connected "$1"; do sleep 0.1; done; sleep 1'
    script = f'"$0" >"$1" & {connected}; {count}; sleep 1; {count}; kill $!'
    ran = run([SIMULATOR, "run", "--", "sh", "-c", script, EXAMPLES / "blocking-gestures", tmp_path / "said"])
    before, after = ran.stdout.split()
    assert int(before) > 10 and before == after


def test_blocking_touch_draws(tmp_path: Path) -> None:
    scenario = "gear attach levis-trucker\nafter ready every 16ms touch sweep for 20s"
    ran = example("blocking-touch", scenario, tmp_path, arguments=["5"])
    assert (ran.returncode, ran.stderr) == (0, "")
    title, *pictures = ran.stdout.splitlines()
    assert title == "Levi's Trucker Jacket" and len(pictures) == 5
    assert all(re.fullmatch(r"\|[ .:=+*#%@-]{12}\| \d+", picture) for picture in pictures)


def test_blocking_led_lights(tmp_path: Path) -> None:
    says_nothing(example("blocking-led", "on request led 2 times: delay 10ms", tmp_path))


def test_blocking_led_reports_a_refusal(tmp_path: Path) -> None:
    ran = example("blocking-led", "on request led: status 2", tmp_path)
    assert ran.returncode == 1 and ran.stderr.startswith("led: ")


def test_blocking_haptic_vibrates(tmp_path: Path) -> None:
    says_nothing(example("blocking-haptic", "after ready 100ms gear attach levis-trucker", tmp_path))


def test_blocking_rename_reconnects() -> None:
    says(example("blocking-rename", arguments=["Hugo"]), "Jacquard-01ZK is Hugo now")


def test_blocking_rename_reports_an_unchanged_name() -> None:
    says(example("blocking-rename", arguments=["Jacquard-01ZK"]), "Jacquard-01ZK it is")


def test_blocking_bind_needs_the_code(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    wrong = example("blocking-bind", arguments=["9999"], env=state)
    assert wrong.returncode == 1 and wrong.stderr.startswith("bind: Tag 9999 was not found in time.")
    says(example("blocking-bind", arguments=["01ZK"], env=state), "Jacquard-01ZK is bound to this machine")


def test_blocking_events_shows_all_kinds(tmp_path: Path) -> None:
    scenario = "after ready 100ms gear attach levis-trucker\nafter ready 1500ms gesture cover"
    ran = example("blocking-events", scenario, tmp_path, arguments=["3"])
    says(ran, "gear Trucker Jacket", "gesture 7 cover")
    assert {"link connected", "battery 80%", "name Jacquard-01ZK"} <= set(ran.stdout.splitlines())


def says_nothing(ran: subprocess.CompletedProcess[str]) -> None:
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def flags(name: str) -> list[str]:
    return run(["pkg-config", "--cflags", LIBRARIES[name]]).stdout.split() if name in LIBRARIES else []


@pytest.mark.parametrize("source", ["jacquard-blocking.c", "examples/loop-glib.c", "examples/loop-uv.c"])
@pytest.mark.parametrize("name, standard", [("g++", "-std=c++11"), ("clang++", "-std=c++20"), ("clang", "-std=c99")])
def test_a_source_also_compiles_as(tmp_path: Path, source: str, name: str, standard: str) -> None:
    """The layer and the adapters are C and C++; examples are C, except those of the adapters."""
    language = "c++" if "++" in name else "c"
    text = f'#include "{SOURCES / source}"\n'
    if source.startswith("examples") and language == "c++":
        headers = re.findall(r'#include "(.*)"', (SOURCES / source).read_text())
        text = "".join(f'#include "{header}"\n' for header in headers)
    (tmp_path / "source.c").write_text(text)
    words = [standard, *STRICT, f"-I{ROOT / 'include'}", f"-I{SOURCES}", *flags((SOURCES / source).stem)]
    made = run([compiler(name), *words, "-x", language, "-c", tmp_path / "source.c", "-o", tmp_path / "object"])
    assert (made.returncode, made.stderr) == (0, "")


def test_motion_stream_prints_samples_and_stops_the_tag(tmp_path: Path) -> None:
    ran = example("motion-stream", arguments=["20"], verbose=True)
    assert ran.returncode == 0
    stop = re.compile("<- command c0 0b 08 09 10 02 18 .. d2 3e 02 08 00$", re.MULTILINE)
    assert len(stop.findall(ran.stderr)) == 1, ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines()]
    assert len(lines) == 20 and all(line[3] == "1.046" for line in lines)


def test_motion_record_downloads_its_recording(tmp_path: Path) -> None:
    file = tmp_path / "walk.bin"
    ran = example("motion-record", arguments=["1", file])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith(f": {file.stat().st_size} bytes\n")
    # 100 samples of 16 bytes, fewer on a loaded machine.
    assert file.stat().st_size > 16 * 10
