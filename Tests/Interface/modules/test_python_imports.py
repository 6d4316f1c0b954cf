"""No module of a Python package needs itself, not even through imports for types or inside functions."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ["bindings/python/src/jacquard", *(str(path.parent.relative_to(ROOT)) for path in sorted(ROOT.glob("apps/*/src/*/__init__.py")))]


def file_of(place: Path) -> Path | None:
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


def imports(path: Path, package: Path) -> set[Path]:
    """The files of its package that this one imports, relatively or by the package's name."""
    found: set[Path | None] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            above = path.parents[node.level - 1] if node.level else package.parent
            place = above.joinpath(*(node.module or "").split("."))
            found |= {file_of(place / alias.name) or file_of(place) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {file_of(package.parent.joinpath(*alias.name.split("."))) for alias in node.names}
    return {file for file in found if file and package in file.parents}


def check(package: Path) -> None:
    graph = {path: imports(path, package) for path in package.rglob("*.py")}
    assert any(graph.values())
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("name", PACKAGES)
def test_the_imports_have_no_cycle(name: str) -> None:
    check(ROOT / name)


@pytest.mark.parametrize("back", ["from .one import anything", "import package.one", "from package.one import anything"])
def test_a_cycle_is_found(tmp_path: Path, back: str) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "one.py").write_text("from . import two\n")
    (package / "two.py").write_text(f"def later():\n  {back}\n")
    with pytest.raises(graphlib.CycleError):
        check(package)
