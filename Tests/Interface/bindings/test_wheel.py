"""The wheel contains the library: a bare virtual environment is sufficient, without Swift and network."""

from __future__ import annotations

import email
import platform
import re
import shutil
import subprocess
import venv
import zipfile
from pathlib import Path

import jacquard
import places
import pytest
from simulator import SERIAL, Simulator

MAKE_WHEEL = places.ROOT / "bindings" / "python" / "wheel"
MAKE_CTL_WHEEL = places.APPS / "jacquardctl" / "wheel"
MAKE_BOARD_WHEEL = places.APPS / "jacquard-board" / "wheel"
MAKE_MQTT_WHEEL = places.APPS / "jacquard-mqtt" / "wheel"
SYSTEM = "/usr/bin:/bin"
READ_BATTERY = f"""
from jacquard.blocking import Manager

with Manager() as manager, manager.connect(serial="{SERIAL}") as connection:
    print(connection.tag().battery().percent)
"""


def make_wheel(folder: Path, *library: Path, script: Path = MAKE_WHEEL) -> Path:
    subprocess.run([script, folder, *library], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(tmp_path_factory.mktemp("wheel"), places.LIBRARY)


@pytest.fixture(scope="module")
def ctl_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(tmp_path_factory.mktemp("ctl-wheel"), script=MAKE_CTL_WHEEL)


@pytest.fixture(scope="module")
def installed(wheel: Path, ctl_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a virtual environment with only the wheels of the library and jacquardctl."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--disable-pip-version-check", "--root-user-action=ignore", wheel, ctl_wheel], check=True)
    return folder / "bin"


def run(program: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    settings = {"PATH": f"{program.parent}:{SYSTEM}", **more}
    return subprocess.run([program, *words], env=settings, cwd="/", capture_output=True, text=True, timeout=60)


def test_the_wheel_is_for_this_architecture_and_every_python_3(wheel: Path) -> None:
    name = rf"jacquard-{jacquard.__version__}-py3-none-manylinux_2_\d+_{platform.machine()}\.whl"
    assert re.fullmatch(name, wheel.name)


def test_the_wheel_supports_the_oldest_glibc_with_its_symbols_and_packed_relocations(wheel: Path) -> None:
    shown = subprocess.run(["objdump", "-p", places.LIBRARY], check=True, capture_output=True, text=True).stdout
    versions = re.findall(r" GLIBC_(2\.\d+|ABI_DT_RELR)\b", shown)
    newest = max(36 if version == "ABI_DT_RELR" else int(version.removeprefix("2.")) for version in versions)
    assert f"manylinux_2_{newest}_" in wheel.name


def test_the_wheel_needs_only_common_libraries() -> None:
    shown = subprocess.run(["objdump", "-p", places.LIBRARY], check=True, capture_output=True, text=True).stdout
    needed = {name.split(".so")[0] for name in re.findall(r"NEEDED +(\S+)", shown)}
    assert needed <= {"libc", "libm", "libgcc_s", "libstdc++", "libdbus-1", "ld-linux-x86-64", "ld-linux-aarch64"}


def test_the_wheel_has_the_library_and_all_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    described = f"jacquard-{jacquard.__version__}.dist-info"
    assert "jacquard/libjacquard.so.0" in names
    # A newer setuptools puts licences into a folder.
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in names if name.startswith(f"{described}/")}
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(f"{described}/WHEEL").decode()


def test_without_the_library_the_wheel_is_for_every_machine(tmp_path: Path) -> None:
    pure = make_wheel(tmp_path)
    assert pure.name == f"jacquard-{jacquard.__version__}-py3-none-any.whl"
    assert [name for name in zipfile.ZipFile(pure).namelist() if ".so" in name] == []
    assert list(tmp_path.iterdir()) == [pure]


@pytest.mark.parametrize("script", [MAKE_WHEEL, MAKE_CTL_WHEEL, MAKE_BOARD_WHEEL, MAKE_MQTT_WHEEL])
def test_a_wheel_has_a_text_for_the_page_of_a_package_index(tmp_path: Path, script: Path) -> None:
    wheel = zipfile.ZipFile(make_wheel(tmp_path, script=script))
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = email.message_from_bytes(wheel.read(name))
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "```" in str(metadata.get_payload())


@pytest.mark.parametrize("script, library", [(MAKE_WHEEL, [places.LIBRARY]), (MAKE_CTL_WHEEL, []), (MAKE_MQTT_WHEEL, [])])
def test_building_a_wheel_does_not_change_the_source(tmp_path: Path, script: Path, library: list[Path]) -> None:
    source = script.parent
    before = {path for path in source.rglob("*") if "__pycache__" not in path.parts}
    make_wheel(tmp_path, *library, script=script)
    assert {path for path in source.rglob("*") if "__pycache__" not in path.parts} == before


