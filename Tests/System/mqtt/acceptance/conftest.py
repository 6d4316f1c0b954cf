"""Both versions of paho-mqtt: Debian's, and the newest of PyPI in a virtual environment in build/."""

import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import places
import program
import pytest

ENVIRONMENT = places.BUILD / "paho-mqtt-2"


@pytest.fixture(scope="session", params=["paho-mqtt of Debian", "paho-mqtt 2 of PyPI"])
def python(request: pytest.FixtureRequest) -> Iterator[str]:
    """Lets the bridge run with this Python."""
    before = program.PYTHON
    if "PyPI" in request.param:
        if not (ENVIRONMENT / "complete").exists():
            venv.create(ENVIRONMENT, with_pip=True, system_site_packages=True, clear=True)
            pip: list[str | Path] = [ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, "paho-mqtt>=2.1"], check=True)
            (ENVIRONMENT / "complete").touch()
        program.PYTHON = str(ENVIRONMENT / "bin" / "python")
    shown = subprocess.run(
        [program.PYTHON, "-c", "import paho.mqtt; print(paho.mqtt.__version__)"], check=True, capture_output=True, text=True
    )
    assert shown.stdout.startswith("2." if "PyPI" in request.param else "1.") or sys.version_info >= (3, 13)
    yield request.param
    program.PYTHON = before
