"""The objects of one tag in Home Assistant: its entities, and the automations of the blueprints that use them."""


from jacquard.haptic import SYMBOLS
from simulator import SERIAL

ENTITIES = {
    "event.{}_gesture": None,
    "event.{}_failed_request": "unknown",
    "sensor.{}_battery": "80",
    "binary_sensor.{}_charging": "off",
    "binary_sensor.{}_connection": "on",
    "sensor.{}_connection_phase": "connected",
    "sensor.{}_gear": "Trucker Jacket",
    "sensor.{}_signal_strength": "unknown",
    "light.{}_led": "off",
    **{f"button.{{}}_vibrate_{symbol}": "unknown" for symbol in SYMBOLS if symbol != "off"},
    "button.{}_stop_vibration": "unknown",
    "update.{}_firmware": None,
}
NAME = f"jacquard_{SERIAL.lower()}"
BRIDGE = {"binary_sensor.jacquard_bridge_test_connection": "on", "sensor.jacquard_bridge_test_dropped_gestures": "0"}


def entity(pattern: str) -> str:
    return pattern.format(NAME)


AUTOMATIONS = [
    {
        "id": "light",
        "alias": "light",
        "use_blueprint": {
            "path": "jacquard/gesture_light.yaml",
            "input": {"gesture": entity("event.{}_gesture"), "light": {"entity_id": entity("light.{}_led")}},
        },
    },
    {
        "id": "notify",
        "alias": "notify",
        "use_blueprint": {
            "path": "jacquard/notify_sleeve.yaml",
            "input": {
                "source": "input_boolean.fired",
                "vibration": entity("button.{}_vibrate_alert"),
                "led": entity("light.{}_led"),
                "seconds": 1,
            },
        },
    },
]
