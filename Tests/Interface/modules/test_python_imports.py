"""No module of a Python package needs itself, not even through imports for types or inside functions."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ["bindings/python/src/jacquard", "tools/jacquardctl/src/jacquardctl", "tools/jacquard-mqtt/src/jacquard_mqtt"]


def file_of(place: Path) -> Path | None:
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


def imports(path: Path) -> set[Path]:
    """The files of its package that this one imports. Within a package all imports are relative."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            place = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found |= {file_of(place / alias.name) or file_of(place) for alias in node.names}
    return {file for file in found if file}


def check(package: Path) -> None:
    graph = {path: imports(path) for path in package.rglob("*.py")}
    assert any(graph.values())
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("name", PACKAGES)
def test_the_imports_have_no_cycle(name: str) -> None:
    check(ROOT / name)


def test_a_cycle_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from . import two\n")
    (tmp_path / "two.py").write_text("def later():\n  from .one import anything\n")
    with pytest.raises(graphlib.CycleError):
        check(tmp_path)
