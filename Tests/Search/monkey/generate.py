#!/usr/bin/env python3
"""
generate.py FOLDER [LAYER]: writes, in C, one random call of each function that the public headers in a folder declare,
and a callback of each type; with LAYER, the header of the blocking layer, one random call of each of its functions
instead.

An argument's possible values depend only on its type, so a new function needs no change here. An unknown type stops
this program. The generated code uses the functions of choices.h, and of world.h or waits.h."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

from header import INCLUDE, files, whole  # noqa: E402
from header.declarations import enumerators, fields, is_function, nodes  # noqa: E402
from pycparser import c_ast, c_generator  # noqa: E402

INCLUDES = [f"#include <{path.relative_to(INCLUDE)}>" for path in files()]
DESTROY = "jacquard_destroy_callback"
NUMBERS = {"int", "unsigned", "int16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "uint8_t", "uint16_t", "size_t"}


# The main loop of a separate program. It is called in Tests/Interface/abi/hostile.c.
UNCALLED = "jacquard_service_run"

class Header:
    def __init__(self, text: str) -> None:
        declared = nodes(text)
        self.functions = [node for node in declared if is_function(node) and node.name != UNCALLED]
        types = {node.name: node for node in declared if isinstance(node, c_ast.Typedef)}
        self.structs = {name: fields(node) for name, node in types.items() if fields(node)}
        constants = {name: [each.name for each in enumerators(node)] for name, node in types.items()}
        self.enums = {name: names for name, names in constants.items() if names}
        self.callbacks = {name: node for name, node in types.items() if isinstance(node.type, c_ast.PtrDecl)}
        self.nouns = [name for name in types if name not in self.structs | self.enums | self.callbacks]

    def kind(self, noun: str) -> str:
        return noun.removeprefix("jacquard_").upper()

    def is_sized(self, struct: str) -> bool:
        return bool(self.structs[struct][0].name == "struct_size")


def shape(node: Any) -> tuple[str, int, bool, Any]:
    """The name of the innermost type, how many pointers or dimensions are around it, and whether it is const."""
    kind, pointers, inner = node.type, 0, None
    while not isinstance(kind, c_ast.TypeDecl):
        pointers += 1
        inner, kind = kind, kind.type
    name = kind.type.names[-1] if isinstance(kind.type, c_ast.IdentifierType) else ""
    return name, pointers, "const" in kind.quals, inner


def parameters(function: Any) -> list[Any]:
    listed = function.type.args.params if function.type.args else []
    return [each for each in listed if each.name]


def refuse(function: Any, node: Any) -> None:
    sys.exit(f"generate: no argument can be made for {node.name} of {function}")


class Writer:
    def __init__(self, header: Header) -> None:
        self.header = header
        self.lines: list[str] = []

    def write(self, *lines: str) -> None:
        self.lines += lines

    def number(self, header_type: str, name: str) -> str | None:
        """An expression for a random value of a non-pointer type, or None."""
        if header_type in self.header.enums:
            values = ", ".join(self.header.enums[header_type])
            count = len(self.header.enums[header_type])
            return f"({header_type})draw_constant(caller, (const int[]){{{values}}}, {count})"
        if header_type in NUMBERS:
            return f'({header_type})draw_number(caller, "{name}")'
        if header_type in ("float", "double"):
            return f"({header_type})draw_real(caller)"
        return None

    # Structs passed to functions

    def drawn_struct(self, struct: str) -> None:
        members = self.header.structs[struct]
        self.write(f"static void fill_{struct}(struct caller *caller, {struct} *it) {{")
        for member, following in zip(members, [*members[1:], None]):
            name, pointers, _, inner = shape(member)
            field = member.name
            if field.endswith("_count") or field.endswith("_size") and field != "struct_size":
                continue
            elif field == "struct_size":
                self.write(f"  it->{field} = draw_size(caller, sizeof *it);")
            elif pointers == 0 and self.number(name, field):
                self.write(f"  it->{field} = {self.number(name, field)};")
            elif isinstance(inner, c_ast.ArrayDecl) and self.number(name, field):
                self.write(f"  for (size_t i = 0; i < sizeof it->{field} / sizeof *it->{field}; i++)")
                self.write(f"    it->{field}[i] = {self.number(name, field)};")
            elif pointers == 1 and name == "char":
                self.write(f'  it->{field} = draw_text(caller, "{field}");')
            elif pointers == 1 and name in self.header.structs and following and following.name.endswith("_count"):
                count = f"it->{following.name}"
                self.write(f"  size_t {field}_count = draw_count(caller);")
                self.write(f"  {count} = draw_claimed_count(caller, {field}_count);")
                self.write(f"  it->{field} = draw_{name}s(caller, {field}_count);")
            elif pointers == 1 and name in self.header.nouns:
                # Borrowed in a callback, and ignored in arguments.
                self.write(f"  it->{field} = POISON;")
            elif pointers == 1 and name == "uint8_t" and following and following.name == f"{field}_size":
                self.write(f"  it->{field} = draw_bytes(caller, &it->{following.name});")
            else:
                refuse(struct, member)
        self.write("}", "")

    def drawn_pointer(self, struct: str) -> None:
        self.write(
            f"static const {struct} *draw_{struct}(struct caller *caller) {{",
            f"  {struct} it;",
            "  int isNull = one_in(caller, 3);",
            "  memset(&it, 0, sizeof it);",
            f"  fill_{struct}(caller, &it);",
            "  return isNull ? NULL : sized_copy(caller, &it, it.struct_size, sizeof it);",
            "}",
            "",
        )

    def drawn_array(self, struct: str) -> None:
        self.write(
            f"static const {struct} *draw_{struct}s(struct caller *caller, size_t count) {{",
            f"  {struct} *all = room(caller, count * sizeof *all);",
            "  for (size_t i = 0; i < count; i++)",
            f"    fill_{struct}(caller, &all[i]);",
            "  return count ? all : NULL;",
            "}",
            "",
        )

    # Structs passed to callbacks: every field is read, every handle may be kept

    def visited_struct(self, struct: str) -> None:
        members = self.header.structs[struct]
        self.write(f"static void visit_{struct}(struct caller *caller, const {struct} *it) {{")
        for member, following in zip(members, [*members[1:], None]):
            name, pointers, _, inner = shape(member)
            field = f"it->{member.name}"
            if field == "it->code" and struct == "jacquard_error":
                self.write(f"  see_code({field});")
            elif field == "it->service_process":
                self.write(f"  see_service({field});")
            elif pointers == 0 or isinstance(inner, c_ast.ArrayDecl):
                self.write(f"  see(&{field}, sizeof {field});")
            elif name == "char":
                self.write(f"  see_text({field});")
            elif name in self.header.nouns:
                self.write(f"  borrow(caller, {self.header.kind(name)}, {field});")
            elif name == "uint8_t" and following and following.name in ("size", f"{member.name}_size"):
                self.write(f"  see({field}, it->{following.name});")
            elif name in self.header.structs:
                is_array = following and (following.name.endswith("_count") or following.name == "count")
                count = f"it->{following.name}" if is_array else f"!!{field}"
                self.write(f"  for (size_t i = 0; i < (size_t)({count}); i++)")
                self.write(f"    visit_{name}(caller, &{field}[i]);")
            else:
                refuse(struct, member)
        self.write("}", "")

    def callback(self, name: str) -> None:
        node = self.header.callbacks[name]
        function = node.type.type
        listed = function.args.params
        words = [f"{self._declared(each)}" for each in listed]
        if name == "jacquard_motion_part_callback":
            # Called inside the function that receives it; the rules for callbacks of a manager do not apply.
            self.write(f"static void on_{name}({', '.join(words)}) {{", f"  visit_{shape(listed[0])[0]}(NULL, part);", "}", "")
            return
        result = shape(c_ast.Decl(None, None, None, None, None, function.type, None, None))[0]
        self.write(f"static {result} on_{name}({', '.join(words)}) {{")
        self.write(f'  struct caller inner, *caller = enter(&inner, user_data, "{name}");')
        for parameter, following in zip(listed, [*listed[1:], None]):
            kind, pointers, _, _ = shape(parameter)
            if parameter.name == "user_data":
                continue
            elif pointers == 0:
                self.write(f"  see(&{parameter.name}, sizeof {parameter.name});")
            elif pointers == 1 and kind in self.header.nouns:
                self.write(f"  borrow(caller, {self.header.kind(kind)}, {parameter.name});")
            elif kind == "jacquard_error":
                self.write(f"  if ({parameter.name})", f"    visit_{kind}(caller, {parameter.name});")
                self.write("  else", "    ADD(succeeded[caller->run->function], 1);")
            elif pointers == 1 and kind in self.header.structs:
                self.write(f"  if ({parameter.name})", f"    visit_{kind}(caller, {parameter.name});")
            elif pointers == 2 and kind in self.header.structs and following.name == "count":
                self.write("  for (size_t i = 0; i < count; i++)")
                self.write(f"    visit_{kind}(caller, {parameter.name}[i]);")
            else:
                refuse(name, parameter)
        if result == "int":
            self.write("  int failure = one_in(caller, 16);", "  leave(caller);", "  return failure;", "}", "")
        else:
            self.write("  leave(caller);", "}", "")

    @staticmethod
    def _declared(parameter: Any) -> str:
        return str(c_generator.CGenerator().visit(parameter))

    # Calls

    def call(self, function: Any) -> None:
        listed = parameters(function)
        counted = {each.name for each, following in zip(listed, listed[1:]) if following.name == f"{each.name}_count"}
        outs = [
            each
            for each in listed
            if shape(each)[1] == 2 and shape(each)[0] in self.header.nouns and each.name not in counted
        ]
        user = any(each.name == "user_data" for each in listed)
        made = self.header.kind(shape(outs[0])[0]) if outs else "NOTHING"
        handles = [each for each in listed if shape(each)[1] == 1 and shape(each)[0] in self.header.nouns]
        body, after = list[str](), list[str]()
        for parameter, following in zip(listed, [*listed[1:], None]):
            kind, pointers, _, _ = shape(parameter)
            if parameter in handles:
                body.append(f"  struct target on = draw_target(caller, {self.header.kind(kind)});")
                body.append(f"  {self._declared(parameter)} = on.handle;")
            elif parameter in outs:
                body.append(f"  {kind} *made = POISON, *{'*' + parameter.name} = one_in(caller, 8) ? NULL : &made;")
            elif pointers == 2:
                self.indirect(function, parameter, following, body, after)
            else:
                self.argument(function, parameter, following, body)
        if user:
            index = next(i for i, line in enumerate(body) if "struct target" in line)
            body.insert(index + 2, f"  struct registration *registration = draw_registration(caller, {made}, on);")
        self.write(f"static void call_{function.name}(struct caller *caller) {{", *body)
        self.begin_and_end(function, made, handles, outs, user, after)
        self.write("}", "")

    def indirect(self, function: Any, parameter: Any, following: Any, body: list[str], after: list[str]) -> None:
        name, (kind, _, const, _) = parameter.name, shape(parameter)
        if kind in self.header.nouns:
            body.append(f"  struct target listed = draw_target(caller, {self.header.kind(kind)});")
            body.append(f"  {kind} *one = listed.handle, *const *{name} = one_in(caller, 8) ? NULL : &one;")
            body.append(f"  size_t {following.name} = one_in(caller, 8) ? 0 : 1;")
        elif const and kind in self.header.structs:
            body.append(f"  const {kind} *told = POISON, **{name} = one_in(caller, 8) ? NULL : &told;")
            # Another thread may release the handle; the reported data is valid until then.
            body.append("  void *held = on.sort == MEANT ? ref_handle(on.kind, on.handle) : NULL;")
            after.append(f"  if (status >= 0 && {name} && held)\n    visit_{kind}(caller, told);")
            after.append("  unref_handle(on.kind, held);")
            after.append("  if (status < 0) require(caller, told == POISON, \"an output was touched\");")
        elif kind == "uint8_t":
            body.append(f"  const {kind} *told = NULL, **{name} = one_in(caller, 8) ? NULL : &told;")
        else:
            refuse(function.name, parameter)

    def argument(self, function: Any, parameter: Any, following: Any, body: list[str]) -> None:
        name, (kind, pointers, const, _) = parameter.name, shape(parameter)
        declared = self._declared(parameter)
        if name == "user_data":
            body.append("  struct registration *user_data = registration;")
        elif kind == DESTROY:
            body.append(f"  {kind} {name} = draw_destroy(caller, registration);")
        elif kind in self.header.callbacks:
            body.append(f"  {kind} {name} = one_in(caller, 32) ? NULL : on_{kind};")
        elif pointers == 1 and kind == "char" and const:
            body.append(f'  {declared} = draw_text(caller, "{name}");')
        elif pointers == 1 and kind == "uint8_t" and const and following.name == "size":
            body.append("  size_t size = 0;", )
            body.append(f"  {declared} = draw_bytes(caller, &size);")
        elif pointers == 1 and kind == "uint8_t" and const and following.name == "line_count":
            body.append("  size_t line_count = 0;")
            body.append(f"  {declared} = draw_bytes(caller, &line_count);")
            body.append("  line_count = line_count > 12 && !one_in(caller, 8) ? 12 : line_count;")
        elif pointers == 1 and kind in self.header.structs and following and following.name == f"{name}_count":
            body.append(f"  size_t {following.name} = draw_count(caller);")
            body.append(f"  {declared} = draw_{kind}s(caller, {following.name});")
        elif pointers == 1 and following and following.name == "room":
            # Often more than the least that is accepted.
            body.append("  size_t room_ = draw_count(caller) + (one_in(caller, 4) ? 0 : 8);")
            body.append(f"  {declared} = one_in(caller, 8) ? NULL : room(caller, room_ * sizeof *{name});")
        elif name == "room":
            body.append(f"  {declared} = room_;")
        elif pointers == 1 and kind in self.header.structs and const and self.header.is_sized(kind):
            body.append(f"  {declared} = draw_{kind}(caller);")
        elif pointers == 1 and kind in self.header.structs and const:
            body.append(f"  {kind} {name}_;")
            body.append(f"  fill_{kind}(caller, &{name}_);")
            body.append(f"  {declared} = one_in(caller, 8) ? NULL : &{name}_;")
        elif pointers == 1 and kind in self.header.structs and self.header.is_sized(kind):
            body.append(f"  {kind} *{name} = ({kind} *)(size_t)draw_{kind}(caller);")
        elif pointers == 1 and kind in NUMBERS:
            body.append(f"  {kind} number = 0, *{name} = one_in(caller, 8) ? NULL : &number;")
        elif name == "size" or name.endswith("_count"):
            return
        elif pointers == 0 and self.number(kind, name):
            body.append(f"  {declared} = {self.number(kind, name)};")
        else:
            refuse(function.name, parameter)

    def begin_and_end(
        self, function: Any, made: str, handles: list[Any], outs: list[Any], user: bool, after: list[str]
    ) -> None:
        """The call, and what is checked and kept after it."""
        result, pointers, const, _ = shape(c_ast.Decl(None, None, None, None, None, function.type.type, None, None))
        called = f"{function.name}({', '.join(each.name for each in parameters(function))})"
        target = "&on" if handles else "NULL"
        self.write(f"  begin(caller, {target});")
        if pointers == 1 and result in self.header.nouns:
            self.write(f"  {result} *same = {called};", "  end(caller);")
            self.write(f"  {'came' if function.name.endswith('_ref') else 'went'}(caller, &on, same);")
        elif pointers == 1 and result == "char":
            self.write(f"  const char *text = {called};", "  end(caller);")
            self.write('  require(caller, text != NULL, "no text");', "  see_text(text);")
        elif pointers == 1 and result in self.header.structs:
            self.write(f"  const {result} *told = {called};", "  end(caller);")
            self.write("  if (told)", f"    visit_{result}(caller, told);")
        elif result == "int":
            self.write(f"  int status = {called};", "  end(caller);", f"  judge(caller, {target}, status);", *after)
            if outs:
                self.write("  if (status < 0) require(caller, made == POISON, \"an output was touched\");")
            if user:
                self.write("  settle(registration, status);")
            if outs:
                of = "&on" if handles else "NULL"
                registration = "registration" if user else "NULL"
                self.write(f"  if (status >= 0 && {outs[0].name})")
                self.write(f"    keep(caller, {made}, made, {of}, {registration});")
        elif pointers == 0 and result in NUMBERS:
            self.write(f"  see(&({result}[]){{{called}}}, sizeof({result}));", "  end(caller);")
        else:
            refuse(function.name, function)

    def tables(self) -> None:
        names = [function.name for function in self.header.functions]
        self.write("static const struct function functions[] = {")
        self.write(*(f'  {{ "{name}", call_{name} }},' for name in names))
        self.write("};", "", f"enum {{ FUNCTIONS = {len(names)} }};")


def references(header: Header) -> Iterator[str]:
    """Functions that take or release a reference by its kind, for cleaning up."""
    for word, result in (("ref", "return"), ("unref", "(void)")):
        kind = "void *" if word == "ref" else "void "
        yield f"static {kind}{word}_handle(enum kind kind, void *handle) {{"
        yield "  switch (kind) {"
        for noun in header.nouns:
            yield f"  case {header.kind(noun)}:"
            yield f"    {result} {noun}_{word}(handle);" + ("" if word == "ref" else "\n    return;")
        yield "  default: return NULL;" if word == "ref" else "  default: return;"
        yield "  }"
        yield "}"
        yield ""


def written(text: str) -> str:
    header = Header(text)
    writer = Writer(header)
    writer.write("/* Written by Tests/Search/monkey/generate.py. */", *INCLUDES, "")
    kinds = ", ".join(header.kind(noun) for noun in header.nouns)
    names = ", ".join(f'"{noun}"' for noun in header.nouns)
    writer.write(f"#define KIND_NAMES {names}", f"enum kind {{ {kinds}, KINDS, NOTHING }};", "")
    writer.write(*references(header), '#include "world.h"', "")
    for struct in header.structs:
        writer.write(f"static void visit_{struct}(struct caller *caller, const {struct} *it);")
    writer.write("")
    for struct in header.structs:
        writer.visited_struct(struct)
    for name in header.callbacks:
        if name != DESTROY:
            writer.callback(name)
    handed_in = set()
    for function in header.functions:
        handed_in |= {shape(each)[0] for each in parameters(function) if shape(each)[1] == 1}
    elements = {
        shape(member)[0]
        for struct in handed_in & set(header.structs)
        for member in header.structs[struct]
        if shape(member)[1] == 1
    }
    for struct in header.structs:
        if struct in handed_in | elements and not header.is_sized(struct):
            writer.drawn_struct(struct)
            writer.drawn_array(struct)
    for struct in header.structs:
        if struct in handed_in and header.is_sized(struct):
            writer.drawn_struct(struct)
            writer.drawn_pointer(struct)
    for function in header.functions:
        writer.call(function)
    writer.tables()
    return "\n".join(writer.lines) + "\n"


class LayerWriter(Writer):
    """Sessions and tags of the layer are addresses: a call either holds its arguments or has exclusive access to
    them."""

    OWN = {"jb_session": "hold_session", "jb_tag": "hold_tag"}

    def call(self, function: Any) -> None:
        listed = parameters(function)
        body, after = [], []
        is_last = function.name in ("jb_close", "jb_disconnect")
        for parameter, following in zip(listed, [*listed[1:], None]):
            name, (kind, pointers, const, _) = parameter.name, shape(parameter)
            declared = self._declared(parameter)
            if kind in self.OWN and pointers == 1:
                body.append(f"  {declared} = {self.OWN[kind]}(caller, {int(is_last)});")
            elif kind == "jb_error" and pointers == 1:
                body.append(f"  {declared} = draw_error(caller);")
            elif pointers == 1 and following and following.name == "room":
                body.append("  size_t room_ = draw_count(caller);")
                body.append(f"  {declared} = room(caller, room_ * sizeof *{name});")
            elif name == "timeout_ms":
                body.append(f"  {declared} = draw_wait(caller);")
            elif name == "room":
                body.append(f"  {declared} = room_;")
            elif pointers == 1 and kind == "jb_event":
                body.append(f"  {declared} = room(caller, sizeof *{name});")
            elif pointers == 1 and kind == "char" and const:
                body.append(f'  {declared} = draw_text(caller, "{name}");')
            elif pointers == 1 and kind in self.header.structs and following and following.name == f"{name}_count":
                body.append(f"  size_t {following.name} = draw_count(caller);")
                body.append(f"  {declared} = draw_{kind}s(caller, {following.name});")
            elif pointers == 1 and kind in self.header.structs and const:
                body.append(f"  {declared} = draw_{kind}(caller);")
            elif name.endswith("_count"):
                continue
            elif pointers == 0 and self.number(kind, name):
                body.append(f"  {declared} = {self.number(kind, name)};")
            else:
                refuse(function.name, parameter)
        result, pointers, _, _ = shape(c_ast.Decl(None, None, None, None, None, function.type.type, None, None))
        called = f"{function.name}({', '.join(each.name for each in listed)})"
        if function.name == "jb_open":
            called, after = f"jb_session *made = {called}", ["  keep_session(made);"]
        elif pointers == 1 and result == "jb_tag":
            called, after = f"jb_tag *made = {called}", ["  keep_tag(session, made);"]
        elif is_last:
            after = [f"  forget_{listed[0].name}({listed[0].name});"]
        elif pointers == 0 and result not in NUMBERS and result != "void":
            called, after = f"{result} made = {called}", ["  see(&made, sizeof made);"]
        self.write(f"static void call_{function.name}(struct caller *caller) {{", *body)
        self.write("  begin(caller);", f"  {called};", "  end(caller);", *after, "  release(caller);", "}", "")


def written_layer(text: str, layer: str) -> str:
    body = re.sub(r"^#include.*$", "", layer, flags=re.MULTILINE)
    header = Header(text + body)
    header.functions = [each for each in header.functions if each.name.startswith("jb_")]
    writer = LayerWriter(header)
    writer.write("/* Written by Tests/Search/monkey/generate.py. */", '#include "waits.h"', "")
    handed_in = {shape(each)[0] for function in header.functions for each in parameters(function)}
    handed_in = {each for each in handed_in if each in header.structs and each.startswith("jacquard_")}
    elements = {shape(member)[0] for each in handed_in for member in header.structs[each] if shape(member)[1] == 1}
    for struct in sorted(handed_in | elements & set(header.structs), key=lambda each: (header.is_sized(each), each)):
        writer.drawn_struct(struct)
        writer.drawn_pointer(struct) if header.is_sized(struct) else writer.drawn_array(struct)
    for function in header.functions:
        writer.call(function)
    writer.tables()
    return "\n".join(writer.lines) + "\n"


if __name__ == "__main__":
    texts = [whole(path) if path.is_dir() else path.read_text() for path in map(Path, sys.argv[1:])]
    print(written(*texts) if len(texts) == 1 else written_layer(*texts), end="")
