"""The package is strictly typed, and exports its types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import places
import pytest

# A cache in the build directory, which makes later runs faster.
CACHE = places.BUILD / "mypy"

CORRECT = """
import asyncio
import jacquard
from jacquard.blocking import Manager

async def main() -> None:
    async with jacquard.Manager() as manager, manager.connect(serial="01ZK") as connection:
        percent: int = (await (await connection.tag()).battery()).percent
        async for event in connection.events(jacquard.Gesture):
            number: int = event.type
        async for either in connection.events(jacquard.Gesture, jacquard.Touch):
            text: str = either.name if isinstance(either, jacquard.Gesture) else str(either.sequence)
        async for any_kind in connection.events():
            if isinstance(any_kind, jacquard.Battery):
                battery: int = any_kind.percent
        async for state in connection.states():
            reason: "jacquard.JacquardError | None" = state.reason

with Manager() as manager, manager.connect(serial="01ZK") as connection:
    name: str = connection.tag().info.name
    for either in connection.events(jacquard.Battery, jacquard.Name):
        text: str = str(either.percent) if isinstance(either, jacquard.Battery) else either.name
"""
WRONG = """
import jacquard

async def main(tag: jacquard.Tag) -> None:
    text: str = (await tag.battery()).percent
    await tag.led("teal")
    tag.battery().percent

async def also(connection: jacquard.Connection) -> None:
    async for event in connection.events(jacquard.Gesture, jacquard.Touch):
        event.percent
"""


def mypy(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(CACHE), *words],
        cwd=folder,
        env={"MYPYPATH": str(places.PYTHON_SOURCE), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("source", [places.PYTHON_SOURCE, places.CTL_SOURCE, places.BOARD_SOURCE, places.MQTT_SOURCE], ids=lambda path: path.parent.name)
def test_the_package_and_the_programs_are_typed_strictly(source: Path) -> None:
    ran = mypy("--config-file", "pyproject.toml", folder=source.parent)
    assert ran.returncode == 0, ran.stdout
    assert "no issues found" in ran.stdout
    assert "strict = true" in (source.parent / "pyproject.toml").read_text()


def test_a_program_with_the_right_types_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(CORRECT)
    ran = mypy("--strict", "right.py", folder=tmp_path)
    assert ran.returncode == 0, ran.stdout


def test_a_program_with_wrong_types_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    ran = mypy("--strict", "wrong.py", folder=tmp_path)
    assert [line.split(":")[1] for line in ran.stdout.splitlines() if ": error:" in line] == ["5", "6", "7", "11", "11"], ran.stdout


def test_the_package_contains_the_typing_marker() -> None:
    assert (places.PYTHON_SOURCE / "jacquard" / "py.typed").exists()
    assert '"py.typed"' in (places.PYTHON_SOURCE.parent / "pyproject.toml").read_text()
