"""jacquardctl list, bind and unbind."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from jacquardctl.parser import parser
from simulator import SERIAL, Simulator

PRINTED = "0000AAAAA0000001ZK"


@pytest.fixture
def at_home(simulator_for_module: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """A simulator whose tag is not bound yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return simulator_for_module


def known(simulator: Simulator) -> list[dict[str, Any]]:
    ran = ctl.run(simulator, "list", "--json")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return ctl.objects(ran.stdout)


def code(simulator: Simulator) -> str:
    """The number printed on the tag: its full serial number."""
    (info,) = ctl.objects(ctl.run(simulator, "info", SERIAL, "--json").stdout)
    return str(info["tag"]["serial"])


def test_a_tag_is_bound_listed_found_immediately_and_unbound(at_home: Simulator) -> None:
    ran = ctl.run(at_home, "list")
    assert (ran.returncode, ran.stdout) == (exits.OK, "")
    assert ran.stderr == "jacquardctl: No tag is bound to this machine: see jacquardctl bind.\n"
    words = ["--owner", "ann", "--profile", "sleeve=left", "--code", code(at_home)]
    ran = ctl.run(at_home, "bind", SERIAL, *words)
    assert (ran.returncode, ran.stdout) == (exits.OK, f"Jacquard-{SERIAL} is bound to this machine.\n"), ran.stderr
    (tag,) = known(at_home)
    assert (tag["owner"], tag["profile"], tag["name"]) == ("ann", {"sleeve": "left"}, f"Jacquard-{SERIAL}")
    heading, row = ctl.run(at_home, "list").stdout.splitlines()
    assert heading.split() == ["SERIAL", "NAME", "OWNER", "BOUND", "LAST", "CONNECTED", "LINK", "IDENTIFIER"]
    assert row.split()[-1] == tag["identifier"]
    (seen,) = ctl.objects(ctl.run(at_home, "scan", "--timeout", "1", "--json").stdout)
    assert seen["bound"]
    assert "bound to you" in ctl.run(at_home, "scan", "--timeout", "1").stdout
    assert ctl.run(at_home, "battery", f"Jacquard-{SERIAL}").stdout == "80%\n"
    ran = ctl.run(at_home, "unbind", f"Jacquard-{SERIAL}")
    assert (ran.returncode, ran.stdout, ran.stderr) == (exits.OK, "", "")
    assert known(at_home) == []


def test_a_tag_with_private_addresses_is_bound_under_its_own(at_home: Simulator) -> None:
    at_home.tell("address private")
    try:
        ran = ctl.run(at_home, "bind", SERIAL)
        assert (ran.returncode, ran.stdout) == (exits.OK, f"Jacquard-{SERIAL} is bound to this machine.\n"), ran.stderr
        assert len(known(at_home)) == 1
        assert ctl.run(at_home, "battery").stdout == "80%\n"
        assert ctl.run(at_home, "unbind").returncode == exits.OK
    finally:
        at_home.tell("address identity")


