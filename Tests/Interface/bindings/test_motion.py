"""Motion: recordings, sessions, downloads and streams."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import threading
from pathlib import Path
from typing import Any, cast

import jacquard
import pytest
from jacquard import MotionActivity, MotionGap, MotionSample, MotionSettings, Session, blocking, lsl
from running import with_tag
from simulator import SERIAL, Simulator
from waiting import until_async

FAST = MotionSettings(accelerometer_rate=100, gyroscope_rate=100, accelerometer_range=4, gyroscope_range=500)


def test_a_recording_is_listed_downloaded_and_erased(simulator: Simulator, tmp_path: Path) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        percents: list[int] = []
        connection.on(jacquard.Battery, lambda battery: percents.append(battery.percent))
        await tag.prepare_motion()
        await tag.start_recording(Session("first", subject="me"), FAST)
        status = await tag.motion_status()
        assert (status.activity, status.code, status.text) == (MotionActivity.RECORDING, 1, "logging")
        with pytest.raises(jacquard.CaptureInProgressError):
            await tag.start_recording("second")
        # By then there are samples.
        simulator.tell("at 200ms battery 41 discharging")
        await until_async(lambda: percents[-1:] == [41])
        await tag.stop_motion()
        (session,) = await tag.sessions()
        assert (session.name, session.subject, session.campaign) == ("first", "me", "jacquard")
        reports: list[tuple[int, int]] = []
        path = tmp_path / "first.bin"
        seed = await connection.download(session, path, progress=lambda *report: reports.append(report))
        assert seed == 0
        assert path.stat().st_size == session.size == reports[-1][0] == reports[-1][1]
        assert await connection.download(session, path) == 0
        await tag.erase_session(session)
        assert await tag.sessions() == []
        await tag.release_motion()

    with_tag(simulator, body)


def test_a_file_of_another_session_is_kept(simulator: Simulator, tmp_path: Path) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.prepare_motion()
        for name in ("a", "b"):
            simulator.tell(f"session {name} samples 100")
        first, second = await tag.sessions()
        path = tmp_path / "session.bin"
        await connection.download(first, path)
        before = path.read_bytes()
        with pytest.raises(jacquard.DamagedSessionError):
            await connection.download(second, path)
        assert path.read_bytes() == before
        await tag.erase_all_sessions()

    with_tag(simulator, body)


def test_a_download_continues_after_lost_links_and_in_another_process(simulator: Simulator, tmp_path: Path) -> None:
    simulator.tell("session a samples 400")
    path = tmp_path / "a.bin"

    async def part(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.prepare_motion()
        (session,) = await tag.sessions()
        received = path.stat().st_size if path.exists() else 0

        def report(now: int, _: int) -> None:
            if now > received + 1500:
                task.cancel()

        task = asyncio.ensure_future(connection.download(session, path, progress=report))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert path.stat().st_size > received

    async def rest(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.prepare_motion()
        (session,) = await tag.sessions()
        drops = iter([lambda: simulator.tell("drop link")])
        assert await connection.download(session, path, progress=lambda *_: next(drops, lambda: "")()) == 0
        assert path.stat().st_size == session.size

    for _ in range(2):
        with_tag(simulator, part)
    with_tag(simulator, rest)


def test_an_exception_of_the_progress_function_ends_the_download(simulator: Simulator, tmp_path: Path) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.prepare_motion()
        simulator.tell("session a samples 400")
        (session,) = await tag.sessions()
        reported: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))

        def fail(*_: int) -> None:
            raise RuntimeError("no")

        with pytest.raises(jacquard.JacquardError):
            await connection.download(session, tmp_path / "a.bin", progress=fail)
        assert [str(each) for each in reported] == ["no"]

    with_tag(simulator, body)


def test_the_blocking_form(simulator: Simulator, tmp_path: Path) -> None:
    with blocking.Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag(timeout=20)
        tag.prepare_motion()
        simulator.tell("session a samples 50")
        (session,) = tag.sessions()
        assert connection.download(session, tmp_path / "a.bin", timeout=20) == 0
        with connection.motion() as events:
            assert isinstance(events.next(timeout=20), MotionSample)


RECORDING = Path(__file__).resolve().parents[2] / "Support" / "data" / "tag-recording-1.bin"


def test_a_recording_of_a_real_tag_is_read() -> None:
    file = jacquard.MotionFile.read(RECORDING)
    (action,) = file.actions
    assert file.end is jacquard.MotionEnd.COMPLETE
    assert (len(action.samples), action.result) == (1699, 1)
    assert (action.samples[0].ticks, action.samples[-1].ticks) == (991384, 1257376)
    assert (file.settings.accelerometer_rate, file.settings.gyroscope_rate) == (200, 200)
    assert action.samples[1:3] == list(action.samples)[1:3]
    import numpy

    array = action.samples.array()
    assert array["ticks"][0] == 991384 and array["acceleration"].shape == (1699, 3)
    assert numpy.shares_memory(array, numpy.frombuffer(action.samples.data, "u1"))


def test_a_file_is_written_and_converted(tmp_path: Path) -> None:
    file = jacquard.MotionFile.read(RECORDING)
    copy = tmp_path / "copy.bin"
    file.write(copy)
    assert jacquard.MotionFile.read(copy).actions[0].samples.data == file.actions[0].samples.data
    with pytest.raises(FileExistsError):
        file.write(copy)
    text = io.StringIO()
    file.write_csv(text)
    heading, first, *rest = text.getvalue().splitlines()
    assert heading == "ticks,ax_g,ay_g,az_g,gx_dps,gy_dps,gz_dps"
    assert first.startswith("991384,") and len(rest) == 1698
    table = tmp_path / "copy.csv"
    file.write_csv(table)
    assert table.read_bytes().decode() == text.getvalue()
    with pytest.raises(FileExistsError):
        file.write_csv(str(table))


def test_a_file_is_read_as_far_as_possible(tmp_path: Path) -> None:
    whole = RECORDING.read_bytes()
    part = tmp_path / "part.bin"
    part.write_bytes(whole[:20000])
    file = jacquard.MotionFile.read(part)
    assert file.end is jacquard.MotionEnd.INCOMPLETE
    assert 1200 < len(file.actions[0].samples) < 1300
    assert file.actions[0].result is None
    part.write_bytes(b"\xff" * 100)
    with pytest.raises(jacquard.DamagedSessionError):
        jacquard.MotionFile.read(part)


def test_a_stream_is_written_as_a_motion_file(simulator: Simulator, tmp_path: Path) -> None:
    path = tmp_path / "stream.bin"

    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        samples: list[MotionSample] = []
        with jacquard.MotionWriter(path, "walk", FAST) as writer:
            async for event in connection.motion(FAST):
                writer.add(event)
                if isinstance(event, MotionSample):
                    samples.append(event)
                if len(samples) == 50:
                    break
        file = jacquard.MotionFile.read(path)
        assert (file.session.name, file.end) == ("walk", jacquard.MotionEnd.COMPLETE)
        assert file.settings == FAST
        assert [sample.ticks for sample in file.actions[0].samples] == [sample.raw_ticks for sample in samples]
        assert file.actions[0].samples[0].acceleration == samples[0].raw_acceleration
        assert file.actions[0].result == 1

    with_tag(simulator, body)


def test_a_written_stream_can_be_read_while_it_is_written_and_has_an_action_for_each_restart(tmp_path: Path) -> None:
    path = tmp_path / "stream.bin"
    sample = MotionSample((0, 0, 0), (0, 0, 0), (1, 2, 3), (4, 5, 6), 7, 7, 0, 0)
    with jacquard.MotionWriter(path, "walk") as writer:
        writer.add(jacquard.MotionRestart())
        writer.add(sample)
        writer.add(MotionGap(3))
        writer.flush()
        begun = jacquard.MotionFile.read(path)
        assert (begun.end, len(begun.actions[0].samples)) == (jacquard.MotionEnd.INCOMPLETE, 1)
        writer.add(jacquard.MotionRestart())
        writer.add(sample)
    file = jacquard.MotionFile.read(path)
    assert [(action.id, list(action.samples), action.result) for action in file.actions] == [
        (number, [jacquard.MotionCounts((1, 2, 3), (4, 5, 6), 7)], 1) for number in (0, 1)
    ]
    with pytest.raises(FileExistsError):
        jacquard.MotionWriter(path, "walk")
    with pytest.raises(jacquard.InvalidArgumentError):
        jacquard.MotionWriter(tmp_path / "other.bin", "w" * 31)
    assert not (tmp_path / "other.bin").exists()


def test_a_missing_package_is_named_with_its_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyarrow", "mcap", "pylsl"):
        monkeypatch.setitem(cast(dict[str, Any], sys.modules), name, None)
    file = jacquard.MotionFile.read(RECORDING)
    for write, extra in [(file.write_parquet, "arrow"), (file.write_arrow, "arrow"), (file.write_mcap, "mcap")]:
        with pytest.raises(ImportError, match=rf"pip install 'jacquard\[{extra}\]'"):
            write(tmp_path / "file")
    with pytest.raises(ImportError, match=r"pip install 'jacquard\[lsl\]'"):
        lsl.Outlet("stream", MotionSettings())
    assert list(tmp_path.iterdir()) == []


def test_the_loop_runs_while_a_download_reaches_the_disk(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def fsync(descriptor: int) -> None:
        threads.append(threading.current_thread())

    monkeypatch.setattr(os, "fsync", fsync)

    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.prepare_motion()
        simulator.tell("session a samples 20")
        (session,) = await tag.sessions()
        await connection.download(session, tmp_path / "a.bin")
        assert len(threads) == 1 and threads[0] is not threading.main_thread()

    with_tag(simulator, body)
