"""Modules import each other without cycles, even for types, and the binding does not import programs."""

from __future__ import annotations

import ast
import graphlib
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


@pytest.mark.parametrize("source", [places.PYTHON_SOURCE, places.CTL_SOURCE], ids=["jacquard", "jacquardctl"])
def test_no_modules_import_each_other(source: Path) -> None:
    order = list(graphlib.TopologicalSorter(graph(source)).static_order())
    assert len(order) > 20


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


def test_the_binding_does_not_import_programs() -> None:
    assert [path for path in places.PYTHON_SOURCE.rglob("*.py") if "jacquardctl" in path.read_text()] == []


def test_programs_use_only_the_public_modules_of_the_binding() -> None:
    private = {
        f"{path.name}: {node.module}"
        for path in places.TOOLS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jacquard._")
    }
    assert private == set()
