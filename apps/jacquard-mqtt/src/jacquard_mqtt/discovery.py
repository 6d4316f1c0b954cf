"""Discovery messages of Home Assistant: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery.

The messages of a tag do not contain the name of a bridge, except for entities that are unavailable while it is away, so
that a tag is one device with one set of entities and triggers, however many bridges know it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

import jacquard
from jacquard.haptic import SYMBOLS

from . import messages
from .fader import OFF
from .light import EFFECTS
from .settings import HomeAssistant, Settings
from .tag import TagBridge
from .topics import Topics

ORIGIN = {"name": "jacquard-mqtt", "sw_version": jacquard.__version__}
# An event type that is not in the list causes a warning in Home Assistant.
GESTURE = "{{ value_json.gesture }}"
EVENT = (
    "{% set known = " + str(list(messages.GESTURES)) + " %}"
    "{{ {'event_type': value_json.gesture if value_json.gesture in known else 'unknown', 'number': value_json.number,"
    " 'boot': value_json.boot, 'seq': value_json.seq, 'time': value_json.time} | tojson }}"
)
FAILURE = (
    "{{ {'event_type': 'failed', 'command': value_json.command, 'code': value_json.code,"
    " 'message': value_json.message, 'advice': value_json.advice, 'time': value_json.time} | tojson }}"
)
# The conventional names of a dimmer's events.
STEPS = ("brightness_step_up", "brightness_step_down")
STEP = "{{ 'brightness_step_up' if value_json.step > 0 else 'brightness_step_down' }}"
STEP_EVENT = (
    "{{ {'event_type': 'brightness_step_up' if value_json.step > 0 else 'brightness_step_down',"
    " 'step_size': value_json.step | abs, 'percent': value_json.percent, 'time': value_json.time} | tojson }}"
)
CAN_VIBRATE = "{{ 'online' if value_json.attached and 'haptic' in value_json.capabilities else 'offline' }}"
# Releases before 2024.11 ignore the progress.
UPDATE = (
    "{{ {'installed_version': value_json.installed, 'latest_version': value_json.latest,"
    " 'in_progress': value_json.phase is not none, 'update_percentage': value_json.percent} | tojson }}"
)
# Home Assistant sends only the values that the user has changed; the bridge remembers the others.
SWITCH_ON = (
    '{"state":"on"'
    '{% if brightness is defined %},"brightness":{{ [brightness | int, 1] | max }}{% endif %}'
    "{% if red is defined and green is defined and blue is defined %}"
    ',"color":[{{ red }},{{ green }},{{ blue }}]{% endif %}'
    '{% if effect is defined %},"effect":"{{ effect }}"{% endif %}}'
)


@dataclasses.dataclass(frozen=True)
class Component:
    platform: str
    name: str
    content: dict[str, Any]
    # The sources that must be online beside the bridge; None: it is always available.
    needs: tuple[dict[str, str], ...] | None = None


def of_tag(tag: TagBridge, settings: Settings) -> dict[str, dict[str, Any]]:
    """The discovery messages of a tag by topic."""
    topics = Topics(settings.base_topic, settings.bridge)
    parts, absent = list(COMPONENTS), list[Component]()
    (parts if settings.firmware.directory is not None else absent).append(FIRMWARE)
    (parts if settings.fader.mode != OFF else absent).extend(FADER)
    parts = [placed(part, topics, tag.selection.topic) for part in parts]
    node, about = node_of(tag.selection.topic), device(tag)
    return announced(parts, node, about, settings.home_assistant, absent)


def of_bridge(settings: Settings) -> dict[str, dict[str, Any]]:
    """The discovery messages of the bridge itself."""
    topics = Topics(settings.base_topic, settings.bridge)
    node = bridge_device(settings)
    about = {
        "identifiers": [node],
        "name": f"Jacquard bridge {settings.bridge}",
        "manufacturer": "libjacquard",
        "model": "jacquard-mqtt",
        "sw_version": jacquard.__version__,
    }
    parts = [
        Component("binary_sensor", "connection", {"name": "Connection", **connectivity(topics.availability)}),
        Component(
            "sensor",
            "dropped",
            {
                "name": "Dropped gestures",
                "state_topic": topics.status,
                "value_template": "{{ value_json.dropped }}",
                "state_class": "total_increasing",
                "entity_category": "diagnostic",
                **available(topics.availability),
            },
        ),
    ]
    return announced(parts, node, about, settings.home_assistant)


def is_of_tag(topic: str, name: str, settings: Settings) -> bool:
    """Whether a topic, which another program may have written to an `info` message, is a discovery topic of this tag,
    which a bridge may have used with other settings."""
    prefix, node = re.escape(settings.home_assistant.prefix), re.escape(node_of(name))
    return bool(re.fullmatch(f"{prefix}/(device/{node}|[a-z_]+/{node}/[a-z0-9_-]+)/config", topic))


def topics_of_bridge(bridge: str, settings: Settings) -> list[str]:
    return list(of_bridge(dataclasses.replace(settings, bridge=bridge)))


def node_of(tag: str) -> str:
    return f"jacquard_{tag}"


def bridge_device(settings: Settings) -> str:
    return f"jacquard_bridge_{settings.bridge}"


def announced(
    parts: list[Component],
    node: str,
    about: dict[str, Any],
    settings: HomeAssistant,
    absent: Iterable[Component] = (),
) -> dict[str, dict[str, Any]]:
    """absent: parts that are not in use, but may have been with other settings."""
    if not settings.enabled:
        return {}
    contents = {}
    for part in parts:
        content = dict(part.content)
        if part.platform != "device_automation":
            content["unique_id"] = f"{node}_{part.name}"
        contents[part.name] = (part.platform, content)
    if settings.discovery == "device":
        merged = {name: {"platform": platform, **content} for name, (platform, content) in contents.items()}
        # Home Assistant removes a component that has nothing but its platform. It keeps one that is missing.
        merged |= {part.name: {"platform": part.platform} for part in absent}
        message = {"device": about, "origin": ORIGIN, "components": merged, "qos": 1}
        return {f"{settings.prefix}/device/{node}/config": message}
    return {
        f"{settings.prefix}/{platform}/{node}/{name}/config": {**content, "qos": 1, "device": about, "origin": ORIGIN}
        for name, (platform, content) in contents.items()
    }


def device(tag: TagBridge) -> dict[str, Any]:
    info = tag.values.get("info", {})
    about = {
        "identifiers": [f"jacquard_{tag.selection.serial}"],
        "name": tag.name,
        "manufacturer": info.get("vendor") or "Google",
        "model": f"Jacquard tag {info.get('model', '')}".strip(),
        "serial_number": tag.selection.serial,
    }
    return {**about, "sw_version": info["firmware"]} if info.get("firmware") else about


def available(*topics: str) -> dict[str, Any]:
    """All of these must be online; the payloads are Home Assistant's defaults."""
    return {"availability": [{"topic": topic} for topic in topics], "availability_mode": "all"}


