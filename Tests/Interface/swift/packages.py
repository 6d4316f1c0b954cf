"""Runs the tests and examples of the Swift packages with the built library and a software tag."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from conftest import LIBRARY_FOLDER, ROOT, SIMULATOR, run

SETTINGS = {"LD_LIBRARY_PATH": str(LIBRARY_FOLDER), "PKG_CONFIG_PATH": str(ROOT / "build/pkgconfig")}


class Package:
    def __init__(self, place: Path, scratch: Path) -> None:
        self.place = place
        self.scratch = scratch

    @property
    def tests(self) -> list[str]:
        return sorted(
            f"{path.stem}/{name}"
            for path in (self.place / "Tests").rglob("*Tests.swift")
            for name in re.findall(r"^  @Test.*?func (\w+)", path.read_text(), re.MULTILINE | re.DOTALL)
        )

    def results(self, folder: Path) -> dict[str, list[str]]:
        """The failures of each test by its name."""
        world = ["--time-scale", "10", "--control", folder / "control"]
        test = ["swift", "test", "--package-path", self.place, "--scratch-path", self.scratch]
        command = [*test, "--skip-build", "--disable-xctest", "--no-parallel", "--xunit-output", folder / "results.xml"]
        settings = SETTINGS | {"JACQUARD_CONTROL": str(folder / "control"), "XDG_CACHE_HOME": str(folder)}
        ran = run([SIMULATOR, "run", *world, "--", *command], env=settings, timeout=300)
        (report,) = folder.glob("results*.xml")
        found: dict[str, list[str]] = {}
        for case in ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname', '').rpartition('.')[2]}/{re.split(r'[(]', case.get('name', ''))[0]}"
            found.setdefault(name, []).extend(failure.get("message", "") for failure in case.findall("failure"))
        assert found, ran.stdout + ran.stderr
        return found

    def program(
        self, name: str, *arguments: object, scenario: Path | str = "", **options: Any
    ) -> subprocess.CompletedProcess[str]:
        world: list[object] = ["--scenario", scenario] if scenario else []
        return run([SIMULATOR, "run", *world, "--", self.scratch / "debug" / name, *arguments], env=SETTINGS, **options)


TAGS = Package(ROOT / "bindings" / "swift", ROOT / ".build-swift")
SDK = Package(ROOT / "bindings" / "swift" / "sdk", ROOT / ".build-swift-sdk")
