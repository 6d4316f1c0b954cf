"""Modules import each other without cycles, even for types, load no more than they need, and packages import only those below them."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import places
import pytest


def modules(source: Path) -> dict[str, Path]:
    """Modules by name; a package has the name of its directory."""
    found = {}
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the same program that a module imports, anywhere in its text."""
    found = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                module = f"{origin}.{alias.name}"
                found.add(module if module in known else origin)
    return found & known.keys() - {name}


def graph(source: Path) -> dict[str, set[str]]:
    known = modules(source)
    return {name: imported(name, path, known) for name, path in known.items()}


SOURCES = [places.PYTHON_SOURCE, *places.APPS.glob("*/src")]


@pytest.mark.parametrize("source", SOURCES, ids=[str(source.parent.name) for source in SOURCES])
def test_no_modules_import_each_other(source: Path) -> None:
    order = list(graphlib.TopologicalSorter(graph(source)).static_order())
    assert len(order) > 10


def test_an_import_cycle_is_found(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    for name, text in {
        "__init__": "",
        "first": "def late(): from . import second",
        "second": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .third import anything",
        "third": "import package.first",
    }.items():
        (tmp_path / "package" / f"{name}.py").write_text(text)
    assert graph(tmp_path)["package.first"] == {"package.second"}
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter(graph(tmp_path)).static_order())


# The packages that each package of programs may import, the lowest first. Code that two need is in the lower one, or below.
BELOW = {
    "jacquard": set(),
    "jacquard_apps": {"jacquard"},
    "jacquard_mqtt": {"jacquard", "jacquard_apps"},
    "jacquard_certify": {"jacquard", "jacquard_apps"},
    "jacquard_automations": {"jacquard", "jacquard_apps", "jacquard_mqtt"},
    "jacquardctl": {"jacquard", "jacquard_apps", "jacquard_automations"},
    "jacquard_board": {"jacquard", "jacquard_apps", "jacquard_automations"},
}
PACKAGES = {path.name: path for path in [*places.PYTHON_SOURCE.glob("jacquard*"), *places.APPS.glob("*/src/jacquard*")] if path.is_dir()}


def packages_imported(path: Path) -> set[str]:
    """Other packages of this repository that a module imports, anywhere in its text."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names} & BELOW.keys()


def test_packages_import_only_those_below_them() -> None:
    assert PACKAGES.keys() == BELOW.keys()
    list(graphlib.TopologicalSorter(BELOW).static_order())
    above = {
        f"{path.relative_to(places.ROOT)}: {other}"
        for name, folder in PACKAGES.items()
        for path in folder.rglob("*.py")
        for other in packages_imported(path) - BELOW[name] - {name}
    }
    assert above == set()
    used = {name: set().union(*map(packages_imported, folder.rglob("*.py"))) - {name} for name, folder in PACKAGES.items()}
    assert used == BELOW


def test_an_import_of_a_package_above_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def late():\n    import jacquardctl.exits\n    from jacquard_board import board\n    from . import one\n")
    assert packages_imported(module) == {"jacquardctl", "jacquard_board"}


def test_commands_of_other_packages_are_named_only_in_the_table_of_commands() -> None:
    """Other packages need not be installed. Outside the table, only `watch --on` uses a module of automations."""
    texts = {path.name: path.read_text() for path in places.CTL_SOURCE.rglob("*.py")}
    named = {name: set(re.findall(r"jacquard_(?:board|certify|automations)\.\w+|from jacquard_automations import \w+", text)) for name, text in texts.items()}
    assert named.pop("__init__.py") == {"jacquard_board.command", "jacquard_certify.command", "jacquard_automations.commands"}
    assert named.pop("watch.py") == {"jacquard_automations.reactions", "from jacquard_automations import reactions"}
    assert set().union(*named.values()) == set()


def test_programs_use_only_the_public_modules_of_the_binding() -> None:
    private = {
        f"{path.name}: {node.module}"
        for path in places.APPS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jacquard._")
    }
    assert private == set()


# Modules that take long to load.
SLOW = {"asyncio", "dataclasses", "inspect", "json", "logging", "pathlib", "ssl", "uuid"}
LATER = {f"jacquard.{name}" for name in ("download", "firmware", "haptic", "led", "motion", "motion_file", "motion_writer", "touch_tracker")}


def loaded_by(code: str) -> set[str]:
    """The modules that are loaded at the end of a program. The program may end itself."""
    program = f"import atexit, sys; sys.path[:0] = {places.PYTHONPATH!r}.split(':')\n"
    program += "atexit.register(lambda: print(*sys.modules))\n" + code
    # -S: modules that the machine's site adds are not the package's.
    ran = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("code", ["import jacquard", "import jacquard.blocking"])
def test_what_a_program_may_not_need_is_loaded_when_used(code: str) -> None:
    assert loaded_by(code) & (SLOW | LATER) == set()
    assert loaded_by(f"{code}; jacquard.Haptic") & LATER == {"jacquard.haptic"}


def test_the_version_of_jacquardctl_is_printed_without_its_commands() -> None:
    loaded = loaded_by("import jacquardctl.cli; jacquardctl.cli.main(['--version'])")
    assert loaded & (SLOW | LATER | {"argparse"}) == set()
    assert {name for name in loaded if name.startswith("jacquardctl.")} == {"jacquardctl.cli"}


def test_watch_loads_actions_only_with_on() -> None:
    def loaded(*words: str) -> set[str]:
        return {name for name in loaded_by(f"from jacquardctl.parser import parsed; parsed({['watch', *words]})") if "automations" in name}

    assert loaded("01ZK") == set() and "jacquard_automations.actions.command" in loaded("--on", "any", "true")


def test_the_package_has_all_its_names_and_no_others() -> None:
    import jacquard

    assert [name for name in jacquard.__all__ if not hasattr(jacquard, name)] == []
    assert set(jacquard.__all__) <= set(dir(jacquard))
    assert jacquard.motion_file.MotionFile is jacquard.MotionFile
    assert not hasattr(jacquard, "Firmwares")


@pytest.mark.parametrize(
    "node, version, problem",
    [
        ("JACQUARD_1_0.1", "0x000100", ""),
        ("JACQUARD_1_0.1", "0x020000", ""),
        ("JACQUARD_1_0.1", "0x000000", "is libjacquard 0.0.0; this package requires 0.1 or newer."),
        ("JACQUARD_0.1", "0x000100", "does not have the interface of libjacquard.so.1, which this package requires."),
    ],
)
def test_a_library_with_another_interface_or_an_older_one_is_refused(
    tmp_path: Path, node: str, version: str, problem: str
) -> None:
    (tmp_path / "small.c").write_text(f"unsigned jacquard_version(void) {{ return {version}; }}")
    (tmp_path / "script").write_text(f"{node} {{ global: jacquard_version; local: *; }};")
    library = tmp_path / "libsmall.so"
    script = f"-Wl,--version-script={tmp_path / 'script'}"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "small.c", "-o", library, script], check=True)
    code = f"import ctypes\nfrom jacquard._native import library\nlibrary.check('small', ctypes.CDLL({str(library)!r}))"
    program = f"import sys; sys.path.insert(0, {str(places.PYTHON_SOURCE)!r})\n{code}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    expected = f"ImportError: small {problem}" if problem else ""
    assert (ran.stderr.splitlines() or [""])[-1] == expected