def test_bound_tags_are_listed_without_bluetooth(at_home: Simulator, tmp_path: Path) -> None:
    ran = ctl.run(at_home, "list", "--json", env={"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/missing"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (exits.OK, "", "")


def test_the_only_bound_tag_need_not_be_named(at_home: Simulator, tmp_path: Path) -> None:
    at_home.tell("gear attach levis-trucker")
    ran = ctl.run(at_home, "battery")
    assert (ran.returncode, ran.stdout) == (exits.USAGE, "") and "no tag is bound" in ran.stderr
    assert ctl.run(at_home, "bind", "--code", SERIAL).returncode == exits.OK
    assert ctl.run(at_home, "battery").stdout == "80%\n"
    for words in (["info", "--json"], ["config", "read"], ["config", "set", "key", "1"], ["config", "get", "key"],
                  ["led", "teal"], ["led", "red", "blue:0.2"], ["led", "off"], ["haptic", "alert"], ["module", "list"],
                  ["haptic", "--on", "0.1"], ["record", str(tmp_path / "file"), "--for", "0.5"], ["rename", "Hugo"],
                  ["watch", "--for", "0.5"]):  # fmt: skip
        ran = ctl.run(at_home, *words)
        assert (ran.returncode, ran.stderr) == (exits.OK, ""), words
    assert ctl.run(at_home, "rename", f"Jacquard-{SERIAL}").returncode == exits.OK
    assert ctl.run(at_home, "battery", SERIAL, "more").stderr.endswith("unrecognized arguments: more\n")
    assert ctl.run(at_home, "replay").returncode == exits.USAGE
    assert ctl.run(at_home, "unbind").returncode == exits.OK
    assert known(at_home) == []


def test_one_of_two_bound_tags_must_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Simulator("--tags", "2") as simulator:
        for serial in (SERIAL, "T001"):
            assert ctl.run(simulator, "bind", serial).returncode == exits.OK
        ran = ctl.run(simulator, "battery")
        assert (ran.returncode, ran.stdout) == (exits.USAGE, "")
        assert f"{SERIAL}, " in ran.stderr and "T001)" in ran.stderr


def test_a_wrong_code_binds_nothing(at_home: Simulator) -> None:
    ran = ctl.run(at_home, "bind", SERIAL, "--code", "9999")
    assert (ran.returncode, ran.stdout) == (exits.FAILED, "")
    assert "code" in ran.stderr
    assert known(at_home) == []


def test_an_address_is_not_a_code(at_home: Simulator) -> None:
    ran = ctl.run(at_home, "bind", "C0:1A:DA:00:00:00")
    assert (ran.returncode, ran.stdout) == (exits.USAGE, "")
    assert "--code" in ran.stderr


@pytest.mark.parametrize("entry", ["x", "=y"])
def test_an_invalid_profile_entry_is_refused(at_home: Simulator, entry: str) -> None:
    assert ctl.run(at_home, "bind", SERIAL, "--profile", entry).returncode == exits.USAGE


def test_a_tag_that_is_not_bound_cannot_be_unbound(at_home: Simulator) -> None:
    ran = ctl.run(at_home, "unbind", SERIAL)
    assert (ran.returncode, ran.stdout) == (exits.NOT_FOUND, "")
    assert "is not bound to this machine" in ran.stderr


def test_an_unreadable_state_file_is_reported(at_home: Simulator, tmp_path: Path) -> None:
    (tmp_path / "jacquard").write_text("no folder")
    ran = ctl.run(at_home, "list", "--json")
    assert (ran.returncode, ran.stdout) == (exits.NO_BLUETOOTH, "")
    (failure,) = ctl.objects(ran.stderr)
    assert failure["error"]["code"] == "state_file"
    assert ctl.run(at_home, "battery", SERIAL).stdout == "80%\n"


def test_a_truncated_state_file_is_reported_and_kept(at_home: Simulator, tmp_path: Path) -> None:
    assert ctl.run(at_home, "bind", SERIAL).returncode == exits.OK
    [file] = (tmp_path / "jacquard").glob("*.json")
    truncated = file.read_text()[:40]
    file.write_text(truncated)
    ran = ctl.run(at_home, "list", "--json")
    assert (ran.returncode, ran.stdout) == (exits.NO_BLUETOOTH, "")
    (failure,) = ctl.objects(ran.stderr)
    assert failure["error"]["code"] == "state_file"
    assert file.read_text() == truncated


def test_a_watch_waits_for_a_bound_tag_and_a_command_does_not(at_home: Simulator) -> None:
    assert ctl.run(at_home, "bind", SERIAL).returncode == exits.OK
    at_home.tell("out-of-range")
    with ctl.watch(at_home) as watch:
        watch.until(event="state", phase="preparing")
        assert ctl.run(at_home, "battery", SERIAL, "--timeout", "0.5").returncode in (exits.FAILED, exits.NOT_FOUND)
        at_home.tell("in-range")
        watch.until(event="state", phase="connected")
    assert (parsed("watch").timeout, parsed("battery").timeout) == (None, 60)


def test_a_time_limit_applies_to_a_bound_tag(at_home: Simulator) -> None:
    assert ctl.run(at_home, "bind", SERIAL).returncode == exits.OK
    at_home.tell("out-of-range")
    ran = ctl.run(at_home, "battery", SERIAL, "--timeout", "0.5", "--json")
    at_home.tell("in-range")
    assert ran.returncode in (exits.FAILED, exits.NOT_FOUND), ran
    (failure,) = ctl.objects(ran.stderr)
    assert failure["error"]["code"] in ("timeout", "not_found")


def parsed(command: str) -> argparse.Namespace:
    return parser().parse_args([command, SERIAL])
