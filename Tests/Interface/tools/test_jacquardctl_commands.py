"""The commands of jacquardctl to a tag."""

from __future__ import annotations

import ctl
import pytest
from ctl import objects
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator

IMU = "117830c8/ef3e5b88/3d0be753"


@pytest.fixture
def tag(simulator_for_module: Simulator) -> Simulator:
    """A fast tag with gear attached."""
    simulator_for_module.tell("gear attach saint-laurent-backpack component 77")
    return simulator_for_module


def said(tag: Simulator, *words: str) -> str:
    """The output of a successful command."""
    ran = ctl.run(tag, *words)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return ran.stdout


def complaint(tag: Simulator, status: int, *words: str) -> str:
    """The error message of a failed command."""
    ran = ctl.run(tag, *words)
    assert (ran.returncode, ran.stdout) == (status, ""), ran
    return ran.stderr


def last_of(tag: Simulator, page: str) -> str:
    return tag.tell(f"journal {page}").split("; ")[-1]


@pytest.mark.parametrize("word", ["01ZK", "01zk", "zk", "0011223344556601ZK", "Jacquard-01ZK", "c0:1a:da:00:00:00"])
def test_a_tag_is_found_by_any_of_its_names(tag: Simulator, word: str) -> None:
    assert objects(said(tag, "battery", word, "--json")) == [{"percent": 80, "charging": False}]


@pytest.mark.parametrize(
    "word", ["ZZ", "02ZK", "C0:1A:DA:00:00:FF", "jacquard", "1ae7dc88-c143-75d1-ea86-2ce103737190"]
)
def test_an_absent_tag_is_reported(tag: Simulator, word: str) -> None:
    assert "jacquardctl: " in complaint(tag, exits.NOT_FOUND, "battery", word, "--timeout", "0.3")


def test_a_word_that_matches_two_tags_is_refused() -> None:
    with Simulator("--tags", "12") as tags:
        for line in ("tag 1 serial 9ABC", "tag 2 serial 8ABC"):
            tags.tell(line)
        text = complaint(tags, exits.USAGE, "battery", "abc")
        assert text == "jacquardctl: abc matches 8ABC, 9ABC. Use more characters of the serial number.\n"
        assert said(tags, "battery", "8abc") == "80%\n"


def test_info_shows_everything_known(tag: Simulator) -> None:
    lines = dict(line.split(None, 1) for line in said(tag, "info", SERIAL).splitlines())
    assert lines["firmware"] == "1.96.0"
    assert lines["battery"] == "80%"
    (info,) = objects(said(tag, "info", SERIAL, "--json"))
    assert info["tag"]["name"] == f"Jacquard-{SERIAL}"
    assert info["tag"]["firmware"] == [1, 96, 0]
    assert info["gear"]["product"] == "Cit-e Backpack"
    assert set(info["gear"]["capabilities"]) == {"led", "gesture", "touch", "haptic"}


def test_info_without_gear(tag: Simulator) -> None:
    tag.tell("gear detach")
    (info,) = objects(said(tag, "info", SERIAL, "--json"))
    assert info["gear"] is None


@pytest.mark.parametrize(
    "words, played",
    [
        (["teal"], "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"),
        (["0x008080"], "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"),
        (["0,128,128"], "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"),
        (
            ["#010203", "--duration", "0.5", "--pattern", "breathe", "--intensity", "40"],
            "component 0 pattern 2 duration 500 intensity 40 frames 1,2,3:500",
        ),
        (
            ["red:0.1", "blue", "--duration", "3"],
            "component 0 pattern 7 duration 3000 intensity 100 frames 255,0,0:100 0,0,255:500",
        ),
        (["off"], "component 0 pattern 7 duration 1000 intensity 100 halt frames 0,0,0:1000"),
        (["pink", "--gear"], "component 77 pattern 1 duration 2000 intensity 100 frames 255,96,160:2000"),
    ],
)
def test_led(tag: Simulator, words: list[str], played: str) -> None:
    assert said(tag, "led", SERIAL, *words) == ""
    assert last_of(tag, "lights") == played


@pytest.mark.parametrize(
    "words, played",
    [
        (["alert"], "pattern 1 on 170 off 700 amplitude 60 repeats 14"),
        (
            ["--on", "0.2", "--off", "0.1", "--repeats", "2", "--amplitude", "90", "--wave", "constant"],
            "pattern 7 on 200 off 100 amplitude 90 repeats 2",
        ),
        (["off"], "pattern 0 on 0 off 0 amplitude 0 repeats 0"),
    ],
)
def test_haptic(tag: Simulator, words: list[str], played: str) -> None:
    assert said(tag, "haptic", SERIAL, *words) == ""
    assert last_of(tag, "haptics") == played


@pytest.mark.parametrize(
    "words",
    [
        ["led", SERIAL],
        ["led", SERIAL, "taupe"],
        ["led", SERIAL, "#12"],
        ["led", SERIAL, "#gggggg"],
        ["led", SERIAL, "off", "red"],
        ["led", SERIAL, "red:0"],
        ["led", SERIAL, "red", "--intensity", "0"],
        ["haptic", SERIAL],
        ["haptic", SERIAL, "boom"],
        ["haptic", SERIAL, "alert", "--on", "1"],
        ["haptic", SERIAL, "--on", "66"],
        ["haptic", SERIAL, "--on", "1", "--repeats", "256"],
        ["config", "write", SERIAL, "colour=1"],
        ["config", "write", SERIAL, "queue-depth=many"],
        ["config", "write", SERIAL, "connection-interval=slow"],
        ["config", "write", SERIAL, "queue-depth=4294967296"],
        ["config", "set", SERIAL, "key", "3.5", "--type", "uint32"],
        ["config", "set", SERIAL, "", "3"],
        ["rename", SERIAL, "a name that is much too long"],
        ["watch", SERIAL, "--on", "wave", "true"],
        ["watch", "", "--for", "1"],
        ["touch", SERIAL, "--for", "nan"],
    ],
    ids=" ".join,
)
def test_meaningless_arguments_are_refused(tag: Simulator, words: list[str]) -> None:
    assert "jacquardctl" in complaint(tag, exits.USAGE, *words)


