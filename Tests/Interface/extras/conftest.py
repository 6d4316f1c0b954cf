"""The packages of the extras, from PyPI, in a virtual environment in build/."""

from __future__ import annotations

import os
import subprocess
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

import places
import pytest

os.environ.setdefault("JACQUARD_LIBRARY", str(places.LIBRARY))
_state = tempfile.TemporaryDirectory(prefix="jacquard-state-")
os.environ["XDG_STATE_HOME"] = _state.name

from fixtures import simulator  # noqa: E402, F401

ENVIRONMENT = places.BUILD / "extras"
PACKAGES = ["pyarrow", "pylsl>=1.17", "mcap"]


@pytest.fixture(scope="session")
def python() -> str:
    """A Python that has the packages."""
    if not (ENVIRONMENT / "complete").exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        pip: list[str | Path] = [ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "numpy", *PACKAGES], check=True)
        (ENVIRONMENT / "complete").touch()
    return str(ENVIRONMENT / "bin" / "python")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of programs that use the packages."""
    (tmp_path / "lsl_api.cfg").write_text("[multicast]\nResolveScope = machine\n[log]\nlevel = -2\n")
    return {
        **os.environ,
        "PYTHONPATH": places.PYTHONPATH,
        "JACQUARD_SIM": str(places.SIMULATOR),
        "LSLAPICFG": str(tmp_path / "lsl_api.cfg"),
    }


@pytest.fixture
def run(python: str, environment: dict[str, str]) -> Callable[..., str]:
    """Runs a command with that Python, and returns its output."""

    def run(*words: object, **more: str) -> str:
        ran = subprocess.run(
            [python, *map(str, words)], env={**environment, **more}, capture_output=True, text=True, timeout=120
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run
