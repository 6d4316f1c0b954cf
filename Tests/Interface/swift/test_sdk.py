"""The Swift package with the names of the iOS SDK: its tests, its examples, and its names. `make tests` builds it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import ROOT, run
from packages import SDK, SETTINGS

TAG = "ae7dc88c-1437-5d1e-a862-ce1037371c9a"
GEAR = "after ready 500ms gear attach levis-trucker\n"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return SDK.results(tmp_path_factory.mktemp("sdk"))


@pytest.mark.parametrize("test", SDK.tests)
def test_the_package(results: dict[str, list[str]], test: str) -> None:
    assert results[test] == []


def test_gestures() -> None:
    ran = SDK.program("sdk-gestures", 2, scenario="gestures")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0] == "connected to Jacquard-01ZK" and len(lines) == 3


def test_reconnect() -> None:
    ran = SDK.program("sdk-reconnect", TAG.upper(), "Hugo")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == ["Jacquard-01ZK: 80%", "Hugo: 80%"]


def test_effects(tmp_path: Path) -> None:
    touch = "after ready {} touch 7 0 0 0 60 120 60 0 0 0 0 0 0\n"
    touches = "".join(touch.format(f"{1500 + 300 * number}ms") for number in range(10))
    (tmp_path / "scenario").write_text(GEAR + touches)
    ran = SDK.program("sdk-effects", TAG, scenario=tmp_path / "scenario")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == ["gear Trucker Jacket", "touch the gear", "touched 3 lines"]


def test_motion() -> None:
    ran = SDK.program("sdk-motion", TAG)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert len(ran.stdout.splitlines()) == 20


def test_the_names_of_the_ios_sdk_exist(tmp_path: Path) -> None:
    """Each name in `surface` is in the symbol graph, unless `surface` has a reason."""
    modules = SDK.scratch / "debug"
    maps = [ROOT / "bindings/swift/Sources/CJacquard/module.modulemap", *modules.glob("COpenCombineHelpers.build/*.modulemap")]
    options = [option for path in maps for option in ("-Xcc", f"-fmodule-map-file={path}")]
    target = json.loads(run(["swift", "-print-target-info"]).stdout)["target"]["triple"]
    run(
        ["swift", "symbolgraph-extract", "-module-name", "JacquardSDK", "-target", target, "-I", modules / "Modules",
         *options, "-Xcc", f"-I{ROOT / 'include'}", "-output-dir", tmp_path, "-minimum-access-level", "public"],
        env=SETTINGS,
    )  # fmt: skip
    symbols = [symbol for path in tmp_path.glob("*.json") for symbol in json.loads(path.read_text())["symbols"]]
    found = {".".join(symbol["pathComponents"]) for symbol in symbols}
    lines = [line for line in (SDK.place / "Tests/surface").read_text().splitlines() if not line.startswith("#")]
    served = {line for line in lines if ": " not in line}
    assert len(served) > 400 and served - found == set()
    assert [line for line in lines if ": " in line and line.partition(": ")[0] in found] == []


def test_programs_over_the_first_layer_need_no_other_package() -> None:
    shown = run(["swift", "package", "--package-path", SDK.place.parent, "show-dependencies", "--format", "flatlist"], env=SETTINGS)
    assert shown.returncode == 0 and "opencombine" not in shown.stdout.lower()


def test_few_shared_libraries_are_loaded() -> None:
    """A program with JacquardSDK loads the libraries of JacquardTags, Foundation and Dispatch, but not the 40 of Foundation's network."""
    listed = run(["ldd", SDK.scratch / "debug" / "sdk-gestures"], env=SETTINGS).stdout
    libraries = [line.split()[0] for line in listed.splitlines() if "=>" in line and "OnoneSupport" not in line]
    assert "not found" not in listed and len(libraries) <= 27, libraries
    assert not [name for name in libraries if re.search("FoundationNetworking|FoundationXML", name)]
