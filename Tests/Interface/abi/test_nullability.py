"""The descriptions say of every pointer of the functions whether it may be NULL, and Swift programs read it."""

import ctypes
import re
import shutil
from pathlib import Path

import pytest
from conftest import LIBRARY, ROOT, run
from header import INCLUDE, comments, whole
from header.nullability import api_notes, functions

SWIFTC = shutil.which("swiftc")
INVALID_ARGUMENT = -1


def test_every_pointer_of_every_function_has_one() -> None:
    callbacks = {item.name for item in comments.read(whole()).items if item.kind == "callback"}
    said = functions(whole())
    declared = {item.name: item.declaration for item in comments.read(whole()).items if item.kind == "function"}
    assert set(said) == set(declared) and len(said) > 100
    for name, declaration in declared.items():
        result, _, parameters = declaration.partition("(")
        split = [] if parameters == "void);" else parameters.split(",")
        pointers = ["*" in each or each.split()[0] in callbacks for each in split]
        assert [each in "NO" for each in said[name][0]] == pointers, name
        assert (said[name][1] in "NO") == ("*" in result), name


def test_null_is_refused_where_it_must_not_be() -> None:
    """The library is not built with the notes, so it does not crash."""
    library = ctypes.CDLL(str(LIBRARY))
    for name, (parameters, result) in functions(whole()).items():
        if "N" in parameters and result == "S":
            given = [ctypes.c_size_t(0) for _ in parameters]
            assert getattr(library, name)(*given) == INVALID_ARGUMENT, name


@pytest.mark.parametrize(
    "before, after, function, expected",
    [
        ("called once when the scan ends; may be NULL", "called once when the scan ends", "jacquard_manager_scan", "N"),
        ("* @param identifier as in jacquard_advertisement\n", "* @param identifier a UUID, or NULL\n", "find", "O"),
    ],
)
def test_a_changed_description_changes_it(before: str, after: str, function: str, expected: str) -> None:
    text = whole()
    assert before in text
    old, new = functions(text), functions(text.replace(before, after))
    ((name, parameters),) = [(name, said) for name, (said, _) in new.items() if old[name][0] != said]
    assert function in name
    assert [now for earlier, now in zip(old[name][0], parameters) if earlier != now] == [expected]


@pytest.mark.skipif(SWIFTC is None, reason="needs swiftc")
@pytest.mark.parametrize(
    "call, complaint",
    [
        ("_ = jacquard_manager_get_fd(manager)", ""),
        ("_ = jacquard_manager_get_fd(nil)", "'nil' is not compatible with expected argument type 'OpaquePointer'"),
        ("_ = jacquard_manager_connect(manager, nil, nil, nil, nil, nil, &output)", ""),
        ("_ = jacquard_manager_find_connection(manager, nil, &output)", "'nil' is not compatible"),
        ("let name: UnsafePointer<CChar> = jacquard_phase_name(1); _ = name", ""),
        ("let last: UnsafePointer<jacquard_error> = jacquard_last_error(); _ = last", "must be unwrapped"),
    ],
)
def test_swift_programs_read_it(tmp_path: Path, call: str, complaint: str) -> None:
    include = tmp_path / "include"
    shutil.copytree(INCLUDE, include)
    (include / "CJacquard.apinotes").write_text(api_notes(whole(), "CJacquard"))
    program = f"import CJacquard\nvar output: OpaquePointer?\nfunc use(_ manager: OpaquePointer) {{ {call} }}\n"
    (tmp_path / "program.swift").write_text(program)
    options = ["-typecheck", f"-I{include}", tmp_path / "program.swift"]
    made = run([str(SWIFTC), *options])
    if complaint:
        assert made.returncode != 0 and complaint in made.stderr
    else:
        assert (made.returncode, made.stderr) == (0, "")


def test_the_library_itself_does_not_read_it() -> None:
    assert not list(INCLUDE.rglob("*.apinotes"))
    assert re.search(r'systemLibrary\(name: "CJacquard", path: "include"\)', (ROOT / "Package.swift").read_text())
