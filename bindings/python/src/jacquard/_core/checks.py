"""Checks the types of a caller's arguments before anything else happens, by the annotations of the function.

The error is raised in the frame that the caller called, in one sentence: "name is 5; expected text".
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Callable, NamedTuple, TypeVar

AnyClass = TypeVar("AnyClass", bound=type)

VARIABLE_ARGUMENTS = 0x04
COROUTINE = 0x80
LONGEST = 60
WITHOUT_NUL = "text without a NUL character"


class Mismatch(NamedTuple):
    """A value that a parameter, or a part of it, does not accept."""

    name: str
    value: object
    expected: str

    def __str__(self) -> str:
        return f"{self.name} is {shortened(self.value)}; expected {self.expected}"


# A check for one type: finds a mismatch in a value with this name.
Check = Callable[[str, Any], "Mismatch | None"]


def shortened(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def is_number(value: object) -> bool:
    """Whether a value is a number, including those of numpy; text is not."""
    return hasattr(type(value), "__float__")


def is_sized(value: object) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping))


def text(name: str, value: Any) -> Mismatch | None:
    """In C a NUL character would end it."""
    if not isinstance(value, str):
        return Mismatch(name, value, "text")
    return Mismatch(name, value, WITHOUT_NUL) if "\0" in value else None


def passing(test: Callable[[Any], bool], expected: str) -> Check:
    return lambda name, value: None if test(value) else Mismatch(name, value, expected)


def instances(types: Any, expected: str) -> Check:
    return passing(lambda value: isinstance(value, types), expected)


def is_color(value: Any) -> bool:
    return isinstance(value, (str, int)) or is_sized(value) and len(value) == 3 and all(isinstance(part, int) for part in value)


def is_identifier(value: Any) -> bool:
    return isinstance(value, str) or type(value).__name__ in ("Advertisement", "KnownTag", "UUID")


# The checks by their annotations.
CHECKS: dict[str, Check] = {
    "str": text,
    "int": instances(int, "a whole number"),
    "float": passing(is_number, "a number"),
    "bool": instances(int, "True or False"),
    "bytes": instances((bytes, bytearray, memoryview), "bytes"),
    "None": passing(lambda value: value is None, "None"),
    "os.PathLike[str]": instances(os.PathLike, "a path"),
    "IO[bytes]": passing(lambda value: hasattr(value, "read") or hasattr(value, "write"), "a file that is open for bytes"),
    "IO[str]": passing(lambda value: hasattr(value, "write"), "a file that is open for text"),
    "AnyIdentifier": passing(is_identifier, "a tag that was found, or its identifier"),
    "Color": passing(is_color, 'a colour, such as "teal", "#008080" or (0, 128, 128)'),
    "Value": passing(lambda value: isinstance(value, (bool, int, float, str)), "True, False, a number or text"),
}


def alternatives(annotation: str) -> Iterator[str]:
    """str and None for "str | None"; a bracket may contain another bar."""
    depth, begin = 0, 0
    for place, character in enumerate(annotation):
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            yield annotation[begin:place].strip()
            begin = place + 1
    yield annotation[begin:].strip()


def check_of(annotation: str) -> Check:
    checks = [single_check(each) for each in alternatives(annotation)]
    if len(checks) == 1:
        return checks[0]

    def check(name: str, value: Any) -> Mismatch | None:
        found = []
        for each in checks:
            mismatch = each(name, value)
            if mismatch is None:
                return None
            found.append(mismatch)
        # Prefer a mismatch of a part to one of the whole, and a wrong content to a wrong type.
        nested = next((each for each in found if each.name != name or each.expected == WITHOUT_NUL), None)
        return nested or Mismatch(name, value, " or ".join(each.expected for each in found))

    return check


def single_check(annotation: str) -> Check:
    if annotation in CHECKS:
        return CHECKS[annotation]
    kind, _, inner = annotation.rstrip("]").partition("[")
    if kind == "Callable":
        return passing(callable, "a function")
    if kind == "type":
        return instances(type, "a class")
    if kind == "Mapping":
        return parts(lambda value: isinstance(value, Mapping), "a mapping", check_of(inner.partition(", ")[2]), mapped)
    if kind == "Sequence":
        return parts(is_sized, f"a sequence of {inner}", check_of(inner), numbered)
    if kind == "tuple":
        count = inner.count(",") + 1
        expected = f"{count} numbers"
        return parts(lambda value: is_sized(value) and len(value) == count, expected, check_of(inner.partition(",")[0]), numbered)
    return of_package(kind)


def parts(test: Callable[[Any], bool], expected: str, inner: Check, listed: Callable[[str, Any], Iterator[tuple[str, Any]]]) -> Check:
    def check(name: str, value: Any) -> Mismatch | None:
        if not test(value):
            return Mismatch(name, value, expected)
        return next(filter(None, (inner(part, item) for part, item in listed(name, value))), None)

    return check


def numbered(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    return ((f"{name}[{place}]", item) for place, item in enumerate(value))


def mapped(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        yield f"a key of {name}", key
        yield f"{name}[{shortened(key)}]", item


def of_package(name: str) -> Check:
    """Returns the check for a class, which is only loaded when a value is to be checked. Numbers are accepted for enumerations, and anything
    for other names."""

    def check(parameter: str, value: Any) -> Mismatch | None:
        # Without loading a module that would only be needed for a valid value.
        if type(value).__name__ == name:
            return None
        known = getattr(sys.modules["jacquard"], name, object)
        types = tuple(getattr(known, "__args__", (int, known) if is_kind_of_number(known) else (known,)))
        if any(isinstance(each, type) and isinstance(value, each) for each in types):
            return None
        return Mismatch(parameter, value, f"a jacquard.{name}")

    return check


def is_kind_of_number(known: Any) -> bool:
    return isinstance(known, type) and issubclass(known, int)


class Parameters:
    """The checks of a function, which are made when it is first called."""

    def __init__(self, function: Any) -> None:
        code = function.__code__
        self._function = function
        self._names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
        self._rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & VARIABLE_ARGUMENTS else ""
        self._checks: dict[str, Check] | None = None

    def error(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Exception | None:
        """Returns the error of the first argument that is wrong."""
        checks = self._checks
        if checks is None:
            annotations = self._function.__annotations__.items()
            checks = self._checks = {name: check_of(each) for name, each in annotations if isinstance(each, str)}
        rest = ((self._rest, each) for each in arguments[len(self._names) :])
        for name, value in (*zip(self._names, arguments), *rest, *keywords.items()):
            found = checks[name](name, value) if name in checks else None
            if found is not None:
                is_content = isinstance(found.value, str) and found.expected == WITHOUT_NUL
                return ValueError(str(found)) if is_content else TypeError(str(found))
        return None


def guarded(function: Any) -> Any:
    parameters = Parameters(function)
    if function.__code__.co_flags & COROUTINE:

        @functools.wraps(function)
        async def waiting(*arguments: Any, **keywords: Any) -> Any:
            wrong = parameters.error(arguments, keywords)
            if wrong is not None:
                raise wrong
            return await function(*arguments, **keywords)

        return waiting

    @functools.wraps(function)
    def plain(*arguments: Any, **keywords: Any) -> Any:
        wrong = parameters.error(arguments, keywords)
        if wrong is not None:
            raise wrong
        return function(*arguments, **keywords)

    return plain


def checked(cls: AnyClass) -> AnyClass:
    """Decorates a class: the arguments of its public methods are checked."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            setattr(cls, name, type(member)(guarded(member.__func__)))
        elif hasattr(member, "__code__"):
            setattr(cls, name, guarded(member))
    if hasattr(cls, "__aenter__"):
        refuse_block(cls)
    return cls


def refuse_block(cls: Any) -> None:
    """A plain `with` says what this class needs."""

    def refuse(self: Any, *_: Any) -> None:
        raise TypeError(f"{cls.__name__} is entered with `async with`; {cls.__name__} of jacquard.blocking with `with`")

    cls.__enter__ = cls.__exit__ = refuse


def constructed(cls: AnyClass) -> AnyClass:
    """Like `checked`, for a class that callers create: the arguments of its constructor are checked as well."""
    cls.__init__ = guarded(cls.__init__)  # type: ignore[misc]
    return checked(cls)
