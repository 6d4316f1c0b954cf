"""The header as tools read it that know C and nothing else."""

from conftest import compiler, run
from pycparser import CParser, c_ast

STANDARD = ["int32_t", "uint32_t", "int64_t", "uint64_t", "uint8_t", "uint16_t", "size_t"]
TYPES = "".join(f"typedef int {name};" for name in STANDARD)


def preprocessed(header, folder):
    """The header's text without directives, with empty standard headers: these tools know their types themselves."""
    includes = folder / "plain"
    includes.mkdir(exist_ok=True)
    for name in ["stddef.h", "stdint.h"]:
        (includes / name).write_text("")
    (includes / "jacquard.h").write_text(header)
    made = run([compiler("gcc"), "-E", "-P", "-nostdinc", f"-I{includes}", "-x", "c", includes / "jacquard.h"])
    assert made.returncode == 0, made.stderr
    return made.stdout


def declarations(header, folder):
    """What the header declares, in its order: typedefs and functions."""
    parsed = CParser().parse(TYPES + preprocessed(header, folder)).ext
    return [node for node in parsed if not (isinstance(node, c_ast.Typedef) and node.name in STANDARD)]


def is_function(node):
    return isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)


def fields(node):
    """Those of a typedef of a struct with fields, else an empty list."""
    inner = node.type.type if isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.TypeDecl) else None
    return inner.decls or [] if isinstance(inner, c_ast.Struct) else []


def enumerators(node):
    inner = node.type.type if isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.TypeDecl) else None
    return inner.values.enumerators if isinstance(inner, c_ast.Enum) else []


def pointed_to(node):
    """The name of the type that a field or parameter is one pointer to; None for anything else."""
    if isinstance(node.type, c_ast.PtrDecl) and isinstance(node.type.type, c_ast.TypeDecl):
        return _name(node.type.type)
    return None


def held(node):
    """The name of the type that a field is itself, or is an array of."""
    inner = node.type
    while isinstance(inner, c_ast.ArrayDecl):
        inner = inner.type
    return _name(inner) if isinstance(inner, c_ast.TypeDecl) else None


def _name(declared):
    return declared.type.names[-1] if isinstance(declared.type, c_ast.IdentifierType) else None
