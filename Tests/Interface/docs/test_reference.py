"""The reference and the manual page are complete, and every declaration has a description."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from conftest import ROOT, STRICT, compiler, run
from header import comments, whole
from header.declarations import read_header

GENERATOR = ROOT / "docs" / "generator"
TEXT = whole()
ITEMS = {item.name: item for item in comments.read(TEXT).items}
# The header without comments, as a C compiler and pycparser see it.
DECLARED = read_header(whole())


def undescribed(text: str) -> list[str]:
    """Everything without a description: declarations, fields and constants, by their names in the header."""
    items = comments.read(text).items
    found = [item.name for item in items if not item.text]
    return found + [f"{item.name}.{member.name}" for item in items for member in item.members if not member.text]


def test_everything_is_described() -> None:
    assert undescribed(TEXT) == []


@pytest.mark.parametrize(
    "comment, missing",
    [
        (r"(?<=  uint32_t percent;)\s*/\*\*<.*?\*/", "jacquard_battery.percent"),
        (r"(?<=  JACQUARD_PHASE_CONNECTED = 6)\s*/\*\*<.*?\*/", "jacquard_phase.JACQUARD_PHASE_CONNECTED"),
        (r"/\*\* Receives gestures\. .*?\*/", "jacquard_gesture_callback"),
    ],
)
def test_a_missing_description_is_detected(comment: str, missing: str) -> None:
    spoiled, times = re.subn(comment, "", TEXT)
    assert (times, undescribed(spoiled)) == (1, [missing])


def test_the_reference_lists_everything() -> None:
    kinds: list[Iterable[str]] = [DECLARED.functions, DECLARED.callbacks, DECLARED.structs, DECLARED.enums, DECLARED.handles]
    assert {name for kind in kinds for name in kind} == {name for name, item in ITEMS.items() if item.kind != "constant"}
    for name, struct in DECLARED.structs.items():
        assert [field[0] for field in struct.fields] == [member.name for member in ITEMS[name].members]
    for name, constants in DECLARED.enums.items():
        assert list(constants) == [member.name for member in ITEMS[name].members]


def test_a_struct_that_a_caller_fills_names_its_init_macro() -> None:
    starts = set(re.findall(r"#define (JACQUARD_\w+_INIT)\b", TEXT))
    assert {item.start for item in ITEMS.values()} - {""} == starts and len(starts) > 5


def test_everything_names_the_release_that_added_it() -> None:
    assert [name for name, item in ITEMS.items() if not item.since and item.kind != "constant"] == []


def test_parameter_names_match_the_header() -> None:
    wrong = []
    for item in ITEMS.values():
        wrong += [
            f"{item.name}: {name}"
            for name, _ in item.parameters
            if not re.search(rf"\b{name}\b", item.declaration.partition("(")[2])
        ]
    assert wrong == []


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    made = run([sys.executable, "-B", GENERATOR, folder])
    assert (made.returncode, made.stderr) == (0, "")
    return folder


@pytest.mark.parametrize(
    "path",
    [
        "Sources/JacquardABI/exports",
        "Sources/Jacquard/JacquardError+Code.swift",
        "bindings/swift/Sources/CJacquard/CJacquard.apinotes",
    ],
)
def test_a_generated_source_is_current(path: str) -> None:
    """`make generate` regenerates it."""
    program = "import runpy, sys; names = runpy.run_path(sys.argv[1]); "
    program += "print(names['sources'](names['whole']())[sys.argv[2]], end='')"
    wanted = run([sys.executable, "-B", "-c", program, GENERATOR, path])
    assert wanted.returncode == 0, wanted.stderr
    assert (ROOT / path).read_text(encoding="utf-8") == wanted.stdout, "run make generate"


def declarations(document: str) -> str:
    return "\n\n".join(re.findall(r"^```c\n(.*?)^```$", document, re.DOTALL | re.MULTILINE))


def test_the_reference_is_a_header(documents: Path, tmp_path: Path) -> None:
    """Its declarations are complete and in order: they compile, even after the header itself."""
    text = declarations((documents / "reference.md").read_text(encoding="utf-8"))
    (tmp_path / "alone.c").write_text(f"#include <stddef.h>\n#include <stdint.h>\n{text}\n")
    prototypes = "\n".join(item.declaration for item in ITEMS.values() if item.kind == "function")
    (tmp_path / "both.c").write_text(f"{TEXT}\n{prototypes}\n")
    for name in ("alone.c", "both.c"):
        made = run([compiler("gcc"), "-std=c99", *STRICT, "-fsyntax-only", tmp_path / name])
        assert made.returncode == 0, made.stderr


def test_links_of_the_reference_have_targets(documents: Path) -> None:
    text = (documents / "reference.md").read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) - headings == set()


def test_the_manual_page_causes_no_warnings(documents: Path) -> None:
    ran = run(["groff", "-man", "-ww", "-Tutf8", documents / "libjacquard.3"])
    assert (ran.returncode, ran.stderr) == (0, "")
    shown = re.sub(r".\x08|\x1b\[\d+m", "", ran.stdout)
    names = [item.name for item in ITEMS.values() if item.kind == "function"]
    assert [name for name in names if f"{name}()" not in shown] == []
    assert not [line for line in shown.splitlines() if len(line) > 80 and "jacquard_" not in line]