def test_the_wheel_reads_a_battery_without_swift(installed: Path, simulator: Simulator) -> None:
    assert shutil.which("swift", path=SYSTEM) is None
    ran = run(installed / "python", "-c", READ_BATTERY, DBUS_SYSTEM_BUS_ADDRESS=simulator.bus_address)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "80\n", "")


def test_the_wheel_runs_the_service(installed: Path, simulator: Simulator, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    words: list[str | Path] = [installed / "python", "-m", "jacquard.service", "--socket", path, "--bus", simulator.bus_address]
    with subprocess.Popen(words, cwd="/", stderr=subprocess.PIPE, text=True) as service:
        try:
            settings = {"DBUS_SYSTEM_BUS_ADDRESS": simulator.bus_address, "JACQUARD_SERVICE": str(path)}
            ran = run(installed / "python", "-c", READ_BATTERY, **settings)
            assert (ran.returncode, ran.stdout, ran.stderr) == (0, "80\n", "")
        finally:
            service.terminate()
        assert service.stderr and "uses the tag" in service.stderr.read()
    assert service.returncode == 0 and not path.exists()


def test_the_wheel_uses_the_included_library(installed: Path) -> None:
    ran = run(installed / "python", "-c", "from jacquard._native.library import path; print(path())")
    assert Path(ran.stdout.strip()).is_relative_to(installed.parent)


def test_a_library_named_in_the_environment_is_preferred(installed: Path) -> None:
    words = ["-c", "from jacquard._native.library import path; print(path())"]
    ran = run(installed / "python", *words, JACQUARD_LIBRARY=str(places.LIBRARY))
    assert ran.stdout.strip() == str(places.LIBRARY)


def test_the_jacquardctl_wheel_contains_only_the_program_and_requires_the_package(ctl_wheel: Path) -> None:
    names = {name.split("/")[0] for name in zipfile.ZipFile(ctl_wheel).namelist()}
    described = f"jacquardctl-{jacquard.__version__}.dist-info"
    assert names == {"jacquardctl", described}
    assert "Requires-Dist: jacquard\n" in zipfile.ZipFile(ctl_wheel).read(f"{described}/METADATA").decode()


def test_jacquardctl_runs_with_both_wheels(installed: Path) -> None:
    ran = run(installed / "jacquardctl", "--version")
    assert (ran.returncode, ran.stdout) == (0, f"jacquardctl {jacquard.__version__}\n")


def test_without_its_wheel_the_board_is_named(installed: Path) -> None:
    for words in (["board", "--simulate"], ["board", "--help"]):
        ran = run(installed / "jacquardctl", *words)
        told = "jacquardctl: jacquardctl board is not installed: apt install jacquard-board (pip: jacquard-board).\n"
        assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", told)
    assert "in the package jacquard-board" in " ".join(run(installed / "jacquardctl", "--help").stdout.split())


def test_the_jacquard_board_wheel_has_its_page_and_dependencies(tmp_path: Path) -> None:
    wheel = zipfile.ZipFile(make_wheel(tmp_path, script=MAKE_BOARD_WHEEL))
    source = places.BOARD_SOURCE
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert "jacquard_board/page/index.html" in files and files <= set(wheel.namelist())
    metadata = wheel.read(f"jacquard_board-{jacquard.__version__}.dist-info/METADATA").decode()
    needed = {line.split()[1].split(">")[0] for line in metadata.splitlines() if line.startswith("Requires-Dist:")}
    assert needed == {"jacquard", "jacquardctl", "aiohttp"}


def test_the_jacquard_mqtt_wheel_has_its_schemas_and_dependencies(tmp_path: Path) -> None:
    wheel = zipfile.ZipFile(make_wheel(tmp_path, script=MAKE_MQTT_WHEEL))
    names = set(wheel.namelist())
    schemas = {f"jacquard_mqtt/schemas/{path.name}" for path in places.MQTT_SOURCE.rglob("*.json")}
    assert schemas and schemas <= names
    metadata = wheel.read(f"jacquard_mqtt-{jacquard.__version__}.dist-info/METADATA").decode()
    needed = {line.split()[1].split(">")[0] for line in metadata.splitlines() if line.startswith("Requires-Dist:")}
    assert needed == {"jacquard", "jsonschema", "paho-mqtt"}


def test_the_wheel_is_uninstalled_completely(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    before = {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    pip: list[str | Path] = [tmp_path / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--root-user-action=ignore", wheel], check=True)
    assert {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts} != before
    subprocess.run([*pip, "uninstall", "--yes", "--root-user-action=ignore", "jacquard"], check=True)
    assert {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts} == before
