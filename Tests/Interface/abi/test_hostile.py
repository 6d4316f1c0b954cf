"""Programs that call the library with any invalid arguments only get error codes."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SIMULATOR, build, run
from header import whole
from surface import declared

SOURCES = ROOT / "Tests" / "Interface" / "abi"
WITHOUT_A_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("hostile")
    return lambda name: build(SOURCES / f"{name}.c", folder / name, "-D_GNU_SOURCE", "-pthread")


def without_complaint(command: Iterable[object], **options: Any) -> None:
    ran = run(command, timeout=120, **options)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_every_function_is_called_with_invalid_arguments() -> None:
    sources = [SOURCES.parent / "commands.h", SOURCES / "handles.h", *SOURCES.glob("hostile*.c")]
    called = set(re.findall(r"(?:\b|COMMAND\()(jacquard_\w+)(?:\(|, on_)", "".join(map(Path.read_text, sources))))
    assert set(declared(whole())) - called == set()


def test_invalid_arguments_without_a_bus(program: Callable[[str], Path]) -> None:
    without_complaint([program("hostile")], env=WITHOUT_A_BUS)


def test_invalid_arguments_with_a_bus(program: Callable[[str], Path]) -> None:
    without_complaint([SIMULATOR, "run", "--", program("hostile")])


def test_invalid_arguments_of_commands(program: Callable[[str], Path]) -> None:
    without_complaint([SIMULATOR, "run", "--", program("hostile_commands")])


def test_calls_at_unusual_times(program: Callable[[str], Path]) -> None:
    without_complaint([SIMULATOR, "run", "--", program("hostile_tag")])


def test_releasing_everything_inside_callbacks_of_the_raw_data_channel(
    program: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "talk").write_text("after ready raw-packet 9 01 02 03\n")
    # The service would keep one link, instead of establishing one for each manager.
    without_complaint([SIMULATOR, "run", "--no-service", "--scenario", tmp_path / "talk", "--", program("hostile_raw")])
