"""Frozen dataclasses that are defined in a tenth of the time.

The standard library's decorator imports `inspect` and compiles eight functions for each class. This one compiles
`__init__`; the other methods are the same for all classes. The functions of `dataclasses` work with these classes too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple


class Methods:
    """The methods that each class gets."""

    __match_args__: tuple[str, ...]
    _compared: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__match_args__)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return values(self, self._compared) == values(other, self._compared)

    def __hash__(self) -> int:
        return hash(values(self, self._compared))

    def __setattr__(self, name: str, value: object) -> None:
        refuse(self, name, "assign to")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        refuse(self, name, "delete")
        object.__delattr__(self, name)

    def __replace__(self, **changes: Any) -> Any:
        return type(self)(**dict(zip(self.__match_args__, values(self, self.__match_args__))) | changes)


def values(item: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple([getattr(item, name) for name in names])


def refuse(item: Any, name: str, action: str) -> None:
    """Only a subclass may have attributes of its own."""
    if name in item.__match_args__ or "__dataclass_fields__" in vars(type(item)):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {action} field {name!r}")


class Described:
    """An attribute that `dataclasses` expects of a class, taken from one that it creates when it is first needed."""

    def __init__(self, cls: type[Any], name: str) -> None:
        self._class = cls
        self._name = name

    def __get__(self, item: object, owner: type[Any]) -> Any:
        import dataclasses

        fields = [
            (name, self._class.__annotations__[name], dataclasses.field(default=default, compare=name in self._class._compared))
            for name in self._class.__match_args__
            for default in [getattr(self._class, name, dataclasses.MISSING)]
        ]
        return getattr(dataclasses.make_dataclass(self._class.__name__, fields, frozen=True), self._name)


def initializer(cls: type[Any], types: dict[str, Any]) -> Any:
    defaults = {name: cls.__dict__[name] for name in types if name in cls.__dict__}
    parameters = ", ".join(["self", *(f"{name}=defaults[{name!r}]" if name in defaults else name for name in types)])
    # Not by setattr(), which refuses it.
    assignments = "".join(f"\n    fields[{name!r}] = {name}" for name in types)
    namespace: dict[str, Any] = {"defaults": defaults}
    exec(f"def __init__({parameters}):\n    fields = self.__dict__{assignments}", namespace)
    function = namespace["__init__"]
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    function.__annotations__ = {**types, "return": None}
    return function


class Uncompared(NamedTuple):
    default: Any


def uncompared(default: Any) -> Any:
    """The default of a field that does not make two objects different."""
    return Uncompared(default)


def define(cls: type[Any]) -> type[Any]:
    # Annotations are there in each version of Python only if the module has `from __future__ import annotations`.
    types = cls.__dict__.get("__annotations__", {})
    uncompared = {name: value for name, value in vars(cls).items() if isinstance(value, Uncompared)}
    for name, value in uncompared.items():
        setattr(cls, name, value.default)
    attributes = {
        **{name: method for name, method in vars(Methods).items() if callable(method)},
        **{name: Described(cls, name) for name in ("__dataclass_fields__", "__dataclass_params__")},
        "__init__": initializer(cls, types),
        "__match_args__": tuple(types),
        "_compared": tuple(name for name in types if name not in uncompared),
    }
    for name, value in attributes.items():
        setattr(cls, name, value)
    return cls


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool) -> Callable[[type[Any]], type[Any]]:
        return define
