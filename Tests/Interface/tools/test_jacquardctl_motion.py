"""jacquardctl motion."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import ctl
import places
import pytest
from ctl import objects
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator


def said(tag: Simulator, *words: str) -> str:
    """The output of a successful command."""
    ran = ctl.run(tag, "motion", *words)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return ran.stdout


def complaint(tag: Simulator, status: int, *words: str) -> str:
    ran = ctl.run(tag, "motion", *words)
    assert (ran.returncode, ran.stdout) == (status, ""), ran
    return ran.stderr


@pytest.fixture
def tag(simulator: Simulator) -> Simulator:
    simulator.tell("disconnect takes 100ms")
    return simulator


def test_a_recording_from_start_to_erase(tag: Simulator, tmp_path: Path) -> None:
    assert said(tag, "status", SERIAL) == "idle (motion module not loaded)\n"
    assert "The tag is recording walk;" in said(tag, "record", SERIAL, "--name", "walk", "--rate", "100")
    assert said(tag, "status", SERIAL) == "recording (logging)\n"
    assert "stop" in complaint(tag, exits.FAILED, "record", SERIAL).lower()
    assert said(tag, "stop", SERIAL) == ""
    (session,) = objects(said(tag, "sessions", SERIAL, "--json"))
    assert (session["name"], session["group"]) == ("walk", "jacquard")
    assert "walk" in said(tag, "sessions", SERIAL)
    assert said(tag, "status", SERIAL) == "idle (motion module not loaded)\n"
    (file,) = objects(said(tag, "download", SERIAL, "--directory", str(tmp_path), "--json"))
    assert file["size"] == session["size"] == Path(file["path"]).stat().st_size
    assert file["verified"]
    assert "--yes" in complaint(tag, exits.USAGE, "erase", SERIAL, "walk")
    assert said(tag, "erase", SERIAL, "walk", "--yes") == ""
    assert said(tag, "sessions", SERIAL) == ""


def test_sessions_are_chosen_by_name(tag: Simulator, tmp_path: Path) -> None:
    for name in ("a/b", "a", "c"):
        tag.tell(f"session {name} samples 20")
    assert "no recording ‘x’" in complaint(tag, exits.USAGE, "download", SERIAL, "x")
    assert "--all" in complaint(tag, exits.USAGE, "erase", SERIAL)
    said(tag, "download", SERIAL, "a/b", "c", "--directory", str(tmp_path))
    assert sorted(path.name.split("-")[1] for path in tmp_path.iterdir()) == ["a%2fb", "c"]
    said(tag, "erase", SERIAL, "--all", "--yes")
    assert said(tag, "sessions", SERIAL) == ""


def test_a_download_continues_a_file(tag: Simulator, tmp_path: Path) -> None:
    tag.tell("session a samples 300")
    said(tag, "download", SERIAL, "--directory", str(tmp_path))
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    said(tag, "download", SERIAL, "--directory", str(tmp_path))
    assert file.read_bytes() == whole


def test_a_stream_in_three_forms(tag: Simulator) -> None:
    samples = [each for each in objects(said(tag, "stream", SERIAL, "--for", "3", "--json")) if each["type"] == "sample"]
    assert len(samples) > 5
    assert samples[0]["raw_acceleration"][2] == 2142
    heading, *rows = said(tag, "stream", SERIAL, "--for", "3", "--csv").splitlines()
    assert heading.split(",")[:3] == ["time", "ticks", "ax_g"]
    assert all(len(row.split(",")) == 8 for row in rows) and len(rows) > 5
    assert all(len(line.split()) == 7 for line in said(tag, "stream", SERIAL, "--for", "3").splitlines())


@pytest.mark.parametrize("form", ["--rate=100", "--csv", "--output=file"])
def test_a_stream_with_many_losses_ends_with_advice(tag: Simulator, tmp_path: Path, form: str) -> None:
    tag.tell("motion loss 500")
    ran = ctl.run(tag, "motion", "stream", SERIAL, "--for", "5", form.replace("file", str(tmp_path / "file")))
    assert ran.returncode == exits.OK
    assert "samples are missing, in" in ran.stderr and "connection-interval=fast" in ran.stderr


def test_a_stream_is_written_in_the_format_of_recordings(tag: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "walk.bin"
    assert said(tag, "stream", SERIAL, "--for", "3", "--rate", "50", "--range", "4", "--output", str(file)) == ""
    (shown,) = objects(said(tag, "show", str(file), "--json"))
    assert (shown["ending"], shown["accelerometer_rate"], shown["gyroscope_rate"]) == ("complete", 50, 50)
    assert (shown["accelerometer_range"], shown["gyroscope_range"]) == (4, 2000)
    assert shown["samples"] > 10 and shown["first_ticks"] < shown["last_ticks"]
    assert "50 and 50 Hz" in said(tag, "show", str(file))
    assert "exists" in complaint(tag, exits.USAGE, "stream", SERIAL, "--output", str(file))


def test_a_missing_package_is_a_usage_error(tag: Simulator, tmp_path: Path) -> None:
    for package, words in [
        ("pyarrow", ["convert", str(RECORDING), str(tmp_path / "walk.parquet")]),
        ("mcap", ["convert", str(RECORDING), str(tmp_path / "walk.mcap")]),
        ("pylsl", ["stream", SERIAL, "--lsl", "walk"]),
    ]:
        # Hides the package, whether it is installed or not.
        (tmp_path / f"{package}.py").write_text("raise ImportError('not here')\n")
        ran = ctl.run(tag, "motion", *words, env={"PYTHONPATH": f"{tmp_path}:{places.PYTHONPATH}"})
        assert (ran.returncode, ran.stdout) == (exits.USAGE, ""), ran
        assert "pip install 'jacquard[" in ran.stderr
        assert tag.tell("journal requests") == ""


def test_ctrl_c_stops_a_stream_on_the_tag(tag: Simulator) -> None:
    process = subprocess.Popen(
        ctl.program("motion", "stream", SERIAL), env=ctl.environment(tag.bus_address), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    assert process.wait(ctl.LONGEST) == exits.INTERRUPTED
    process.stdout.close()
    kinds = tag.tell("journal requests")
    assert "recording-stop" in kinds and "unload-module" in kinds


def test_refusals_have_advice(tag: Simulator) -> None:
    tag.tell("battery 20")
    assert "Charge the tag" in complaint(tag, exits.FAILED, "record", SERIAL)
    tag.tell("module missing")
    assert "not installed" in complaint(tag, exits.FAILED, "sessions", SERIAL)
    tag.tell("module installed")
    assert "30" in complaint(tag, exits.USAGE, "record", SERIAL, "--rate", "30")


RECORDING = Path(__file__).resolve().parents[2] / "Support" / "data" / "tag-recording-1.bin"


def test_a_recording_is_shown_and_converted(tag: Simulator, tmp_path: Path) -> None:
    text = said(tag, "show", str(RECORDING))
    assert "1699" in text and "991384 to 1257376" in text and "█" in text
    assert objects(said(tag, "show", str(RECORDING), "--json"))[0]["ending"] == "complete"
    target = tmp_path / "walk.csv"
    said(tag, "convert", str(RECORDING), str(target))
    assert target.read_text().splitlines() == said(tag, "convert", str(RECORDING), "-").splitlines()
    assert len(target.read_text().splitlines()) == 1700
    assert "exists" in complaint(tag, exits.USAGE, "convert", str(RECORDING), str(target))
    assert ".parquet" in complaint(tag, exits.USAGE, "convert", str(RECORDING), str(tmp_path / "walk.txt"))
    (tmp_path / "bad.bin").write_bytes(b"\xff" * 50)
    cut = tmp_path / "cut.bin"
    cut.write_bytes(RECORDING.read_bytes()[:2000])
    text = complaint(tag, exits.FAILED, "convert", str(cut), str(tmp_path / "cut.csv"))
    rows = (tmp_path / "cut.csv").read_text().splitlines()[1:]
    assert f"{cut}: its end is missing. Its {len(rows)} readable samples were converted." in text and len(rows) > 100
    assert "motion file" in complaint(tag, exits.FAILED, "show", str(tmp_path / "bad.bin"))
