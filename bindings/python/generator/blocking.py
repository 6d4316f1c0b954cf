"""Generates the blocking classes of the package, jacquard/blocking.py, from the asyncio classes.

A method that waits runs to its end and takes a `timeout`. Objects of the package get their blocking form, also inside
streams. `async with` and `async for` become `with` and `for`. Signatures, types and documentation are unchanged.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterable
from pathlib import Path

LINE_LENGTH = 120
NOTICE = "Generated from the asyncio classes by bindings/python/generator; do not edit."
MODULE = f'''"""The same without asyncio: every call waits in the calling thread, by poll(), with the interpreter's lock released.

The library works only while a call waits. Any thread may use a manager and what came from it: calls wait for their turn.
A callback runs in one of the threads that wait, whose call ends with the exceptions of callbacks; it cannot wait itself.
What waits takes a `timeout` in seconds, after which it raises TimeoutError.

{NOTICE}
"""
'''
# Classes by the module that has their asyncio form; a later one uses those before it.
CLASSES = {"Component": "component", "Tag": "tag", "Stream": "stream", "Connection": "connection", "Manager": "manager"}
# Modules with the values that streams hold.
VALUES = ["events", "values"]
PROTOCOL = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
}
WORDS = {"an `async with`": "a `with`", "`async with`": "`with`", "An async iterator": "An iterator"}
NEXT = """def __next__(self) -> Item:
    item = self.next()
    if item is None:
        raise StopIteration
    return item"""
TIMEOUT = "timeout: float | None = None"


def blocking(package: Path) -> str:
    """The text of the module."""
    sources = {name: ast.parse((package / f"{name}.py").read_text()) for name in [*CLASSES.values(), *VALUES]}
    classes = [translated(name, class_of(sources[module], name)) for name, module in CLASSES.items()]
    body = "\n\n\n".join([forms(sources), *classes])
    exported = "".join(f'    "{name}",\n' for name in sorted(CLASSES))
    return (
        f"{MODULE}\nfrom __future__ import annotations\n\n{imports(body, sources)}\n"
        f"__all__ = [\n{exported}]\n\n{type_variables(body, sources)}\n\n{body}\n"
    )


def class_of(source: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in source.body if isinstance(node, ast.ClassDef) and node.name == name)


# The blocking form of the items of a stream.


def forms(sources: dict[str, ast.Module]) -> str:
    held = {name: field for module in VALUES for name, field in holders(sources[module])}
    fields = "".join(f'    {name}: "{field}",\n' for name, field in sorted(held.items()))
    classes = "".join(f"        Async{name}: {name},\n" for name in sorted(CLASSES) if name.lower() in held.values())
    return f'''# Values that hold an object of this package, and the field that it is in.
HOLDERS: dict[type[Any], str] = {{
{fields}}}


def blocking_form(driver: PollDriver, item: Any) -> Any:
    """An item of a stream, with the blocking form of the object that it holds."""
    field = HOLDERS.get(type(item))
    held = None if field is None else getattr(item, field)
    if field is None or held is None:
        return item
    classes: dict[type[Any], Any] = {{
{classes}    }}
    return type(item)(**{{**vars(item), field: classes[type(held)](driver, held)}})


def receiver(driver: PollDriver, callback: Callable[[Any], object]) -> Callable[[Any], object]:
    """A callback that passes on the blocking form. It does not keep the object that it is registered with."""
    return lambda item: callback(blocking_form(driver, item))'''


def holders(source: ast.Module) -> Iterable[tuple[str, str]]:
    """Generic dataclasses, each with its field of the variable type."""
    for node in source.body:
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                if isinstance(base, ast.Subscript) and ast.unparse(base.value) == "Generic":
                    variable = ast.unparse(base.slice)
                    for field in node.body:
                        if isinstance(field, ast.AnnAssign) and variable in names(field.annotation):
                            yield node.name, ast.unparse(field.target)


# Classes


def translated(name: str, source: ast.ClassDef) -> str:
    bases = f"({', '.join(ast.unparse(base) for base in source.bases)})" if source.bases else ""
    decorators = "".join(f"@{ast.unparse(each)}\n" for each in source.decorator_list)
    parts = [f"{decorators}class {name}{bases}:\n{docstring(source, 1)}"]
    for node in source.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            method = translated_method(name, node)
            if method:
                parts.append(textwrap.indent(method, "    "))
    return "\n\n".join(part.rstrip("\n") for part in parts)


def translated_method(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if node.name == "__init__":
        return constructor(owner, node)
    if node.name in PROTOCOL:
        return protocol(node)
    if node.name == "__eq__":
        return f"{signature(node)}\n    return isinstance(other, {owner}) and self._async == other._async"
    if node.name in ("__hash__", "__repr__"):
        return f"{signature(node)}\n    return {node.name.strip('_')}(self._async)"
    if node.name.startswith("_"):
        return ""
    decorators = "".join(f"@{ast.unparse(each)}\n" for each in node.decorator_list)
    if "@overload" in decorators:
        return f"{decorators}{signature(node)} ..."
    return f"{decorators}{signature(node, own_timeout(node))}\n{docstring(node, 1)}{body(node)}"


def own_timeout(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The timeout parameter that a waiting method needs; coroutines use asyncio.wait_for() instead."""
    has_one = "timeout" in [parameter.arg for parameter in node.args.args + node.args.kwonlyargs]
    return [TIMEOUT] if isinstance(node, ast.AsyncFunctionDef) and not has_one else []