def placed(part: Component, topics: Topics, tag: str) -> Component:
    """The component of a tag, from one of the tables: there, topics are below the tag's."""
    content: dict[str, Any] = {
        key: topics.tag(tag, value) if key.endswith("topic") else value for key, value in part.content.items()
    }
    if part.needs is not None:
        content |= available(topics.availability)
        content["availability"] += [{**need, "topic": topics.tag(tag, need["topic"])} for need in part.needs]
    return Component(part.platform, part.name, content)


def connectivity(topic: str) -> dict[str, Any]:
    return {
        "state_topic": topic,
        "device_class": "connectivity",
        "payload_on": "online",
        "payload_off": "offline",
        "entity_category": "diagnostic",
    }


DIAGNOSTIC = {"entity_category": "diagnostic"}
BRIDGED: tuple[dict[str, str], ...] = ()
CONNECTED = ({"topic": "availability"},)
VIBRATING = (*CONNECTED, {"topic": "gear", "value_template": CAN_VIBRATE})
ENTITIES = (
    Component(
        "event",
        "gesture",
        {
            "name": "Gesture",
            "state_topic": "gesture",
            "event_types": list(messages.GESTURES),
            "value_template": EVENT,
            "device_class": "button",
            "icon": "mdi:gesture-swipe",
        },
        CONNECTED,
    ),
    Component(
        "event",
        "failure",
        {
            "name": "Failed request",
            "state_topic": "failure",
            "event_types": ["failed"],
            "value_template": FAILURE,
            "icon": "mdi:alert-circle-outline",
            **DIAGNOSTIC,
        },
        BRIDGED,
    ),
    Component(
        "sensor",
        "battery",
        {
            "name": "Battery",
            "state_topic": "battery",
            "value_template": "{{ value_json.percent }}",
            "device_class": "battery",
            "unit_of_measurement": "%",
            "state_class": "measurement",
            **DIAGNOSTIC,
        },
        CONNECTED,
    ),
    Component(
        "binary_sensor",
        "charging",
        {
            "name": "Charging",
            "state_topic": "battery",
            "value_template": "{{ 'ON' if value_json.charging else 'OFF' }}",
            "device_class": "battery_charging",
            **DIAGNOSTIC,
        },
        CONNECTED,
    ),
    Component("binary_sensor", "connection", {"name": "Connection", **connectivity("availability")}, BRIDGED),
    Component(
        "sensor",
        "phase",
        {
            "name": "Connection phase",
            "state_topic": "state",
            "value_template": "{{ value_json.phase }}",
            "json_attributes_topic": "state",
            **DIAGNOSTIC,
        },
        BRIDGED,
    ),
    Component(
        "sensor",
        "gear",
        {
            "name": "Gear",
            "state_topic": "gear",
            "value_template": "{{ value_json.product if value_json.attached else 'none' }}",
            "json_attributes_topic": "gear",
            "icon": "mdi:tshirt-crew",
        },
        CONNECTED,
    ),
    Component(
        "sensor",
        "rssi",
        {
            "name": "Signal strength",
            "state_topic": "rssi",
            "value_template": "{{ value_json.dbm }}",
            "json_attributes_topic": "rssi",
            "device_class": "signal_strength",
            "unit_of_measurement": "dBm",
            "state_class": "measurement",
            **DIAGNOSTIC,
        },
        BRIDGED,
    ),
    Component(
        "light",
        "led",
        {
            "name": "LED",
            "schema": "template",
            "command_topic": "request/light",
            "command_on_template": SWITCH_ON,
            "command_off_template": '{"state":"off"}',
            "state_topic": "light",
            "state_template": "{{ value_json.state }}",
            "brightness_template": "{{ value_json.brightness }}",
            "red_template": "{{ value_json.color[0] }}",
            "green_template": "{{ value_json.color[1] }}",
            "blue_template": "{{ value_json.color[2] }}",
            "effect_list": list(EFFECTS),
            "effect_template": "{{ value_json.effect }}",
        },
        CONNECTED,
    ),
)
BUTTONS = (
    Component(
        "button",
        f"haptic_{symbol}",
        {
            "name": "Stop vibration" if symbol == "off" else f"Vibrate: {symbol}",
            "command_topic": "request/haptic",
            "payload_press": f'{{"symbol":"{symbol}"}}',
            "icon": "mdi:vibrate-off" if symbol == "off" else "mdi:vibrate",
        },
        VIBRATING,
    )
    for symbol in SYMBOLS
)
TRIGGERS = (
    Component(
        "device_automation",
        f"gesture_{gesture}",
        {
            "automation_type": "trigger",
            "type": "action",
            "subtype": gesture,
            "topic": "gesture",
            "payload": gesture,
            "value_template": GESTURE,
        },
    )
    for gesture in messages.GESTURES
)
COMPONENTS = (*ENTITIES, *BUTTONS, *TRIGGERS)
# Available while the tag restarts. Updates that are requested then wait for it.
FIRMWARE = Component(
    "update",
    "firmware",
    {
        "name": "Firmware",
        "state_topic": "firmware",
        "value_template": UPDATE,
        "command_topic": "request/update",
        "payload_install": '{"schedule":60}',
        "device_class": "firmware",
        "entity_category": "config",
    },
    BRIDGED,
)
FADER = (
    Component(
        "sensor",
        "fader",
        {
            "name": "Fader",
            "state_topic": "fader",
            "value_template": "{{ value_json.percent }}",
            "unit_of_measurement": "%",
            "state_class": "measurement",
            "icon": "mdi:tune-variant",
        },
        CONNECTED,
    ),
    Component(
        "event",
        "fader_step",
        {
            "name": "Fader step",
            "state_topic": "fader",
            "event_types": list(STEPS),
            "value_template": STEP_EVENT,
            "icon": "mdi:plus-minus-variant",
        },
        CONNECTED,
    ),
    *(
        Component(
            "device_automation",
            step,
            {
                "automation_type": "trigger",
                "type": "action",
                "topic": "fader",
                "value_template": STEP,
                "subtype": step,
                "payload": step,
            },
        )
        for step in STEPS
    ),
)
