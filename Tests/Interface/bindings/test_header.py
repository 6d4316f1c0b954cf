"""The ctypes layer matches the header exactly."""

import copy
import re
from ctypes import POINTER, Structure, c_int, c_uint32

import binding_declarations
import emit
import places
import pytest
from binding_declarations import differences
from header import comments, whole
from header.declarations import Declarations, read_header
from jacquard import Haptic, HapticType
from jacquard._native import callbacks, handles, prototypes, structs
from jacquard.haptic import SYMBOLS


@pytest.fixture(scope="module")
def header() -> Declarations:
    return read_header(whole())


def test_the_binding_has_exactly_the_declarations_of_the_header(header: Declarations) -> None:
    assert differences(header, binding_declarations.read_binding()) == []


def test_the_generated_modules_are_current(header: Declarations) -> None:
    package = places.PYTHON_SOURCE / "jacquard"
    generated = emit.modules(header, comments.read(whole()), package)
    stale = [path for path, text in generated.items() if (package / path).read_text() != text]
    assert stale == [], "run: python3 bindings/python/generator"


def test_the_named_vibrations_are_those_of_the_header() -> None:
    listed = re.findall(r"\b([a-z]+) \((\d+), (\d+), (\d+)\)", whole())
    named = {name: (haptic.on_ms, haptic.off_ms, haptic.repeats) for name, haptic in structs_of_named_vibrations()}
    assert {name: tuple(map(int, numbers)) for name, *numbers in listed} == named
    assert {(haptic.type, haptic.amplitude) for _, haptic in structs_of_named_vibrations()} == {
        (HapticType.SINE_INCREASE, 60)
    }


def structs_of_named_vibrations() -> list[tuple[str, structs.Haptic]]:
    return [(name, Haptic.named(name)._struct()) for name in SYMBOLS if name != "off"]


def test_the_header_is_actually_read(header: Declarations) -> None:
    assert header.functions["jacquard_connection_disconnect"].parameters == ["jacquard_connection*"]
    assert header.structs["jacquard_battery"].fields == [("percent", "uint32", 0), ("charging", "uint32", 4)]
    assert header.enums["jacquard_phase"]["JACQUARD_PHASE_CONNECTED"] == 6
    assert header.callbacks["jacquard_destroy_callback"].parameters == ["void*"]
    assert "jacquard_tag" in header.handles


@pytest.mark.parametrize(
    "result, parameters",
    [
        pytest.param(c_int, (handles.Scan,), id="handle of another noun"),
        pytest.param(c_int, (handles.Request, c_int), id="one parameter too many"),
        pytest.param(c_int, (), id="one parameter too few"),
        pytest.param(None, (handles.Request,), id="another result"),
        pytest.param(c_int, (POINTER(handles.Request),), id="one star too many"),
        pytest.param(c_int, (callbacks.DestroyCallback,), id="a callback for a handle"),
    ],
)
def test_a_wrong_prototype_is_found(
    header: Declarations, monkeypatch: pytest.MonkeyPatch, result: object, parameters: tuple[object, ...]
) -> None:
    monkeypatch.setitem(prototypes.PROTOTYPES, "jacquard_request_cancel", (result, parameters))
    found = differences(header, binding_declarations.read_binding())
    assert [line.split(":")[0] for line in found] == ["jacquard_request_cancel"]


def test_a_missing_function_is_found(header: Declarations, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(prototypes.PROTOTYPES, "jacquard_tag_get_info")
    found = differences(header, binding_declarations.read_binding())
    assert [line.split(":")[0] for line in found] == ["jacquard_tag_get_info"]


def test_fields_in_another_order_are_found(header: Declarations, monkeypatch: pytest.MonkeyPatch) -> None:
    class Battery(Structure):
        _fields_ = [("charging", c_uint32), ("percent", c_uint32)]

    monkeypatch.setattr(structs, "Battery", Battery)
    found = differences(header, binding_declarations.read_binding())
    assert [line.split(":")[0] for line in found] == ["jacquard_battery"]


def test_a_changed_number_is_found(header: Declarations) -> None:
    binding = copy.deepcopy(binding_declarations.read_binding())
    binding.enums["jacquard_phase"]["CONNECTED"] = 7
    found = differences(header, binding)
    assert [line.split(":")[0] for line in found] == ["jacquard_phase"]


def test_every_command_has_a_method(header: Declarations) -> None:
    used = used_functions()
    commands = [name for name, function in header.functions.items() if function.parameters[-1:] == ["jacquard_request**"]]
    assert len(commands) > 15
    assert [name for name in commands if name not in used] == []


def test_every_function_that_is_used_exists(header: Declarations) -> None:
    """The type of the library has no names of functions."""
    assert used_functions() - header.functions.keys() == set()


def used_functions() -> set[str]:
    package = places.PYTHON_SOURCE / "jacquard"
    texts = [path.read_text() for folder in (".", "_core", "_native") for path in (package / folder).glob("*.py")]
    return {name for text in texts for name in re.findall(r"library\(\)\.(jacquard_\w+)", text)}