def constructor(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Returns an initializer. One class is not created by another, and creates the driver; the others receive it."""
    parameters = [parameter.arg for parameter in node.args.kwonlyargs]
    if "driver" not in parameters:
        given = "Any" if owner == "Stream" else ""
        of = f"Async{owner}[{given}]" if given else f"Async{owner}"
        return (
            f"def __init__(self, driver: PollDriver, origin: {of}) -> None:\n"
            "    self._driver = driver\n    self._async = origin"
        )
    node.args.kw_defaults.pop(parameters.index("driver"))
    node.args.kwonlyargs.pop(parameters.index("driver"))
    call = wrapped(f"self._async = Async{owner}(", [*arguments(node), "driver=self._driver"], ")", 8)
    return f"{signature(node)}\n    self._driver = PollDriver()\n{textwrap.indent(call, '    ')}"


def protocol(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """A protocol method: unchanged, except for the waiting, and for private parts, which only the asyncio form has."""
    if node.name == "__anext__":
        return NEXT
    lines = [ast.unparse(Blocking().visit(statement)) for statement in node.body]
    text = textwrap.indent("\n".join(lines), "    ")
    node.name = PROTOCOL[node.name]
    return f"{signature(node)}\n{text}"


class Blocking(ast.NodeTransformer):
    def visit_Await(self, node: ast.Await) -> ast.AST:
        """Public methods have a blocking form."""
        awaited = ast.unparse(self.visit(node.value))
        if awaited.startswith("self._async."):
            awaited = f"self._driver.run({awaited})"
        return ast.parse(awaited, mode="eval").body

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if ast.unparse(node.value) == "self" and node.attr.startswith("_"):
            return ast.parse(f"self._async.{node.attr}", mode="eval").body
        return self.generic_visit(node)


def body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Calls the asyncio form and returns the blocking form of its result."""
    return textwrap.indent(statement(node), "    ")


def statement(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    gives = ast.unparse(node.returns) if node.returns else "None"
    waits = isinstance(node, ast.AsyncFunctionDef)
    if any(ast.unparse(each) == "property" for each in node.decorator_list):
        return returned(gives, f"self._async.{node.name}", 8)
    # A call that does not wait starts, ends or makes something that another thread may be using.
    column = 8 if waits else 12
    depth = column + sum(4 for wrapping in (waits, is_object(gives)) if wrapping)
    called = wrapped(f"self._async.{node.name}(", arguments(node), ")", depth)
    if waits:
        # A limit of the library begins when a command is sent; the driver also limits the wait for that.
        parts = [called, "timeout" if own_timeout(node) else "limited=timeout"]
        return returned(gives, wrapped("self._driver.run(", parts, ")", 8), 8)
    return "with self._driver.turn:\n" + textwrap.indent(returned(gives, called, column), "    ")


def returned(gives: str, called: str, column: int) -> str:
    if gives == "None":
        return called
    if is_object(gives):
        return wrapped(f"return {gives.split('[')[0]}(", ["self._driver", called], ")", column)
    listed = gives.removeprefix("list[").removesuffix("]")
    if is_object(listed):
        return f"return [{listed}(self._driver, each) for each in {called}]"
    if "Item" in gives:
        return f"item: {gives} = blocking_form(self._driver, {called})\nreturn item"
    return f"return {called}"


def is_object(type: str) -> bool:
    return type.split("[")[0] in CLASSES


# Text


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, more: list[str] | None = None) -> str:
    gives = ast.unparse(node.returns) if node.returns else "None"
    return wrapped(f"def {node.name}(", parameters(node.args, more or []), f") -> {gives}:", 4)


def parameters(given: ast.arguments, more: list[str]) -> list[str]:
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    listed = [parameter(each, default) for each, default in zip(plain, defaults)]
    if given.posonlyargs:
        listed.insert(len(given.posonlyargs), "/")
    keywords = [parameter(each, default) for each, default in zip(given.kwonlyargs, given.kw_defaults)] + more
    if given.vararg:
        listed.append(f"*{parameter(given.vararg, None)}")
    elif keywords:
        listed.append("*")
    return listed + keywords


def parameter(given: ast.arg, default: ast.expr | None) -> str:
    typed = given.arg if given.annotation is None else f"{given.arg}: {ast.unparse(given.annotation)}"
    if default is None:
        return typed
    return f"{typed} = {ast.unparse(default)}" if given.annotation else f"{typed}={ast.unparse(default)}"


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """A method's parameters, passed on; a callback receives the blocking forms."""
    listed = [
        f"receiver(self._driver, {each.arg})"
        if each.annotation and ast.unparse(each.annotation).startswith("Callable[[A]")
        else each.arg
        for each in [*node.args.posonlyargs, *node.args.args]
        if each.arg != "self"
    ]
    if node.args.vararg:
        listed.append(f"*{node.args.vararg.arg}")
    return listed + [f"{each.arg}={each.arg}" for each in node.args.kwonlyargs]


def wrapped(start: str, parts: list[str], end: str, column: int) -> str:
    """A call on one line; or its parts on a separate line; or each on a separate line. It starts at this column."""
    line = f"{start}{', '.join(parts)}{end}"
    if column + len(line) <= LINE_LENGTH and "\n" not in line:
        return line
    line = ", ".join(parts)
    if column + 4 + len(line) <= LINE_LENGTH and "\n" not in line:
        return f"{start}\n    {line}\n{end}"
    comma = "," if len(parts) > 1 else ""
    return f"{start}\n" + "".join(textwrap.indent(part, "    ") + f"{comma}\n" for part in parts) + end


def docstring(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, level: int) -> str:
    text = ast.get_docstring(node)
    if text is None:
        return ""
    for word, other in WORDS.items():
        text = text.replace(word, other)
    quoted = f'"""{text}\n"""' if "\n\n" in text else f'"""{text}"""'
    return "\n".join("    " * level + line if line else "" for line in quoted.splitlines()) + "\n"


# The needs of the module


def names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def imports(body: str, sources: dict[str, ast.Module]) -> str:
    used = names(ast.parse(body))
    origins: dict[str, tuple[str, ...]] = {
        "Any": ("typing",),
        "PollDriver": ("._core.poll_driver",),
    }
    for module, source in sources.items():
        for node in ast.walk(source):
            if isinstance(node, ast.Import):
                origins.update({alias.name: (alias.name,) for alias in node.names})
            elif isinstance(node, ast.ImportFrom):
                origins.update({alias.name: ("." * node.level + str(node.module),) for alias in node.names})
        for statement in source.body:
            for target in statement.targets if isinstance(statement, ast.Assign) else []:
                origins.setdefault(ast.unparse(target), (f".{module}",))
            if isinstance(statement, ast.ClassDef):
                origins[statement.name] = (f".{module}",)
    wanted: dict[str, set[str]] = {}
    variables = set(type_variables_of(sources))
    for name in used - set(CLASSES) - set(dir(builtins)) - variables | ({"TypeVar"} if used & variables else set()):
        plain = name.removeprefix("Async")
        if name in origins:
            wanted.setdefault(origins[name][0], set()).add(name)
        elif plain in CLASSES:
            wanted.setdefault(f".{CLASSES[plain]}", set()).add(f"{plain} as {name}")
    later = for_types(sources) & wanted.keys()
    if not later:
        return written(wanted)
    wanted.setdefault("typing", set()).add("TYPE_CHECKING")
    block = written({module: wanted.pop(module) for module in later}).strip("\n")
    return f"{written(wanted)}\nif TYPE_CHECKING:\n{textwrap.indent(block, '    ')}\n"


def for_types(sources: dict[str, ast.Module]) -> set[str]:
    """The package's modules that the asyncio classes import for their types only."""
    return {
        f".{node.module}"
        for source in sources.values()
        for block in source.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    }


def written(wanted: dict[str, set[str]]) -> str:
    """The import lines: the standard library's before the package's own."""
    lines: list[str] = []
    for own in (False, True):
        modules = sorted(module for module in wanted if module.startswith(".") == own)
        plain = [module for module in modules if wanted[module] == {module}]
        lines += [f"import {module}" for module in plain]
        for module in modules:
            if module not in plain:
                parts = sorted(wanted[module], key=lambda part: (not part.isupper(), part))
                line = f"from {module} import {', '.join(parts)}"
                if len(line) > LINE_LENGTH:
                    line = f"from {module} import (\n" + "".join(f"    {part},\n" for part in parts) + ")"
                lines.append(line)
        lines.append("")
    return "\n".join(lines)


def type_variables_of(sources: dict[str, ast.Module]) -> dict[str, str]:
    return {
        ast.unparse(statement.targets[0]): ast.unparse(statement).replace("'", '"')
        for module in CLASSES.values()
        for statement in sources[module].body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.value).startswith("TypeVar(")
    }


def type_variables(body: str, sources: dict[str, ast.Module]) -> str:
    used = names(ast.parse(body))
    return "\n".join(line for name, line in type_variables_of(sources).items() if name in used)
