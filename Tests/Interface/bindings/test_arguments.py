"""Each function checks the types of its arguments first, and says in one sentence what is wrong."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import fixtures  # noqa: F401  # the library
import jacquard
import pytest
from jacquard import blocking

LONGEST = 200
# Classes whose methods are Python's own.
FOREIGN = (Exception, int, jacquard.MotionSamples)
PUBLIC = {
    each
    for module in (jacquard, blocking)
    for each in (getattr(module, name) for name in module.__all__)
    if inspect.isclass(each) and not issubclass(each, FOREIGN)
}
# Only the package makes these: their methods are checked, and not their constructors, which may run for each event.
MADE = set(
    """
    Adapter Advertisement Battery Component ComponentInfo Connection ConnectionState Counters ErrorDetails Gear Gesture
    KnownTag LoadedLibrary ModuleLoad MotionAction MotionCounts MotionFile MotionGap MotionRestart MotionSample
    MotionStatus Name Notification RawData RawValue Restoration Stream Subscription Tag TagInfo Touch TouchGesture
    TouchModeReport TouchPoint TouchTracker UpdateProgress UpdateResult
    """.split()
)


# Parameters that are not checked: drivers are for the tests of this package.
ANYTHING = {"driver"}


class Wrong:
    def __repr__(self) -> str:
        return "wrong" * 100


def functions() -> Iterator[tuple[str, Any, list[inspect.Parameter]]]:
    for cls in sorted(PUBLIC, key=lambda cls: (cls.__module__, cls.__name__)):
        module = "blocking." if cls.__module__ == "jacquard.blocking" else ""
        if cls.__name__ not in MADE:
            yield f"{module}{cls.__name__}", cls, list(inspect.signature(cls).parameters.values())
        for name, member in inspect.getmembers(cls):
            if name.startswith("_") or not callable(member) or name == "mro":
                continue
            parameters = list(inspect.signature(member).parameters.values())
            if parameters and parameters[0].name == "self":
                # Arguments are checked before anything is used.
                member, parameters = getattr(cls.__new__(cls), name), parameters[1:]
            yield f"{module}{cls.__name__}.{name}", member, parameters


CASES = [
    pytest.param(function, parameter, id=f"{name}-{parameter.name}")
    for name, function, parameters in functions()
    for parameter in parameters
    if parameter.name not in ANYTHING
]


def raised(call: Callable[[], Any]) -> BaseException:
    try:
        result = call()
        if inspect.iscoroutine(result):
            result.send(None)
    except (TypeError, ValueError) as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(("function", "parameter"), CASES)
def test_a_wrong_type_is_named_in_one_sentence(function: Callable[..., Any], parameter: inspect.Parameter) -> None:
    def call() -> Any:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            return function(Wrong())
        return function(**{parameter.name: Wrong()})

    error = raised(call)
    assert isinstance(error, TypeError) and str(error).startswith(f"{parameter.name} is wrongwrong"), error
    assert "; expected " in str(error) and len(str(error)) <= LONGEST
    # The caller's line is that of `call`, or of raised() for a coroutine.
    frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert frames[-2] in ("call", "raised") and len(frames) - frames.index(frames[-2]) == 2


def test_every_public_function_is_checked() -> None:
    assert len(CASES) > 150
    assert {cls.__name__ for cls in PUBLIC} >= MADE
    functions = {name for name in jacquard.__all__ if inspect.isfunction(getattr(jacquard, name))}
    assert [name for name in functions if inspect.signature(getattr(jacquard, name)).parameters] == []


# Type checkers find these mistakes, too.
untyped: Any = jacquard
untyped_blocking: Any = blocking
MANAGER: Any = untyped.Manager()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: MANAGER.find(serial=1234), "serial is 1234; expected text or None"),
        (lambda: MANAGER.find(timeout="1"), "timeout is '1'; expected a number or None"),
        (lambda: MANAGER.find(timeout=-1), "timeout is -1; expected 0 seconds or more"),
        (lambda: MANAGER.connect(5), "tag is 5; expected a tag that was found, or its identifier or None"),
        (
            lambda: MANAGER.connect("01ZK"),
            "tag is '01ZK'; expected a tag that was found, or its identifier, a UUID. "
            "Pass a serial number as serial, or find the tag with it.",
        ),
        (lambda: MANAGER.bind(code="1234", profile={"a": 5}), "profile['a'] is 5; expected text"),
        (lambda: untyped.Led("red"), "frames is 'red'; expected a sequence of LedFrame"),
        (lambda: untyped.Led([((1, 2, 3), 1)]), "frames[0] is ((1, 2, 3), 1); expected a jacquard.LedFrame"),
        (lambda: untyped.LedFrame(None, 1), 'color is None; expected a colour, such as "teal", "#008080" or (0, 128, 128)'),
        (lambda: untyped.Haptic("alert"), "on is 'alert'; expected a number"),
        (lambda: untyped.Haptic(-1)._struct(), "on is -1; expected 0 to 65.535 seconds"),
        (lambda: untyped.Module(1, 2, 3, version=(1, "2", 3)), "version[1] is '2'; expected a whole number"),
        (lambda: untyped.Session("a\0b"), "name is 'a\\x00b'; expected text without a NUL character"),
        (lambda: untyped_blocking.Tag.__new__(untyped_blocking.Tag).led("teal"), "pattern is 'teal'; expected a jacquard.Led"),
        (lambda: untyped.Tag.__new__(untyped.Tag).rename(5), "name is 5; expected text"),
        (lambda: untyped_blocking.Connection.__new__(untyped_blocking.Connection).events("gesture"), "kinds is 'gesture'; expected a class"),
        (
            lambda: untyped.Connection.__new__(untyped.Connection).events(int),
            "kinds is <class 'int'>; expected a kind of event, such as jacquard.Gesture",
        ),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(call: Callable[[], Any], sentence: str) -> None:
    assert str(raised(call)) == sentence


def test_the_manager_of_asyncio_says_which_one_a_plain_block_needs() -> None:
    with pytest.raises(TypeError, match="Manager is entered with `async with`; Manager of jacquard.blocking with `with`"):
        with untyped.Manager():
            pass


def test_other_types_that_python_takes_for_these_are_accepted() -> None:
    class Text(str):
        pass

    class Number:
        def __float__(self) -> float:
            return 0.5

        def __ge__(self, other: float) -> bool:
            return True

    untyped.Manager(adapter=Text("hci0"), auto_connect=1)
    untyped.Led.blink([0, 128, 128], Number())
    untyped.MotionSettings(filter=0)
