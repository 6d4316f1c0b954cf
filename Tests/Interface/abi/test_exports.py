"""Header, version script and built library contain the same functions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import LIBRARY, ROOT, compiler, run
from header import whole
from surface import GLIBC, declared, dependencies, differences, exported, scripted

SCRIPT = ROOT / "Sources" / "JacquardABI" / "exports"


def test_header_script_and_library_agree() -> None:
    assert differences(declared(whole()), scripted(SCRIPT.read_text()), exported(LIBRARY)) == []


def test_the_library_has_the_right_soname_and_minimal_dependencies() -> None:
    assert dependencies(LIBRARY) == []


def test_each_earlier_release_keeps_its_node() -> None:
    assert list(scripted(SCRIPT.read_text())) == ["JACQUARD_1_0.1"]


# Tests of the checks themselves: a correct small library passes, and each fault is detected.

SMALL_HEADER = """
/** A small header. */
/* -------------------- */
/* All of it            */
/* -------------------- */
/** First. @since 0.1 */
int jacquard_a(void);
/** A type. @since 0.1 */
typedef void (*jacquard_callback)(int jacquard_parameter);
/** Second. @since 0.2 */
int jacquard_b(jacquard_callback callback,
               void *user_data);
"""
THIRD = "/** Third. @since 0.2 */\nint jacquard_c(void);\n"
SMALL_SCRIPT = """
JACQUARD_1_0.1 { global: jacquard_a; local: *; };
JACQUARD_1_0.2 { global: jacquard_b; } JACQUARD_1_0.1;
"""
SMALL_SOURCE = "int jacquard_a(void) { return 1; } int jacquard_b(void) { return 2; } int helper(void) { return 3; }"
SONAME = "-Wl,-soname,libjacquard.so.1"


def problems(
    folder: Path,
    header: str = SMALL_HEADER,
    script: str = SMALL_SCRIPT,
    source: str = SMALL_SOURCE,
    built_with: str | None = None,
    flags: Iterable[str] = (SONAME,),
    glibc: tuple[int, ...] = GLIBC,
) -> list[str]:
    (folder / "script").write_text(script if built_with is None else built_with)
    (folder / "small.c").write_text(source)
    library = folder / "libsmall.so"
    versions = [f"-Wl,--version-script={folder / 'script'}"] if built_with != "" else []
    made = run([compiler("gcc"), "-shared", "-fPIC", folder / "small.c", "-o", library, "-Wl,-z,now", *versions, *flags])
    assert made.returncode == 0, made.stderr
    return differences(declared(header), scripted(script), exported(library)) + dependencies(library, glibc)


def test_a_correct_library_passes(tmp_path: Path) -> None:
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    "spoiled, problem",
    [
        ({"header": SMALL_HEADER + THIRD}, "jacquard_c is in the header and not in the library"),
        ({"header": SMALL_HEADER + THIRD}, "jacquard_c is in the header and not in the version script"),
        ({"header": SMALL_HEADER.split("/** Second")[0]}, "jacquard_b is in the version script and not in the header"),
        ({"header": SMALL_HEADER.split("/** Second")[0]}, "jacquard_b is in the library and not in the header"),
        (
            {"header": SMALL_HEADER.replace("/** First. @since 0.1 */", "")},
            "jacquard_a does not say since when it is there",
        ),
        (
            {"header": SMALL_HEADER.replace("First. @since 0.1", "First.")},
            "jacquard_a does not say since when it is there",
        ),
        ({"header": SMALL_HEADER.replace("0.2", "0.1")}, "jacquard_b is there since 0.1 and stands under JACQUARD_1_0.2"),
        ({"source": "int jacquard_a(void) { return 1; }"}, "jacquard_b is in the header and not in the library"),
        ({"built_with": SMALL_SCRIPT.replace("_a;", "_a; helper;")}, "helper is in the library and not in the header"),
        ({"built_with": ""}, "jacquard_a has version None in the library"),
        ({"built_with": SMALL_SCRIPT.replace("0.2", "0.3")}, "jacquard_b has version JACQUARD_1_0.3 in the library"),
        ({"script": SMALL_SCRIPT.replace("_a;", "_*;")}, "jacquard_* is in the version script and not in the header"),
        ({"script": "J_0.1 { global: jacquard_b; jacquard_a; local: *; };"}, "J_0.1 is not in alphabetical order"),
        ({"flags": ("-Wl,-soname,libjacquard.so.0",)}, "its SONAME is not libjacquard.so.1"),
        ({"flags": ()}, "its SONAME is not libjacquard.so.1"),
        ({"flags": (SONAME, "-Wl,--no-as-needed", "-lresolv")}, "it needs libresolv.so.2"),
        (
            {
                "source": f"unsigned arc4random(void); unsigned chance(void) {{ return arc4random(); }} {SMALL_SOURCE}",
                "glibc": (2, 35),
            },
            "it needs glibc 2.36",
        ),
        ({"flags": (SONAME, "-Wl,-rpath,/opt")}, "it has its own search path"),
        ({"flags": (SONAME, "-Wl,-z,lazy")}, "it is bound lazily, so its function pointers stay writable"),
    ],
)
def test_faults_of_a_library_are_found(tmp_path: Path, spoiled: dict[str, Any], problem: str) -> None:
    assert problem in problems(tmp_path, **spoiled)
