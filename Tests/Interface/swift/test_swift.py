"""The Swift package with the built library and a software tag: its own tests, and its examples. `make tests` builds it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, run
from packages import SETTINGS, TAGS

PACKAGE, SCRATCH = TAGS.place, TAGS.scratch
EXAMPLES = sorted(path.name for path in (PACKAGE / "examples").iterdir())


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return TAGS.results(tmp_path_factory.mktemp("swift"))


@pytest.mark.parametrize("test", TAGS.tests)
def test_the_package(results: dict[str, list[str]], test: str) -> None:
    assert results[test] == []


example = TAGS.program


def says(ran: subprocess.CompletedProcess[str], *lines: str) -> None:
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-len(lines) :] == list(lines)


def test_battery() -> None:
    """Its manager, connection and tag are global variables, and exist when the program ends."""
    says(example("battery"), "battery 80%")


def test_gestures() -> None:
    ran = example("gestures", 2, scenario="gestures")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert len([line for line in lines if line.startswith("gesture ")]) == 2
    assert lines[0].startswith("preparing") and "connected" in [line.strip() for line in lines]
    assert lines[-1].strip() == "disconnected"


def test_effects(tmp_path: Path) -> None:
    (tmp_path / "scenario").write_text("after ready 500ms gear attach levis-trucker\n")
    says(example("effects", scenario=tmp_path / "scenario"), "played on the tag", "gear Trucker Jacket")


def test_motion_record(tmp_path: Path) -> None:
    ran = example("motion-record", tmp_path / "recording")
    assert (ran.returncode, ran.stderr) == (0, "")
    count, end = re.fullmatch(r"(\d+) samples, (\w+)", ran.stdout.splitlines()[-1]).groups()  # type: ignore[union-attr]
    assert int(count) > 20 and end == "complete"


def test_every_example_is_tested() -> None:
    assert {name.replace("-", "_") for name in EXAMPLES} == {
        name.removeprefix("test_") for name in globals() if re.fullmatch("test_(battery|gestures|effects|motion_record)", name)
    }


def test_the_program_of_the_readme_is_an_example() -> None:
    readme = (ROOT / "README.md").read_text()
    (program,) = re.findall(r"^```swift\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    example = (PACKAGE / "examples/battery/main.swift").read_text()
    assert example.partition("\n")[2] == program and len(program.splitlines()) <= 10


def test_the_enumerations_are_current(tmp_path: Path) -> None:
    place = PACKAGE / "Sources/JacquardTags/Enumerations.swift"
    written = "import runpy; print(runpy.run_path('bindings/swift/generator')['text'](), end='')"
    made = run([sys.executable, "-B", "-c", written], cwd=ROOT)
    assert made.stdout == place.read_text(), "run: python3 bindings/swift/generator"


def test_a_program_needs_few_shared_libraries() -> None:
    listed = run(["ldd", SCRATCH / "debug" / "battery"], env=SETTINGS).stdout
    # Without the kernel's library, the loader, and a library that only debug builds need.
    libraries = [line.split()[0] for line in listed.splitlines() if "=>" in line and "OnoneSupport" not in line]
    assert "libjacquard.so.1" in libraries and "not found" not in listed
    assert len(libraries) <= 21, libraries


def test_every_function_of_the_header_is_used() -> None:
    """Exceptions are functions for a loop of the program, and names, which the enumerations have."""
    declared = set(re.findall(r"\b(jacquard_\w+)\(", "".join(path.read_text() for path in (ROOT / "include").rglob("*.h"))))
    functions = {name for name in declared if not name.endswith("_callback")}
    used = set(re.findall(r"\bjacquard_\w+", "".join(path.read_text() for path in (PACKAGE / "Sources").rglob("*.swift"))))
    unused = {name for name in functions - used if not name.endswith(("_ref", "_name"))}
    assert unused == {
        "jacquard_manager_get_fd", "jacquard_manager_dispatch", "jacquard_scan_stop",
        "jacquard_scan_is_running", "jacquard_subscription_cancel", "jacquard_service_run",
    }  # fmt: skip


def test_the_package_is_used_by_its_path(tmp_path: Path) -> None:
    """The manifest, in which no setting is unsafe, is accepted as a dependency."""
    folder = tmp_path / "program"
    (folder / "Sources/program").mkdir(parents=True)
    (folder / "Package.swift").write_text(
        '// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(name: "program", dependencies: ['
        f'.package(name: "libjacquard-swift", path: "{PACKAGE}")], targets: [.executableTarget(name: "program", '
        'dependencies: [.product(name: "JacquardTags", package: "libjacquard-swift")])])\n'
    )
    (folder / "Sources/program/main.swift").write_text("import JacquardTags\nprint(Manager.libraryVersion)\n")
    listed = run(["swift", "package", "--package-path", folder, "show-dependencies"], env=SETTINGS)
    assert listed.returncode == 0 and str(PACKAGE) in listed.stdout, listed.stderr
    assert "unsafeFlags" not in (PACKAGE / "Package.swift").read_text()


def test_foundation_is_not_imported() -> None:
    sources = [path.read_text() for path in (PACKAGE / "Sources").rglob("*.swift")]
    assert sources and not [text for text in sources if re.search(r"^import (Foundation|Dispatch)", text, re.MULTILINE)]
