"""Motion and data sets with the packages of the extras: numpy, pyarrow, mcap and pylsl."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import places
import pytest
from simulator import SERIAL, Simulator

HERE = Path(__file__).resolve().parent
RECORDING = places.ROOT / "Tests" / "Support" / "data" / "tag-recording-1.bin"
FIRST = [991384, 973 / 2048, -1418 / 2048, -1236 / 2048, 3554 * 2000 / 32768, 3644 * 2000 / 32768, -1337 * 2000 / 32768]

READ_TABLE = """
import json, sys
import pyarrow.ipc, pyarrow.parquet
path = sys.argv[1]
table = pyarrow.parquet.read_table(path) if path.endswith("parquet") else pyarrow.ipc.open_file(path).read_all()
metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
print(json.dumps([table.column_names, [str(type) for type in table.schema.types], metadata, table.to_pydict()]))
"""

READ_MCAP = """
import json, sys
from mcap.reader import make_reader
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file)
    messages = [
        [schema.name, channel.topic, message.log_time, json.loads(message.data)]
        for schema, channel, message in reader.iter_messages()
    ]
    print(json.dumps([messages, [record.metadata for record in reader.iter_metadata()]]))
"""

NUMPY = """
import sys
import jacquard, numpy
samples = jacquard.MotionFile.read(sys.argv[1]).actions[0].samples
array = samples.array()
assert numpy.shares_memory(array, numpy.frombuffer(samples.data, "u1"))
print(numpy.__version__, array["acceleration"].mean(axis=0).shape, array["ticks"][-1])
"""
# Runs a command, and returns its output.
Run = Callable[..., str]


def test_numpy(run: Run) -> None:
    version, *rest = run("-c", NUMPY, RECORDING).split()
    assert int(version.split(".")[0]) >= 2
    assert rest == ["(3,)", "1257376"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_parquet_and_arrow(run: Run, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"walk.{suffix}"
    run("-m", "jacquardctl", "motion", "convert", RECORDING, target)
    names, types, metadata, columns = json.loads(run("-c", READ_TABLE, target))
    assert names == ["action", "ticks", "ax_g", "ay_g", "az_g", "gx_dps", "gy_dps", "gz_dps"]
    assert types == ["int64", "uint32", *["float"] * 6]
    assert metadata["campaign"] == "IMU_Campaign" and metadata["accelerometer_rate_hz"] == "200"
    assert len(columns["ticks"]) == 1699 and columns["ticks"][-1] == 1257376
    # Counts are exact in 32 bits.
    assert [columns[name][0] for name in names[1:]] == FIRST


def test_a_data_set_as_parquet(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "file", tmp_path / "table.parquet"
    label = {"gesture": "tap", "hand": "left", "garment": "bag"}
    header = {"jacquard_recording": 1, "library": "0.1.0", "label": label, "consent": 1, "license": "CC0-1.0"}
    lines, sequences = [128, *range(11)], [1, 4294967295]
    touches = [{"sequence": sequence, "proximity": 255, "lines": lines} for sequence in sequences]
    samples = [{"time": 0.25 * number, "touch": touch} for number, touch in enumerate(touches)]
    source.write_text("".join(json.dumps(line) + "\n" for line in [header, *samples]))
    run("-m", "jacquardctl", "dataset", "export", source, target)
    names, types, metadata, columns = json.loads(run("-c", READ_TABLE, target))
    assert names == ["recording", *label, "time", "sequence", "proximity", *(f"line{n}" for n in range(1, 13))]
    word = "dictionary<values=string, indices=int32, ordered=0>"
    assert types == ["uint32", word, word, word, "double", "uint32", *["uint8"] * 13]
    assert metadata == {"license": "CC0-1.0"}
    rows = [[1, *label.values(), 0.25 * number, sequences[number], 255, *lines] for number in range(2)]
    assert [list(row) for row in zip(*columns.values())] == rows


def test_mcap(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "walk.mcap"
    run("-m", "jacquardctl", "motion", "convert", RECORDING, target)
    messages, (metadata,) = json.loads(run("-c", READ_MCAP, target))
    assert len(messages) == 1699
    assert messages[0][:3] == ["jacquard.MotionSample", "motion", 0]
    assert messages[-1][2] == (1257376 - 991384) * 32_000
    first = messages[0][3]
    assert [first["ticks"], *first["acceleration_g"].values(), *first["rotation_dps"].values()] == FIRST
    assert metadata["name"] == "1627944568.5951009" and metadata["presumed_tick_ns"] == "32000"


def test_an_existing_file_stays(environment: dict[str, str], python: str, tmp_path: Path) -> None:
    for suffix in ("parquet", "arrow", "mcap"):
        target = tmp_path / f"walk.{suffix}"
        target.write_text("mine")
        words: list[str | Path] = [python, "-m", "jacquardctl", "motion", "convert", RECORDING, target]
        ran = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 2 and "exists" in ran.stderr
        assert target.read_text() == "mine"


def test_lab_streaming_layer(  # noqa: F811
    run: Run, environment: dict[str, str], python: str, simulator: Simulator, tmp_path: Path
) -> None:
    words = [python, "-m", "jacquardctl", "motion", "stream", SERIAL, "--rate", "100", "--lsl", "walk"]
    environment |= simulator.environment
    stream = subprocess.Popen(
        [*words, "--output", tmp_path / "walk.bin"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        about, *received = [json.loads(line) for line in run(HERE / "receive_lsl.py", "walk", 3).splitlines()]
    finally:
        stream.terminate()
        output, problems = stream.communicate(timeout=60)
    assert (output, problems) == ("", "")
    assert about["rate"] == 100 and about["source"].endswith(SERIAL)
    assert about["labels"] == [["ax", "g"], ["ay", "g"], ["az", "g"], ["gx", "dps"], ["gy", "dps"], ["gz", "dps"]]
    assert len(received) > 100
    assert received[0]["sample"][2] == pytest.approx(2142 / 2048)
    times = [each["taken"] for each in received]
    assert times == sorted(times)
    # On the clock of the receiver, up to the delay of its delivery.
    assert all(0 <= each["now"] - each["taken"] < 5 for each in received)
    assert (tmp_path / "walk.bin").stat().st_size > 16 * 100
    assert "recording-stop" in simulator.tell("journal requests")


def test_doctor_shows_liblsl(environment: dict[str, str], simulator: Simulator, python: str) -> None:  # noqa: F811
    words = [python, "-m", "jacquardctl", "doctor", "--json", "--timeout", "1"]
    environment |= simulator.environment
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    (finding,) = [each for each in map(json.loads, ran.stdout.splitlines()) if each["about"] == "lsl"]
    assert finding["good"] and "liblsl 1." in finding["text"]
