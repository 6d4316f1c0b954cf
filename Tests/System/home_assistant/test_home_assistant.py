"""Home Assistant accepts the discovery messages without a warning, and has the intended entities and triggers."""

from collections.abc import Iterator

import pytest
from broker import Broker
from client import Client
from entities import AUTOMATIONS, BRIDGE, ENTITIES, NAME, entity
from fingers import touch
from home_assistant import VERSIONS, HomeAssistant, python
from images import add_image
from jacquard_mqtt.discovery import STEPS
from jacquard_mqtt.messages import GESTURES
from program import ROOT, TAG, Program, configuration
from simulator import SERIAL, Simulator


def modes(version: str) -> tuple[str, ...]:
    """Home Assistant has supported device-based discovery since 2024.12."""
    year, month = map(int, version.split(".")[:2])
    return ("component", "device") if (year, month) >= (2024, 12) else ("component",)


WORLDS = [(version, mode) for version in VERSIONS for mode in modes(version)]
World = tuple[HomeAssistant, Simulator, Client, Program]


@pytest.fixture(scope="module", params=WORLDS, ids="-".join)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    version, mode = request.param
    path = python(version)
    folder = tmp_path_factory.mktemp("world")
    home = folder / "home-assistant"
    home.mkdir()
    add_image(folder, "image", (1, 97, 0))
    rest = f'[home_assistant]\ndiscovery = "{mode}"\nlight_seconds = 60\n[firmware]\ndirectory = "."'
    text = configuration(0, rest=rest)
    with Broker(folder) as broker, Simulator("--time-scale", "20") as simulator, Client(broker.port, "#") as client:
        simulator.tell("gear attach levis-trucker")
        simulator.tell("sleep-after 10000min")  # of the simulator's time
        text = text.replace("port = 0", f"port = {broker.port}")
        with Program(folder, text, simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            with HomeAssistant(path, home, broker.port, AUTOMATIONS) as judge:
                judge.until(lambda: judge.state(entity("event.{}_gesture")) == "unknown", "the event entity")
                judge.modes = modes(version)
                yield judge, simulator, client, program
                assert judge.complaints() == []


def test_every_entity_exists(world: World) -> None:
    judge, *_ = world
    wanted = {entity(pattern): state for pattern, state in ENTITIES.items()} | BRIDGE
    judge.until(lambda: wanted.keys() <= judge.states().keys(), f"{wanted.keys() - judge.states().keys()}")
    states = judge.states()
    assert {name for name in states if "jacquard" in name} == set(wanted)
    different = {name: states[name]["state"] for name, state in wanted.items() if state not in (None, states[name]["state"])}
    assert different == {}
    assert states[entity("event.{}_gesture")]["attributes"]["event_types"] == list(GESTURES)


def test_the_tag_is_one_device_beside_the_bridge(world: World) -> None:
    judge, *_ = world
    devices = {device["name"]: device for device in judge.call("config/device_registry/list")}
    assert set(devices) == {f"Jacquard-{SERIAL}", "Jacquard bridge test"}
    tag = devices[f"Jacquard-{SERIAL}"]
    assert (tag["manufacturer"], tag["model"], tag["sw_version"]) == ("Google Inc.", "Jacquard tag UJT", "1.96.0")


def test_a_gesture_is_an_event_and_a_trigger(world: World) -> None:
    judge, simulator, client, _ = world
    (tag,) = [device for device in judge.call("config/device_registry/list") if device["name"] == f"Jacquard-{SERIAL}"]
    triggers = judge.call("device_automation/trigger/list", device_id=tag["id"])
    ours = {trigger["subtype"]: trigger for trigger in triggers if trigger["domain"] == "mqtt"}
    assert set(ours) == set(GESTURES)
    wanted = {name: value for name, value in ours["brush-in"].items() if name != "metadata"}
    number = judge.subscribe(wanted)
    # Home Assistant subscribes to the topic a little later and cannot receive an earlier gesture.
    judge.until(lambda: fired(judge, simulator, number), "the trigger")
    judge.until(
        lambda: judge.states()[entity("event.{}_gesture")]["attributes"].get("event_type") == "brush-in", "the event"
    )
    attributes = judge.states()[entity("event.{}_gesture")]["attributes"]
    assert attributes["number"] == 2 and attributes["seq"] >= 1 and len(attributes["boot"]) == 16


def fired(judge: HomeAssistant, simulator: Simulator, number: int) -> bool:
    simulator.tell("gesture brush-in")
    judge._socket.settimeout(1)
    try:
        event = judge.event(number)
    except TimeoutError:
        return False
    except Exception as error:
        if "timed out" in str(error):
            return False
        raise
    finally:
        judge._socket.settimeout(30)
    return bool(event["variables"]["trigger"]["payload_json"]["gesture"] == "brush-in")


def test_a_gesture_without_a_name_is_accepted(world: World) -> None:
    judge, simulator, *_ = world
    simulator.tell("gesture 77")
    judge.until(lambda: judge.states()[entity("event.{}_gesture")]["attributes"].get("number") == 77, "the event")
    assert judge.states()[entity("event.{}_gesture")]["attributes"]["event_type"] == "unknown"


def test_the_light_is_switched_with_color_brightness_and_effect(world: World) -> None:
    judge, simulator, client, _ = world
    light = entity("light.{}_led")
    judge.service("light.turn_on", light, rgb_color=[255, 0, 0], brightness=128, effect="breathe")
    judge.until(lambda: judge.state(light) == "on", "the light to be on")
    client.wait_latest(
        f"{TAG}/light",
        lambda value: value == {"state": "on", "color": [255, 0, 0], "brightness": 128, "effect": "breathe"},
    )
    attributes = judge.states()[light]["attributes"]
    assert attributes["rgb_color"] == [255, 0, 0]
    assert (attributes["brightness"], attributes["effect"]) == (128, "breathe")
    assert "breathe" in attributes["effect_list"]
    judge.service("light.turn_on", light, brightness=255)
    client.wait_latest(f"{TAG}/light", lambda value: value["brightness"] == 255 and value["color"] == [255, 0, 0])
    judge.service("light.turn_off", light)
    judge.until(lambda: judge.state(light) == "off", "the light to be off")
    assert "lights=" in simulator.tell("stats")


def test_buttons_vibrate(world: World) -> None:
    judge, simulator, client, _ = world
    judge.service("button.press", entity("button.{}_vibrate_notification"))
    client.wait(f"{TAG}/response/haptic", lambda response: response["status"] == "ok")


def test_a_request_that_fails_is_visible(world: World) -> None:
    judge, simulator, client, _ = world
    button, failed = entity("button.{}_vibrate_alert"), entity("event.{}_failed_request")
    simulator.tell("gear detach")
    judge.until(lambda: judge.state(button) == "unavailable", "the button to be unavailable")
    client.publish(f"{TAG}/request/haptic", {"symbol": "alert"})
    judge.until(lambda: judge.states()[failed]["attributes"].get("code") == "no_gear", "the event")
    attributes = judge.states()[failed]["attributes"]
    assert (attributes["event_type"], attributes["command"]) == ("failed", "haptic") and attributes["message"]
    simulator.tell("gear attach levis-trucker")
    judge.until(lambda: judge.state(button) != "unavailable", "the button to be available")


def test_firmware_is_updated(world: World) -> None:
    judge, simulator, client, _ = world
    update = entity("update.{}_firmware")
    judge.until(lambda: judge.state(update) == "on", "the update")
    attributes = judge.states()[update]["attributes"]
    assert (attributes["installed_version"], attributes["latest_version"]) == ("1.96.0", "1.97.0")
    simulator.tell("write-time 1s")  # of the simulator's time
    judge.service("update.install", update)
    if "device" in judge.modes:  # Earlier versions ignore the progress.
        judge.until(lambda: judge.states()[update]["attributes"]["update_percentage"], "the progress")
    judge.until(lambda: judge.state(update) == "off", "the update to be installed")
    assert judge.states()[update]["attributes"]["installed_version"] == "1.97.0"
    judge.until(lambda: not judge.states()[update]["attributes"]["in_progress"], "the end of the update")


def test_the_blueprint_for_lights_works(world: World) -> None:
    judge, simulator, client, _ = world
    light = entity("light.{}_led")
    assert judge.state(light) == "off"
    simulator.tell("gesture double-tap")
    judge.until(lambda: judge.state(light) == "on", "the light to be on")
    before = judge.states()[light]["attributes"]["brightness"]
    simulator.tell("gesture brush-out")
    judge.until(lambda: judge.states()[light]["attributes"]["brightness"] < before, "the light to be dimmed")
    simulator.tell("gesture double-tap")
    judge.until(lambda: judge.state(light) == "off", "the light to be off")


def test_the_blueprint_for_notifications_works(world: World) -> None:
    judge, simulator, client, _ = world
    start = len(client.messages)
    judge.service("input_boolean.turn_on", "input_boolean.fired")
    client.wait(f"{TAG}/response/haptic", lambda response: response["status"] == "ok", after=start)
    client.wait(f"{TAG}/light", lambda value: value["state"] == "on" and value["effect"] == "pulse", after=start)
    client.wait_latest(f"{TAG}/light", lambda value: value["state"] == "off")


def test_the_sleeve_is_a_fader_that_dims_in_steps(world: World) -> None:
    judge, simulator, client, program = world
    text = program.path.read_text()
    requests = simulator.tell("journal requests").count("touch-mode")
    program.reload(f'{text}\n[fader]\nmode = "absolute"\n')
    simulator.wait_for_touch_mode(requests + 1)
    fader, step = entity("sensor.{}_fader"), entity("event.{}_fader_step")
    judge.until(lambda: {fader, step} <= usable(judge), "the entities of the fader")
    (tag,) = [device for device in judge.call("config/device_registry/list") if device["name"] == f"Jacquard-{SERIAL}"]
    triggers = judge.call("device_automation/trigger/list", device_id=tag["id"])
    assert {trigger["subtype"] for trigger in triggers if trigger["domain"] == "mqtt"} == {*GESTURES, *STEPS}
    for position, percent, kind, size in ((11, "100", "brightness_step_up", 100), (5.5, "50", "brightness_step_down", 50)):
        touch(simulator, position)
        judge.until(lambda: judge.state(fader) == percent, f"{percent} %")
        judge.until(lambda: judge.states()[step]["attributes"].get("step_size") == size, f"a step of {size}")
        assert judge.states()[step]["attributes"]["event_type"] == kind
    assert judge.states()[fader]["attributes"]["unit_of_measurement"] == "%"
    program.reload(text)
    simulator.wait_for_touch_mode(requests + 2)
    judge.until(lambda: not {fader, step} & judge.states().keys(), "the entities to be removed")


def test_an_absent_tag_is_unavailable(world: World) -> None:
    judge, simulator, client, _ = world
    simulator.tell("out-of-range for 60s")
    judge.until(lambda: judge.state(entity("event.{}_gesture")) == "unavailable", "the tag to be unavailable")
    states = judge.states()
    assert states[entity("light.{}_led")]["state"] == "unavailable"
    assert states[entity("binary_sensor.{}_connection")]["state"] == "off"
    assert states[entity("sensor.{}_connection_phase")]["state"] != "unavailable"
    client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
    judge.until(lambda: judge.state(entity("event.{}_gesture")) != "unavailable", "the tag to be available")
    judge.until(lambda: judge.state(entity("light.{}_led")) == "off", "the light to be off")


def test_the_birth_message_is_answered(world: World) -> None:
    judge, simulator, client, _ = world
    start = len(client.messages)
    client.publish("homeassistant/status", "online")
    client.wait(f"{TAG}/availability", lambda payload: payload == "online", after=start)
    topics = {message.topic for message in client.messages[start:]}
    assert any(topic.startswith("homeassistant/") and topic.endswith("/config") for topic in topics)


def test_a_killed_bridge_makes_everything_unavailable_until_it_runs_again(world: World) -> None:
    judge, simulator, client, program = world
    program.kill()
    judge.until(lambda: judge.state(entity("sensor.{}_battery")) == "unavailable", "the tag to be unavailable")
    states = judge.states()
    assert states[entity("binary_sensor.{}_connection")]["state"] == "unavailable"
    assert states["binary_sensor.jacquard_bridge_test_connection"]["state"] == "off"
    start = len(client.messages)
    program.start()
    client.wait(f"{TAG}/gear", lambda gear: gear["attached"], after=start)
    judge.until(lambda: judge.state(entity("event.{}_gesture")) != "unavailable", "the tag to be available")


def test_the_kind_of_discovery_is_changed(world: World) -> None:
    judge, simulator, client, program = world
    if judge.modes == ("component",):
        pytest.skip("this version knows only one kind")
    text = program.path.read_text()
    topics = {
        "component": "homeassistant/event/jacquard_sleeve/gesture/config",
        "device": "homeassistant/device/jacquard_sleeve/config",
    }
    before = "device" if 'discovery = "device"' in text else "component"
    after = "component" if before == "device" else "device"
    for old, new in ((before, after), (after, before)):
        start = len(client.messages)
        program.reload(text.replace(f'"{before}"', f'"{new}"'))
        client.wait(topics[old], lambda payload: payload == "", after=start)
        client.wait(topics[new], lambda payload: payload != "", after=start)
        wanted = {entity(pattern) for pattern in ENTITIES}
        judge.until(lambda: usable(judge) == wanted, "all entities")
        gesture = {"device": "cover", "component": "brush-up"}[new]
        simulator.tell(f"gesture {gesture}")
        judge.until(
            lambda: judge.states()[entity("event.{}_gesture")]["attributes"].get("event_type") == gesture, "the event"
        )
        assert {name for name in judge.states() if NAME in name} == wanted


def usable(judge: HomeAssistant) -> set[str]:
    return {name for name, state in judge.states().items() if NAME in name and state["state"] != "unavailable"}


def test_a_removed_tag_is_removed(world: World) -> None:
    judge, simulator, client, program = world
    other = '[[tag]]\nserial = "ZZZZ"\ntopic = "other"\n'
    text = program.path.read_text()
    program.reload(text[: text.index("[[tag]]")] + other)
    judge.until(
        lambda: not any(NAME in name for name in judge.states()), "the entities of the removed tag to be removed"
    )
    client.wait_latest(f"{TAG}/availability", "")
    program.reload(text)
    judge.until(lambda: entity("event.{}_gesture") in judge.states(), "the tag to be added again")
    client.wait_latest(f"{ROOT}/availability", "online")
