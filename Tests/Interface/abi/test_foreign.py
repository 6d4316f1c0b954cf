"""The header can be read by the foreign-function tools of other languages."""

import re
import sysconfig
from pathlib import Path
from typing import Any

import cffi
import pytest
from conftest import LIBRARY, compiler, run, toolchain
from header import INCLUDE, files, whole
from header.declarations import TYPES, preprocessed, read_header
from pycparser import CParser, c_ast
from surface import declared


class Obstacles(c_ast.NodeVisitor):  # type: ignore[misc]
    """Collects constructs that such tools do not support or handle differently."""

    def __init__(self, text: str) -> None:
        self.found: list[str] = []
        self.structs: set[str] = set()
        self.visit(CParser().parse(TYPES + text))

    def visit_Typedef(self, node: Any) -> None:
        if isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.Struct):
            self.structs.add(node.name)
        self.generic_visit(node)

    def visit_Decl(self, node: Any) -> None:
        if node.bitsize:
            self.found.append(f"{node.name} is a bit-field")
        if node.funcspec:
            self.found.append(f"{node.name} is inline")
        self.generic_visit(node)

    def visit_FuncDecl(self, node: Any) -> None:
        for value in [node, *(node.args.params if node.args else [])]:
            if isinstance(value, c_ast.EllipsisParam):
                self.found.append("a function takes any number of arguments")
            elif isinstance(value.type, c_ast.TypeDecl) and isinstance(value.type.type, c_ast.IdentifierType):
                if value.type.type.names[-1] in self.structs:
                    self.found.append(f"{value.type.type.names[-1]} is passed by value")
        self.generic_visit(node)

    def visit_IdentifierType(self, node: Any) -> None:
        if "long" in node.names:
            self.found.append("long has another size on each platform")


def test_cffi_reads_the_header_and_finds_every_function_in_the_library() -> None:
    ffi = cffi.FFI()
    ffi.cdef(preprocessed(whole()))
    library = ffi.dlopen(str(LIBRARY))
    for name in declared(whole()):
        assert getattr(library, name)


def test_cffi_and_the_compiler_agree_on_struct_layouts(tmp_path: Path) -> None:
    text = whole()
    ffi = cffi.FFI()
    ffi.cdef(preprocessed(text))
    places, asks = [], ""
    for name in re.findall(r"typedef struct (jacquard_\w+) \{", text):
        places.append(ffi.sizeof(name))
        asks += f'printf("%zu\\n", sizeof({name}));\n'
        for field, _ in ffi.typeof(name).fields:
            places.append(ffi.offsetof(name, field))
            asks += f'printf("%zu\\n", offsetof({name}, {field}));\n'
    includes = f"#include <stdio.h>\n{text}\n"
    (tmp_path / "places.c").write_text(f"{includes}int main(void) {{\n{asks}return 0;\n}}\n")
    assert run([compiler("gcc"), tmp_path / "places.c", "-o", tmp_path / "places"]).stderr == ""
    assert [int(line) for line in run([tmp_path / "places"]).stdout.split()] == places


INCLUDES = "".join(f"#include <{path.relative_to(INCLUDE)}>\n" for path in files())


def test_swig_reads_the_headers_and_what_it_generates_compiles(tmp_path: Path) -> None:
    parts = "".join(f'%include "{path.relative_to(INCLUDE)}"\n' for path in files())
    (tmp_path / "all.i").write_text(f"%module jacquard\n%{{\n{INCLUDES}%}}\n%include <stdint.i>\n{parts}")
    # 451 warns that a program which sets a string of a struct must release it.
    made = run(["swig", "-python", "-w451", f"-I{INCLUDE}", "all.i"], cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert set(re.findall(r"^def (jacquard_\w+)\(", (tmp_path / "jacquard.py").read_text(), re.MULTILINE)) >= set(
        declared(whole())
    )
    options = ["-Wall", "-fsyntax-only", f"-I{INCLUDE}", f"-I{sysconfig.get_path('include')}"]
    compiled = run([compiler("gcc"), *options, tmp_path / "all_wrap.c"])
    assert (compiled.returncode, compiled.stderr) == (0, "")


def test_bindgen_reads_the_headers_and_finds_the_same_sizes(tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text(INCLUDES)
    # bindgen loads libclang, on which its package does not depend.
    environment = {"LIBCLANG_PATH": str(toolchain() / "lib")}
    made = run(["bindgen", tmp_path / "all.h", "--", f"-I{INCLUDE}"], env=environment)
    assert made.returncode == 0, made.stderr
    assert set(re.findall(r"pub fn (jacquard_\w+)\(", made.stdout)) == set(declared(whole()))
    sizes = re.findall(r"size_of::<(jacquard_\w+)>\(\),\s*(\d+)usize", made.stdout)
    assert {name: int(size) for name, size in sizes} == {
        name: struct.size for name, struct in read_header(whole()).structs.items()
    }


def test_the_header_has_no_unsupported_constructs() -> None:
    assert Obstacles(preprocessed(whole())).found == []


@pytest.mark.parametrize(
    "addition, obstacle",
    [
        ("void jacquard_x(int a, ...);", "a function takes any number of arguments"),
        ("typedef struct jacquard_x { unsigned a : 3; } jacquard_x;", "a is a bit-field"),
        ("static inline int jacquard_x(void) { return 1; }", "jacquard_x is inline"),
        ("int jacquard_x(jacquard_battery battery);", "jacquard_battery is passed by value"),
        ("jacquard_battery jacquard_x(void);", "jacquard_battery is passed by value"),
        ("long jacquard_x(void);", "long has another size on each platform"),
    ],
)
def test_unsupported_constructs_are_found(addition: str, obstacle: str) -> None:
    assert obstacle in Obstacles(preprocessed(whole() + addition)).found


def test_a_macro_used_as_a_type_is_found() -> None:
    """These tools do not run the preprocessor, so they do not find names defined by macros."""
    spoiled = whole().replace("int32_t rssi;", "JACQUARD_RSSI rssi;")
    with pytest.raises(cffi.CDefError):
        cffi.FFI().cdef(preprocessed(spoiled))
