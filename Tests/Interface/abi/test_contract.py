"""The binary interface matches its record: additions are allowed, other changes are not."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import contract
import debian_symbols
import pytest
from conftest import ROOT, run
from header import whole

NOW = whole()


def test_the_recorded_interface_is_unchanged(tmp_path: Path) -> None:
    assert contract.breaks(contract.place().read_text(), NOW, tmp_path) == ""


def test_additions_are_recorded(tmp_path: Path) -> None:
    found = contract.news(contract.place().read_text(), NOW, tmp_path)
    assert found == "", f"Run `make generate FILES=abi` to record what is new:\n{found}"


def test_the_debian_symbols_match() -> None:
    assert debian_symbols.place().read_text() == debian_symbols.written(), "Run `make generate FILES=abi`."


# Tests of the check itself, with a small header: allowed and detected changes.

SMALL = """
#include <stddef.h>
#include <stdint.h>
typedef enum jacquard_status { JACQUARD_OK = 0, JACQUARD_ERROR_LOST = -1, JACQUARD_ERROR_LATE = -2 } jacquard_status;
typedef struct jacquard_tag jacquard_tag;
typedef struct jacquard_error { int32_t code; const char *text; } jacquard_error;
typedef struct jacquard_frame { uint32_t color; uint32_t duration; } jacquard_frame;
typedef struct jacquard_point { int32_t x; } jacquard_point;
typedef struct jacquard_touch { jacquard_point points[2]; int32_t pressure; } jacquard_touch;
typedef struct jacquard_item { int32_t number; } jacquard_item;
typedef struct jacquard_list { const jacquard_item *items; size_t items_count; } jacquard_list;
typedef struct jacquard_options { uint32_t struct_size; const jacquard_frame *frames; } jacquard_options;
typedef void (*jacquard_callback)(const jacquard_error *error, const jacquard_touch *touch, void *user_data);
int jacquard_tag_play(jacquard_tag *tag, const jacquard_options *options, jacquard_callback callback, void *user_data);
const char *jacquard_status_text(int status);
"""

ADDED = {
    "a function": ("const char *jacquard", "int jacquard_more(jacquard_tag *tag);\nconst char *jacquard"),
    "a struct": ("#include <stdint.h>", "#include <stdint.h>\ntypedef struct jacquard_new { int a; } jacquard_new;"),
    "an enum": ("#include <stdint.h>", "#include <stdint.h>\ntypedef enum jacquard_new { JACQUARD_NEW } jacquard_new;"),
    "a constant at the end": ("LATE = -2", "LATE = -2, JACQUARD_ERROR_MORE = -3"),
    "a constant in between": ("JACQUARD_ERROR_LATE", "JACQUARD_ERROR_MORE = -3, JACQUARD_ERROR_LATE"),
    "a field at the end of what the library fills": ("*text; }", "*text; int32_t more; }"),
    "a field at the end of what has its size": ("*frames; }", "*frames; uint32_t more; }"),
}

CHANGED = {
    "a removed function": ("const char *jacquard_status_text(int status);", ""),
    "a function with another name": ("jacquard_status_text", "jacquard_status_words"),
    "another result": ("int jacquard_tag_play", "int64_t jacquard_tag_play"),
    "a result that is no longer constant": ("const char *jacquard_status_text", "char *jacquard_status_text"),
    "a parameter of another type": ("text(int status)", "text(uint32_t status)"),
    "one parameter more": ("text(int status)", "text(int status, int more)"),
    "a callback of another type": ("*touch, void *user_data)", "*touch, int more, void *user_data)"),
    "a field in between": ("int32_t code;", "int32_t code; int64_t more;"),
    "a removed field": ("int32_t pressure; ", ""),
    "a field with another name": ("int32_t code;", "int32_t status;"),
    "a field of another type": ("int32_t code;", "uint32_t code;"),
    "a constant with another value": ("LATE = -2", "LATE = -3"),
    "a removed constant": (", JACQUARD_ERROR_LATE = -2", ""),
    "a constant with another name": ("JACQUARD_ERROR_LATE", "JACQUARD_ERROR_TARDY"),
    "a type with another name": ("jacquard_callback", "jacquard_reaction"),
    "a new field in a struct of the caller's array": ("duration; }", "duration; uint32_t more; }"),
    "a new field in an element of the library's arrays": ("number; }", "number; uint32_t more; }"),
    "a new field in a struct within a struct": ("int32_t x; }", "int32_t x; int32_t y; }"),
}


def compared(folder: Path, before: str, after: str, by: Callable[[str, str, Path], str]) -> str:
    assert before in SMALL
    return by(contract.described(SMALL, folder), SMALL.replace(before, after), folder)


def test_an_unchanged_header_passes(tmp_path: Path) -> None:
    assert compared(tmp_path, SMALL, SMALL, contract.breaks) == ""
    assert compared(tmp_path, SMALL, SMALL, contract.news) == ""


@pytest.mark.parametrize("addition", ADDED)
def test_an_addition_must_be_recorded_and_is_allowed(tmp_path: Path, addition: str) -> None:
    assert compared(tmp_path, *ADDED[addition], contract.news) != ""
    assert compared(tmp_path, *ADDED[addition], contract.breaks) == ""


@pytest.mark.parametrize("change", CHANGED)
def test_incompatible_changes_are_found(tmp_path: Path, change: str) -> None:
    assert compared(tmp_path, *CHANGED[change], contract.breaks) != ""


# Tests of `make generate FILES=abi` with copies of the files that it reads and writes.

VERSION = "uint32_t jacquard_version(void);"
# The end of a struct that the library fills.
ADVICE = "} jacquard_error;"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ["Package.swift", "Sources/JacquardABI/exports", "Tests/conftest.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ["Tests/Interface/abi", "debian", "include", "tools/header"]:
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def recorded(tree: Path) -> tuple[int, set[str]]:
    """The exit status of `make generate FILES=abi`, and the changed files."""
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    status = run([sys.executable, "-B", tree / "Tests" / "Interface" / "abi" / "record"]).returncode
    after = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    return status, {path.name for path in after if before.get(path) != after[path]}


def edit(tree: Path, name: str, before: str, after: str) -> None:
    text = (tree / name).read_text()
    assert before in text
    (tree / name).write_text(text.replace(before, after))


def test_recording_without_additions_changes_nothing(tree: Path) -> None:
    assert recorded(tree) == (0, set())


def test_an_addition_is_recorded(tree: Path) -> None:
    edit(tree, "include/jacquard.h", VERSION, f"{VERSION}\nint jacquard_wave(void);")
    edit(tree, "Sources/JacquardABI/exports", "    jacquard_version;", "    jacquard_version;\n    jacquard_wave;")
    assert recorded(tree) == (0, {"libjacquard.so.1.abi", "libjacquard1.symbols"})


def test_a_new_field_is_recorded_and_needs_its_release(tree: Path) -> None:
    edit(tree, "include/jacquard.h", ADVICE, f"int32_t more; /**< more. @since 0.2 */\n{ADVICE}")
    assert recorded(tree) == (0, {"libjacquard.so.1.abi", "libjacquard1.symbols"})
    symbols = (tree / "debian" / "libjacquard1.symbols").read_text().splitlines()
    assert {line.split()[-1] for line in symbols if "@JACQUARD_" in line} == {"0.2.0"}


def test_a_new_field_without_its_release_is_not_recorded(tree: Path) -> None:
    edit(tree, "include/jacquard.h", ADVICE, f"int32_t more; /**< more */\n{ADVICE}")
    assert recorded(tree) == (1, set())


def test_a_removal_is_not_recorded(tree: Path) -> None:
    edit(tree, "include/jacquard.h", VERSION, "")
    assert recorded(tree) == (1, set())


def test_a_change_is_not_recorded(tree: Path) -> None:
    edit(tree, "include/jacquard.h", VERSION, "uint64_t jacquard_version(void);")
    assert recorded(tree) == (1, set())


def test_another_soname_is_a_separate_interface(tree: Path) -> None:
    edit(tree, "include/jacquard.h", VERSION, "uint64_t jacquard_version(void);")
    edit(tree, "Package.swift", "libjacquard.so.1", "libjacquard.so.2")
    assert recorded(tree) == (0, {"libjacquard.so.2.abi", "libjacquard2.symbols"})
