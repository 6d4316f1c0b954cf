"""Compares the binary interface, as callers see it, with the last recorded one.

libabigail finds no types in libjacquard.so, because its functions and its debug information are Swift's. It therefore
compares a C library with the same functions, generated from the header that callers are compiled against. The Swift
compiler checks each function of the real library against the header (`@_cdecl @implementation`)."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from conftest import ROOT, compiler, run
from header import comments
from header.declarations import enumerators, fields, is_function, nodes
from pycparser import c_ast, c_generator

WITHOUT_PLACES = ["--no-architecture", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed"]


def soname(root: Path = ROOT) -> str:
    return str(re.findall(r'"-soname=(libjacquard\.so\.\d+)"', (root / "Package.swift").read_text())[0])


def place(root: Path = ROOT) -> Path:
    """The file of the recorded interface. Another SONAME is another interface and has no record."""
    return root / "Tests" / "Interface" / "abi" / f"{soname(root)}.abi"


def described(header: str, folder: Path) -> str:
    """The interface of the header, described by libabigail."""
    return _described(nodes(header), folder)


def news(record: str, header: str, folder: Path) -> str:
    """libabigail's report of all differences; "" if there are none."""
    return _differences(record, _described(nodes(header), folder), folder)


def breaks(record: str, header: str, folder: Path) -> str:
    """libabigail's report of differences that affect programs built earlier; "" if there are none.

    Such a program does not know newer functions, types and constants, nor new fields at the end of a struct that may
    grow. These are removed from the header first, so the remaining differences are removals or changes."""
    known = _Record(record)
    now = nodes(header)
    fixed = _cannot_grow(now)
    for node in now:
        if enumerators(node) and node.name in known.names:
            values = node.type.type.values
            values.enumerators = [each for each in values.enumerators if each.name in known.constants]
        elif node.name in known.fields and node.name not in fixed:
            node.type.type.decls = fields(node)[: known.fields[node.name]]
    return _differences(record, _described(now, folder, known.names), folder)


def undated(record: str, header: str) -> list[str]:
    """New fields of known structs whose comment does not name the release that added them: programs must know which
    library has them."""
    known = _Record(record).fields
    return [
        f"{item.name}.{field.name}"
        for item in comments.read(header).items
        if item.kind == "struct" and item.name in known
        for field in item.members[known[item.name] :]
        if "@since " not in field.text
    ]


class _Record:
    """The names in a description."""

    def __init__(self, record: str) -> None:
        tree = ElementTree.fromstring(record)
        self.names = {each.get("name") for kind in ["function-decl", "typedef-decl"] for each in tree.iter(kind)}
        self.constants = {each.get("name") for each in tree.iter("enumerator")}
        structs = {each.get("name"): len(each.findall("data-member")) for each in tree.iter("class-decl")}
        self.fields = {name: count for name, count in structs.items() if count > 0}


def _cannot_grow(nodes: list[Any]) -> set[str]:
    """Structs whose size callers depend on, because they are part of an array or another struct or are filled by the
    caller."""
    structs = {node.name: fields(node) for node in nodes if fields(node)}
    fixed: set[str | None] = set()
    for members in structs.values():
        of_caller = members[0].name == "struct_size"
        for member, following in zip(members, [*members[1:], None]):
            is_array = following is not None and following.name.endswith("_count")
            fixed |= {_held(member)} | ({_pointed_to(member)} if of_caller or is_array else set())
    for node in filter(is_function, nodes):
        for parameter in node.type.args.params if node.type.args else []:
            fixed.add(_pointed_to(parameter))
    return {name for name in fixed if name and name in structs and structs[name][0].name != "struct_size"}


def _pointed_to(node: Any) -> str | None:
    """The name of the type that a field or parameter is one pointer to; None for anything else."""
    if isinstance(node.type, c_ast.PtrDecl) and isinstance(node.type.type, c_ast.TypeDecl):
        return _name(node.type.type)
    return None


def _held(node: Any) -> str | None:
    """The name of a field's type, or of its elements' type if it is an array."""
    inner = node.type
    while isinstance(inner, c_ast.ArrayDecl):
        inner = inner.type
    return _name(inner) if isinstance(inner, c_ast.TypeDecl) else None


def _name(declared: Any) -> str | None:
    return str(declared.type.names[-1]) if isinstance(declared.type, c_ast.IdentifierType) else None


def _described(nodes: list[Any], folder: Path, names: set[str | None] | None = None) -> str:
    """Each function gets an empty body. Each type gets a variable, because not every type is used by a function. With
    `names`, only these functions and types are included."""
    written = c_generator.CGenerator()
    lines = ["#include <stddef.h>", "#include <stdint.h>"]
    for node in nodes:
        wanted = names is None or node.name in names
        if not is_function(node):
            lines.append(f"{written.visit(node)};")
            lines += [f"{node.name} *a_{node.name};"] if wanted else []
        elif wanted:
            lines.append(f"{written.visit(node)} {{ __builtin_trap(); }}")
    (folder / "view.c").write_text("\n".join([*lines, ""]))
    flags = ["-std=c99", "-g", "-O0", "-shared", "-fPIC", f"-Wl,-soname,{soname()}"]
    made = run([compiler("gcc"), *flags, "view.c", "-o", "view.so"], cwd=folder)
    assert made.returncode == 0, made.stderr
    ran = run(["abidw", *WITHOUT_PLACES, "--type-id-style", "hash", folder / "view.so"])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _differences(record: str, now: str, folder: Path) -> str:
    """libabigail considers some changes harmless that change the meaning of a call, hence --harmless."""
    for name, text in [("recorded", record), ("now", now)]:
        (folder / f"{name}.abi").write_text(text)
    ran = run(["abidiff", "--harmless", folder / "recorded.abi", folder / "now.abi"])
    # Bits 1 and 2 mean that the comparison itself failed.
    assert ran.returncode & 3 == 0, ran.stdout + ran.stderr
    return ran.stdout if ran.returncode else ""
