"""Files of programs in Python appear whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import places
import pytest
from jacquard.input_file import open_input
from jacquard.whole_file import WholeFile


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def test_a_new_file_appears_at_the_end(tmp_path: Path) -> None:
    with WholeFile(tmp_path / "new") as file:
        file.write(b"whole")
        assert not (tmp_path / "new").exists()
    assert files(tmp_path) == {"new": b"whole"}
    usual = tmp_path / "usual"
    usual.touch()
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


def test_nothing_is_left_after_an_exception(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"before")
    for name, overwrite in (("new", False), ("old", True)):
        with pytest.raises(KeyboardInterrupt), WholeFile(tmp_path / name, overwrite=overwrite) as file:
            file.write(b"part")
            raise KeyboardInterrupt
    WholeFile(tmp_path / "discarded").discard()
    assert files(tmp_path) == {"old": b"before"}


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"before")
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "fifo")
    for name in ("old", "link", "fifo"):
        with pytest.raises(FileExistsError, match=name):
            WholeFile(tmp_path / name)
    assert (tmp_path / "old").read_bytes() == b"before" and len(os.listdir(tmp_path)) == 3


def test_a_file_that_another_program_has_made_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError), WholeFile(tmp_path / "new") as file:
        file.write(b"ours")
        (tmp_path / "new").write_bytes(b"theirs")
    assert files(tmp_path) == {"new": b"theirs"}


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_it_works_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)
    with WholeFile(tmp_path / "new") as file:
        file.write(b"whole")
    assert files(tmp_path) == {"new": b"whole"}
    with pytest.raises(OSError), WholeFile(tmp_path / "other") as file:
        (tmp_path / "other").write_bytes(b"theirs")
    assert files(tmp_path) == {"new": b"whole", "other": b"theirs"}


def test_overwriting_keeps_the_mode_and_the_link(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"before")
    (tmp_path / "old").chmod(0o640)
    (tmp_path / "link").symlink_to("old")
    with WholeFile(tmp_path / "link", overwrite=True) as file:
        file.write(b"after")
        assert (tmp_path / "old").read_bytes() == b"before"
    assert (tmp_path / "link").is_symlink() and (tmp_path / "old").read_bytes() == b"after"
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640


def test_what_cannot_be_replaced_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="no program reads from it"):
        WholeFile(tmp_path / "fifo", overwrite=True)
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    with WholeFile(tmp_path / "fifo", overwrite=True) as file:
        file.write(b"through")
    assert os.read(reader, 100) == b"through" and os.listdir(tmp_path) == ["fifo"]
    os.close(reader)
    with pytest.raises(OSError, match="No space left"), WholeFile("/dev/full", overwrite=True) as file:
        file.write(b"lost")
    with pytest.raises(IsADirectoryError):
        WholeFile(tmp_path, overwrite=True)


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        WholeFile(tmp_path / "none" / "new")
    assert raised.value.filename == str(tmp_path / "none" / "new")


def test_a_check_decides_at_the_end(tmp_path: Path) -> None:
    def refuse() -> None:
        raise ValueError("changed")

    with pytest.raises(ValueError, match="changed"), WholeFile(tmp_path / "new", check=refuse) as file:
        file.write(b"whole")
    assert files(tmp_path) == {}


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_log_appears_before_its_end(tmp_path: Path, overwrite: bool) -> None:
    if overwrite:
        (tmp_path / "log").write_bytes(b"before")
    log = WholeFile(tmp_path / "log", overwrite=overwrite)
    log.file.write(b"one\n")
    log.file.flush()
    assert b"one\n" not in (tmp_path / "log").read_bytes() if overwrite else not (tmp_path / "log").exists()
    log.appear()
    assert files(tmp_path) == {"log": b"one\n"}
    log.file.write(b"two\n")
    log.discard()
    assert files(tmp_path) == {"log": b"one\ntwo\n"}


def test_input_ends_and_nothing_is_awaited(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with open_input(tmp_path / "fifo") as file:
        assert file.read() == b""
    read, write = os.pipe()
    os.write(write, b"piped")
    os.close(write)
    with open_input(f"/dev/fd/{read}") as file:
        assert file.read() == b"piped"
    os.close(read)
    for path in ("/dev/zero", tmp_path):
        with pytest.raises(OSError):
            open_input(path)


def test_the_file_may_be_closed_in_the_block(tmp_path: Path) -> None:
    with WholeFile(tmp_path / "new") as file, io.TextIOWrapper(file, "utf-8") as text:
        text.write("ä")
    assert files(tmp_path) == {"new": "ä".encode()}


def test_a_program_that_is_killed_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"before")
    program = (
        "import os, signal, sys\nfrom jacquard.whole_file import WholeFile\n"
        "with WholeFile(sys.argv[1], overwrite=True) as file:\n"
        "    file.write(b'part')\n    file.flush()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "old"], env={**os.environ, "PYTHONPATH": str(places.PYTHON_SOURCE)})
    assert (tmp_path / "old").read_bytes() == b"before"
