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
MAKE_APP_WHEEL = places.APPS / "wheel"
APPS = sorted(path.parent.name for path in places.APPS.glob("*/pyproject.toml"))
SYSTEM = "/usr/bin:/bin"
READ_BATTERY = f"""
from jacquard.blocking import Manager

with Manager() as manager, manager.connect(serial="{SERIAL}") as connection:
    print(connection.tag().battery().percent)
"""


def make_wheel(folder: Path, *library: Path, app: str | None = None) -> Path:
    subprocess.run([MAKE_WHEEL, folder, *library] if app is None else [MAKE_APP_WHEEL, app, folder], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(tmp_path_factory.mktemp("wheel"), places.LIBRARY)


@pytest.fixture(scope="module")
def ctl_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(tmp_path_factory.mktemp("ctl-wheel"), app="jacquardctl")


@pytest.fixture(scope="module")
def installed(wheel: Path, ctl_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a virtual environment with only the wheels of the library, jacquardctl and what it shares."""
    apps_wheel = make_wheel(tmp_path_factory.mktemp("apps-wheel"), app="jacquard-apps")
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--disable-pip-version-check", "--root-user-action=ignore", wheel, apps_wheel, ctl_wheel], check=True)
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
    assert "jacquard/libjacquard.so.1" in names
    # A newer setuptools puts licences into a folder.
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in names if name.startswith(f"{described}/")}
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(f"{described}/WHEEL").decode()


def test_without_the_library_the_wheel_is_for_every_machine(tmp_path: Path) -> None:
    pure = make_wheel(tmp_path)
    assert pure.name == f"jacquard-{jacquard.__version__}-py3-none-any.whl"
    assert [name for name in zipfile.ZipFile(pure).namelist() if ".so" in name] == []
    assert list(tmp_path.iterdir()) == [pure]


@pytest.mark.parametrize("app", [None, *APPS])
def test_a_wheel_has_a_text_for_the_page_of_a_package_index(tmp_path: Path, app: str | None) -> None:
    wheel = zipfile.ZipFile(make_wheel(tmp_path, app=app))
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = email.message_from_bytes(wheel.read(name))
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "```" in str(metadata.get_payload())


@pytest.mark.parametrize("app, library", [(None, [places.LIBRARY]), *((app, []) for app in APPS)])
def test_building_a_wheel_does_not_change_the_source(tmp_path: Path, app: str | None, library: list[Path]) -> None:
    source = MAKE_WHEEL.parent if app is None else places.APPS
    before = {path for path in source.rglob("*") if "__pycache__" not in path.parts}
    make_wheel(tmp_path, *library, app=app)
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


def test_jacquardctl_runs_with_the_wheels(installed: Path) -> None:
    ran = run(installed / "jacquardctl", "--version")
    assert (ran.returncode, ran.stdout) == (0, f"jacquardctl {jacquard.__version__}\n")


def test_without_its_wheel_a_command_names_its_package(installed: Path) -> None:
    packages = {"board": "board", "certify": "certify", "run": "automations", "gesture": "automations", "play": "automations"}
    for command, package in packages.items():
        for option in ("--simulate", "--help"):
            ran = run(installed / "jacquardctl", command, option)
            advice = f"Install the package jacquard-{package} as you installed jacquardctl, with apt or pip."
            told = f"jacquardctl: jacquardctl {command} is not installed. {advice}\n"
            assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", told)
    shown = " ".join(run(installed / "jacquardctl", "--help").stdout.split())
    assert "in the package jacquard-board" in shown and "in the package jacquard-automations" in shown
    ran = run(installed / "jacquardctl", "watch", "--on", "any", "true")
    assert ran.returncode == 2 and "--on: needs the package jacquard-automations, which is not installed" in ran.stderr


NEEDED = {
    "jacquard-apps": {"jacquard"},
    "jacquard-automations": {"jacquard", "jacquard-apps"},
    "jacquard-board": {"jacquard", "jacquard-apps", "jacquard-automations", "jacquardctl", "aiohttp"},
    "jacquard-certify": {"jacquard", "jacquard-apps", "dbus-fast"},
    "jacquard-mqtt": {"jacquard", "jacquard-apps", "jsonschema", "paho-mqtt"},
    "jacquardctl": {"jacquard", "jacquard-apps", "jacquard-automations"},
}


@pytest.mark.parametrize("app", APPS)
def test_the_wheel_of_a_program_has_all_its_files_and_dependencies_and_no_others(app: str, tmp_path: Path) -> None:
    wheel = zipfile.ZipFile(make_wheel(tmp_path, app=app))
    source = places.APPS / app / "src"
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    described = f"{app.replace('-', '_')}-{jacquard.__version__}.dist-info/"
    assert files == {name for name in wheel.namelist() if not name.startswith(described)}
    metadata = wheel.read(f"{described}METADATA").decode()
    lines = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert {re.split("[ >;]", line)[1] for line in lines} == NEEDED[app]


def test_the_wheel_is_uninstalled_completely(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    before = {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    pip: list[str | Path] = [tmp_path / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--root-user-action=ignore", wheel], check=True)
    assert {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts} != before
    subprocess.run([*pip, "uninstall", "--yes", "--root-user-action=ignore", "jacquard"], check=True)
    assert {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts} == before
