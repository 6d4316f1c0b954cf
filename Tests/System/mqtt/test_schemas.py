"""The schemas, which are part of the contract."""

import json
import re

import jsonschema
import places
import pytest
from client import SCHEMAS, validator
from jacquard import DisconnectReason, Phase, UpdatePhase
from jacquard.haptic import SYMBOLS, WAVES
from jacquard.led import PATTERNS
from jacquard_mqtt.light import EFFECTS
from jacquard_mqtt.messages import GESTURES
from jacquard_mqtt.requests import COMMANDS

NAMES = sorted(path.stem for path in SCHEMAS.glob("*.json"))


def schema(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_closed(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))
    assert schema(name)["title"]
    if schema(name).get("type") == "object":
        assert schema(name)["additionalProperties"] is False
        assert not validator(name).is_valid({"something else": 1})


def test_every_command_has_a_schema():
    assert {name.removeprefix("request-") for name in NAMES if name.startswith("request-")} == set(COMMANDS)


def test_names_are_those_of_the_library():
    assert schema("gesture")["properties"]["gesture"]["enum"] == list(GESTURES)
    assert set(schema("state")["properties"]["phase"]["enum"]) == {phase.name.lower() for phase in Phase}
    assert set(schema("firmware")["properties"]["phase"]["enum"]) - {None} == {phase.name.lower() for phase in UpdatePhase}
    assert schema("light")["properties"]["effect"]["enum"] == list(EFFECTS)
    assert set(schema("request-led")["properties"]["pattern"]["enum"]) == {*PATTERNS, "off"} - {"frames"}
    assert schema("request-haptic")["properties"]["symbol"]["enum"] == list(SYMBOLS)
    assert schema("request-haptic")["properties"]["wave"]["enum"] == list(WAVES)
    assert all(validator("state") for _ in DisconnectReason)


def test_the_document_names_every_schema_command_and_code():
    text = (places.ROOT / "docs" / "mqtt.md").read_text()
    messages = {name for name in NAMES if name != "configuration" and not name.startswith("request-")}
    assert {name for name in messages if f"| `{name}` |" not in text} == set()
    assert {name for name in COMMANDS if f"`{name}`" not in text} == set()
    source = "".join(path.read_text() for path in SCHEMAS.parent.glob("*.py"))
    codes = set(re.findall(r'RequestError\("([a-z_]+)"', source))
    assert len(codes) > 8 and {code for code in codes if f"`{code}`" not in text} == set()
