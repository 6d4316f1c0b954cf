import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ctl
import pytest
from fixtures import simulator, simulator_for_module  # noqa: F401
from jacquard_apps.terminal import exits
from jacquard_automations import toml_file
from players import UNPACKED
from simulator import SERIAL, Simulator

os.environ["PATH"] += f":{UNPACKED}/usr/bin"


@pytest.fixture
def tag(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """A software tag that is bound, with gear."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    simulator.tell("gear attach levis-trucker")
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    return simulator


@pytest.fixture
def changed_meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str], None]:
    """Lets another program write this text to a file before jacquardctl writes what it has made of the file."""

    def change(path: Path, text: str) -> None:
        write = toml_file.write

        def late(*arguments: Any) -> None:
            path.write_text(text)
            write(*arguments)

        monkeypatch.setattr(toml_file, "write", late)

    return change
