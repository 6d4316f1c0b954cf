"""Reads the declarations of a C header: the preprocessor and pycparser for names and types, the compiler for layout."""

import pathlib
import subprocess
import tempfile

from pycparser import c_ast, c_parser

from declarations import Declarations, Function, Struct

# pycparser reads C99; the system's own headers use GCC's extensions of it.
WITHOUT_EXTENSIONS = ["-D__attribute__(x)=", "-D__extension__=", "-D__inline=", "-D__restrict="]
NUMBERS = {
    "uint8_t": "uint8",
    "int": "int32",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "size_t": "size",
}


def read_header(header: pathlib.Path) -> Declarations:
    preprocess = ["cc", "-std=c99", "-E", "-P", *WITHOUT_EXTENSIONS, str(header)]
    source = subprocess.run(preprocess, check=True, capture_output=True, text=True).stdout
    syntax = c_parser.CParser().parse(source, header.name)
    return Reader(syntax, header).declarations()


class Reader:
    def __init__(self, syntax: c_ast.FileAST, header: pathlib.Path) -> None:
        ours = [node for node in syntax.ext if getattr(node, "name", None) and node.name.startswith("jacquard_")]
        typedefs = {node.name: node.type for node in ours if isinstance(node, c_ast.Typedef)}
        self.header = header
        self.functions = {node.name: node.type for node in ours if isinstance(node, c_ast.Decl)}
        self.callbacks = {name: type.type for name, type in typedefs.items() if isinstance(type, c_ast.PtrDecl)}
        self.structs: dict[str, c_ast.Struct] = {}
        self.enums: dict[str, list[str]] = {}
        self.handles: list[str] = []
        for name, type in typedefs.items():
            inner = getattr(type, "type", None)
            if isinstance(inner, c_ast.Enum):
                self.enums[name] = [enumerator.name for enumerator in inner.values.enumerators]
            elif isinstance(inner, c_ast.Struct) and inner.decls is None:
                self.handles.append(name)
            elif isinstance(inner, c_ast.Struct):
                self.structs[name] = inner
        self.numbers = self.ask_the_compiler()

    def declarations(self) -> Declarations:
        return Declarations(
            functions={name: self.function(node) for name, node in self.functions.items()},
            callbacks={name: self.function(node) for name, node in self.callbacks.items()},
            structs={name: self.struct(name, node) for name, node in self.structs.items()},
            enums={name: {c: self.numbers[c] for c in constants} for name, constants in self.enums.items()},
            handles=self.handles,
        )

    def function(self, node: c_ast.FuncDecl) -> Function:
        parameters = [self.type(parameter.type) for parameter in node.args.params]
        return Function(self.type(node.type), [] if parameters == ["void"] else parameters)

    def struct(self, name: str, node: c_ast.Struct) -> Struct:
        fields = [(field.name, self.type(field.type), self.numbers[f"{name}.{field.name}"]) for field in node.decls]
        return Struct(self.numbers[name], fields)

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
        for name, node in self.structs.items():
            questions.update({f"{name}.{field.name}": f"offsetof({name}, {field.name})" for field in node.decls})
        for name, constants in self.enums.items():
            questions[f"signed {name}"] = f"(({name})-1 < 0)"
            questions.update({constant: constant for constant in constants})
        print_one = '  printf("%s=%ld\\n", "{}", (long)({}));\n'
        lines = "".join(print_one.format(name, question) for name, question in questions.items())
        program = f'#include "{self.header}"\n#include <stdio.h>\nint main(void) {{\n{lines}}}\n'
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "layout"
            subprocess.run(["cc", "-std=c99", "-w", "-x", "c", "-o", binary, "-"], input=program, text=True, check=True)
            answers = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
        return {name: int(value) for name, value in (line.split("=") for line in answers.splitlines())}
