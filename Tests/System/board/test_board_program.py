"""The board as a program: its arguments, its address, its browsers and its end."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from pathlib import Path

import ctl
import pytest
from boards import Board, run
from recordings import DEMO


def test_a_browser_that_does_not_read_does_not_delay_others(tmp_path: Path) -> None:
    file = tmp_path / "demo.jsonl"
    file.write_text(DEMO)
    key = "recording-0"

    async def body(board: Board) -> None:
        async with board.client() as client, board.client() as slow:
            await client.until(lambda: client.tags)
            await slow.until(lambda: slow.tags)
            slow.pause()
            memory = 0
            for number in range(150):
                # A message with ten seconds of touch data.
                position = round(12 + number / 100, 2)
                assert await client.ask(action="seek", tag=key, value=position) is None
                await client.until(lambda: client.tags[key]["player"]["position"] == position)
                memory = memory or board.memory
            assert client.dropped == 0
            assert board.memory - memory < 12 << 20
            slow.resume()
            await slow.until(lambda: slow.dropped)
            await slow.until(lambda: slow.tags[key]["player"]["position"] == 13.49)
            assert slow.tags[key]["samples"] == client.tags[key]["samples"]

    with Board(str(file)) as board:
        run(body(board))


def test_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = str(taken.getsockname()[1])
        ran = refused("--port", number)
        assert f"Port {number} of 127.0.0.1 is in use by another program" in ran.stderr


@pytest.mark.parametrize(
    "words, part",
    [
        (["--listen", "192.0.2.1", "--port", "0"], "192.0.2.1 is not an address of this machine"),
        (["--listen", "example"], "is not an IP address"),
        (["--port", "70000"], "is not a port"),
        (["missing.jsonl"], "missing.jsonl: No such file"),
        ([__file__], "line 1 of the recording: not valid JSON"),
    ],
)
def test_wrong_arguments(words: list[str], part: str) -> None:
    assert part in refused(*words).stderr


def refused(*words: str) -> subprocess.CompletedProcess[str]:
    environment = ctl.environment("unix:path=/nonexistent")
    ran = subprocess.run(ctl.program("board", *words), env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2 and ran.stdout == ""
    return ran


def test_other_machines_only_with_a_warning() -> None:
    with Board("--listen", "0.0.0.0") as board:
        said = board.stop()
        assert said.startswith("jacquardctl: warning: anyone with the link") and "not encrypted" in said


def test_without_aiohttp() -> None:
    code = "import sys; sys.modules['aiohttp'] = None; from jacquardctl.cli import main; sys.exit(main(['board']))"
    environment = ctl.environment("unix:path=/nonexistent")
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert ran.stderr == "jacquardctl: The board needs aiohttp: install the package python3-aiohttp (pip: jacquardctl[board]).\n"


def test_the_software_tag_ends_with_the_board() -> None:
    with Board("--simulate") as board:
        children = Path(f"/proc/{board.process.pid}/task/{board.process.pid}/children")
        (simulator,) = [int(pid) for pid in children.read_text().split()]
        running = os.pidfd_open(simulator)
        board.process.kill()
        board.process.communicate()
        # A descriptor of a process is readable when the process has ended.
        assert select.select([running], [], [], 60)[0], "it still runs"
        os.close(running)
