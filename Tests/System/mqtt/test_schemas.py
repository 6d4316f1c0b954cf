"""The schemas, which are part of the contract."""

import json
import re

import jsonschema
import places
import pytest
from jacquard import DisconnectReason, Phase, UpdatePhase
from jacquard.haptic import SYMBOLS, WAVES
from jacquard.led import PATTERNS
from jacquard_mqtt.light import EFFECTS
from jacquard_mqtt.messages import GESTURES
from jacquard_mqtt.requests import COMMANDS
from jacquard_mqtt.schemas import validator

SOURCE = places.APPS / "jacquard-mqtt" / "src" / "jacquard_mqtt"
DOCUMENTS = {name: json.loads((SOURCE / "schemas" / f"{name}.json").read_text()) for name in ("messages", "configuration")}
DEFINITIONS = DOCUMENTS["messages"]["$defs"]
# The other definitions are parts of messages.
MESSAGES = sorted(name for name, schema in DEFINITIONS.items() if "title" in schema)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_valid(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(DOCUMENTS[name])


def test_every_part_is_used() -> None:
    used = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(DEFINITIONS)))
    assert used == set(DEFINITIONS) - set(MESSAGES)


@pytest.mark.parametrize("name", [*MESSAGES, "configuration"])
def test_a_schema_is_closed(name: str) -> None:
    schema = DEFINITIONS.get(name) or DOCUMENTS[name]
    if schema.get("type") == "object":
        assert schema["additionalProperties"] is False
    assert not validator(name).is_valid({"something else": 1})


def test_every_command_has_a_schema() -> None:
    assert {name.removeprefix("request-") for name in MESSAGES if name.startswith("request-")} == set(COMMANDS)


def test_names_are_those_of_the_library() -> None:
    assert DEFINITIONS["gesture"]["properties"]["gesture"]["enum"] == list(GESTURES)
    assert set(DEFINITIONS["state"]["properties"]["phase"]["enum"]) == {phase.name.lower() for phase in Phase}
    assert set(DEFINITIONS["firmware"]["properties"]["phase"]["enum"]) - {None} == {phase.name.lower() for phase in UpdatePhase}
    assert DEFINITIONS["effect"]["enum"] == list(EFFECTS)
    assert set(DEFINITIONS["request-led"]["properties"]["pattern"]["enum"]) == {*PATTERNS, "off"} - {"frames"}
    assert DEFINITIONS["request-haptic"]["properties"]["symbol"]["enum"] == list(SYMBOLS)
    assert DEFINITIONS["request-haptic"]["properties"]["wave"]["enum"] == list(WAVES)
    assert all(validator("state") for _ in DisconnectReason)


def test_the_document_names_every_schema_command_and_code() -> None:
    text = (places.ROOT / "docs" / "mqtt.md").read_text()
    messages = {name for name in MESSAGES if not name.startswith("request-")}
    assert {name for name in messages if f"| `{name}` |" not in text} == set()
    assert {name for name in COMMANDS if f"`{name}`" not in text} == set()
    source = "".join(path.read_text() for path in SOURCE.glob("*.py"))
    codes = set(re.findall(r'RequestError\("([a-z_]+)"', source))
    assert len(codes) > 8 and {code for code in codes if f"`{code}`" not in text} == set()