def test_gear_without_the_capability(tag: Simulator) -> None:
    tag.tell("gear attach levis-trucker")
    text = complaint(tag, exits.FAILED, "led", SERIAL, "red", "--gear")
    assert text == "jacquardctl: Levi's Trucker Jacket lacks this capability: led.\n"


def test_no_gear(tag: Simulator) -> None:
    tag.tell("gear detach")
    refused = complaint(tag, exits.FAILED, "haptic", SERIAL, "alert")
    assert refused.startswith("jacquardctl: No gear is attached to the tag.")


@pytest.mark.parametrize(
    "value, shown, stored",
    [
        ("true", "true", True),
        ("7", "7", 7),
        ("-7", "-7", -7),
        ("0x10", "16", 16),
        ("18446744073709551615", "18446744073709551615", (1 << 64) - 1),
        ("1.5", "1.5", 1.5),
        ("some words", "some words", "some words"),
        ("\x1b[31m", "\N{REPLACEMENT CHARACTER}[31m", "\x1b[31m"),
    ],
)
def test_values(tag: Simulator, value: str, shown: str, stored: object) -> None:
    assert said(tag, "config", "set", SERIAL, "key", "--", value) == ""
    assert said(tag, "config", "get", SERIAL, "key") == f"{shown}\n"
    assert objects(said(tag, "config", "get", SERIAL, "key", "--json")) == [{"key": "key", "value": stored}]


def test_values_of_another_type_and_owner(tag: Simulator) -> None:
    whose = ["--vendor-id", "0x117830C8", "--product-id", "0xEF3E5B88"]
    assert said(tag, "config", "set", SERIAL, "mode", "2", "--type", "string", *whose) == ""
    assert objects(said(tag, "config", "get", SERIAL, "mode", "--json", *whose)) == [{"key": "mode", "value": "2"}]
    assert complaint(tag, exits.FAILED, "config", "get", SERIAL, "mode") == ""


def test_configuration(tag: Simulator) -> None:
    written = said(tag, "config", "write", SERIAL, "motion-enabled=off", "fast-interval-ms=62.5")
    read = said(tag, "config", "read", SERIAL)
    assert set(written.splitlines()) <= set(read.splitlines())
    lines = dict(line.split(None, 1) for line in read.splitlines())
    assert (lines["motion-enabled"], lines["fast-interval-ms"]) == ("false", "62.5")
    (told,) = objects(said(tag, "config", "read", SERIAL, "--json"))
    assert (told["motion_enabled"], told["fast_interval_ms"]) == (False, 62.5)
    assert (told["connection_interval_minimum"], told["connection_interval_maximum"]) == (6, 400)
    (told,) = objects(said(tag, "config", "write", SERIAL, "queue-depth=7", "connection-interval=fast", "--json"))
    assert (told["connection_interval_minimum"], told["connection_interval_maximum"], told["queue_depth"]) == (6, 12, 7)


def test_rename(tag: Simulator) -> None:
    assert objects(said(tag, "rename", SERIAL, "Left cuff", "--json")) == [
        {"before": f"Jacquard-{SERIAL}", "name": "Left cuff"}
    ]
    assert said(tag, "battery", "Left cuff") == "80%\n"
    assert "is already named Left cuff" in complaint(tag, exits.FAILED, "rename", SERIAL, "Left cuff")
    said(tag, "rename", SERIAL, f"Jacquard-{SERIAL}")


def test_modules(tag: Simulator) -> None:
    tag.tell("module installed")
    heading, listed = said(tag, "module", "list", SERIAL).splitlines()
    assert heading.split() == ["MODULE", "NAME", "VERSION", "SIZE"]
    assert listed.split()[0] == IMU
    name = listed.split()[1]
    assert said(tag, "module", "load", SERIAL, name.upper()) == ""
    (module,) = objects(said(tag, "module", "list", SERIAL, "--json"))
    assert (module["enabled"], module["module_id"]) == (True, 0x3D0BE753)
    assert said(tag, "module", "unload", SERIAL, IMU) == ""
    assert said(tag, "module", "delete", SERIAL, IMU, "--yes") == ""
    assert said(tag, "module", "list", SERIAL) == ""
    assert "has no module ‘" in complaint(tag, exits.FAILED, "module", "load", SERIAL, IMU)


def test_a_failure_as_json_has_all_details(tag: Simulator) -> None:
    tag.tell("on request battery once: status 8")
    (failure,) = objects(complaint(tag, exits.FAILED, "battery", SERIAL, "--json"))
    assert failure["error"]["code"] == "tag_status"
    assert failure["error"]["tag_status"] == 8
    assert set(failure["error"]) >= {"message", "advice", "att_code", "dbus_name", "system_errno", "tag_status_name"}
