"""The declarations of the header: the preprocessor and pycparser for names and types, the compiler for layout."""

from __future__ import annotations

import dataclasses
import pathlib
import subprocess
import tempfile

from pycparser import c_ast, c_parser

STANDARD = ["int16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "uint8_t", "uint16_t", "size_t"]
# Replaces the standard headers, which use extensions of C that pycparser does not support.
TYPES = "".join(f"typedef int {name};" for name in STANDARD)
NUMBERS = {
    "uint8_t": "uint8",
    "int16_t": "int16",
    "int": "int32",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "size_t": "size",
}


def preprocessed(text: str) -> str:
    """The text without directives, with empty standard headers."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):
            pathlib.Path(folder, name).touch()
        command = ["cc", "-E", "-P", "-nostdinc", f"-I{folder}", "-x", "c", "-"]
        return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def nodes(text: str) -> list[c_ast.Node]:
    """The typedefs and functions that a header declares, in order."""
    parsed = c_parser.CParser().parse(TYPES + preprocessed(text)).ext
    return [node for node in parsed if not (isinstance(node, c_ast.Typedef) and node.name in STANDARD)]


def is_function(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)


def fields(node: c_ast.Node) -> list[c_ast.Decl]:
    """The fields of a typedef of a struct, else an empty list."""
    inner = _inner(node)
    return inner.decls or [] if isinstance(inner, c_ast.Struct) else []


def enumerators(node: c_ast.Node) -> list[c_ast.Enumerator]:
    inner = _inner(node)
    return list(inner.values.enumerators) if isinstance(inner, c_ast.Enum) else []


def _inner(node: c_ast.Node) -> c_ast.Node | None:
    return node.type.type if isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.TypeDecl) else None


# The declarations with plain names for types, and with numbers.


@dataclasses.dataclass
class Function:
    result: str
    parameters: list[str]


@dataclasses.dataclass
class Struct:
    size: int
    fields: list[tuple[str, str, int]]  # name, type, offset


@dataclasses.dataclass
class Declarations:
    functions: dict[str, Function]
    callbacks: dict[str, Function]
    structs: dict[str, Struct]
    enums: dict[str, dict[str, int]]
    handles: list[str]


def read_header(text: str) -> Declarations:
    return _Reader(text).declarations()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.functions: dict[str, c_ast.FuncDecl] = {}
        self.callbacks: dict[str, c_ast.FuncDecl] = {}
        self.structs: dict[str, list[c_ast.Decl]] = {}
        self.enums: dict[str, list[str]] = {}
        self.handles: list[str] = []
        for node in nodes(text):
            if is_function(node):
                self.functions[node.name] = node.type
            elif isinstance(node.type, c_ast.PtrDecl):
                self.callbacks[node.name] = node.type.type
            elif enumerators(node):
                self.enums[node.name] = [constant.name for constant in enumerators(node)]
            elif fields(node):
                self.structs[node.name] = fields(node)
            else:
                self.handles.append(node.name)
        self.numbers = self.ask_the_compiler()

    def declarations(self) -> Declarations:
        return Declarations(
            functions={name: self.function(node) for name, node in self.functions.items()},
            callbacks={name: self.function(node) for name, node in self.callbacks.items()},
            structs={name: self.struct(name, members) for name, members in self.structs.items()},
            enums={name: {c: self.numbers[c] for c in constants} for name, constants in self.enums.items()},
            handles=self.handles,
        )

    def function(self, node: c_ast.FuncDecl) -> Function:
        parameters = [self.type(parameter.type) for parameter in node.args.params]
        return Function(self.type(node.type), [] if parameters == ["void"] else parameters)

    def struct(self, name: str, members: list[c_ast.Decl]) -> Struct:
        listed = [(field.name, self.type(field.type), self.numbers[f"{name}.{field.name}"]) for field in members]
        return Struct(self.numbers[name], listed)

    def type(self, node: c_ast.Node) -> str:
        if isinstance(node, c_ast.PtrDecl):
            return self.type(node.type) + "*"
        if isinstance(node, c_ast.ArrayDecl):
            return f"{self.type(node.type)}[{node.dim.value}]"
        name = " ".join(node.type.names)
        if name in self.enums:
            return "int32" if self.numbers[f"signed {name}"] else "uint32"
        return NUMBERS.get(name, name)

    def ask_the_compiler(self) -> dict[str, int]:
        """Sizes, offsets, values of constants and signedness of enums, by name."""
        questions = {name: f"sizeof({name})" for name in self.structs}
        for name, members in self.structs.items():
            questions.update({f"{name}.{field.name}": f"offsetof({name}, {field.name})" for field in members})
        for name, constants in self.enums.items():
            questions[f"signed {name}"] = f"(({name})-1 < 0)"
            questions.update({constant: constant for constant in constants})
        print_one = '  printf("%s=%ld\\n", "{}", (long)({}));\n'
        lines = "".join(print_one.format(name, question) for name, question in questions.items())
        program = f"{self.text}\n#include <stdio.h>\nint main(void) {{\n{lines}}}\n"
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "layout"
            subprocess.run(["cc", "-std=c99", "-w", "-x", "c", "-o", binary, "-"], input=program, text=True, check=True)
            answers = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
        return {name: int(value) for name, value in (line.split("=") for line in answers.splitlines())}
