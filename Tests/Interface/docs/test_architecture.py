"""docs/architecture.md names code that exists."""

import re

import pytest
from conftest import ROOT

# The name of a type or of a method of D-Bus, or a member behind a dot.
TYPE = r"[A-Z]+[a-z0-9]+(?:[A-Z]+[a-z0-9]*)+"
NAME = re.compile(rf"\b({TYPE}|[A-Z][a-z]+(?=\.[a-z]\w*[ `(,]))(?:\.([a-z]\w*))?(?![\w/-])")
FOLDERS = ("Sources", "include", "bindings", "Tests/Unit", "apps")
# Names from other projects.
OTHERS = {"SwiftPM", "SwiftProtobuf", "GLib", "NaN", "RawSpan", "NonisolatedNonsendingByDefault"}


@pytest.fixture(scope="module")
def code() -> str:
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    files = (path for path in paths if path.suffix in {".swift", ".h", ".c", ".py", ".proto"} and path.is_file())
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def names() -> set[tuple[str, str]]:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {found for found in NAME.findall(text) if found[0] not in OTHERS and not found[1].endswith(("md", "json"))}


def test_there_are_many_names() -> None:
    assert len(names()) > 80


def test_every_name_is_in_the_code(code: str) -> None:
    words = set(re.findall(r"\w+", code)) | {path.name for path in (ROOT / "Sources").iterdir()}
    unknown = {type if not member else f"{type}.{member}" for type, member in names() if not {type, member or type} <= words}
    assert unknown == set()
