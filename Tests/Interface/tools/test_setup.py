"""jacquardctl setup, from a new software tag to a rule that has run."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import ctl
import players
import pytest
from desk import bus_fixture  # noqa: F401
from jacquard_apps.terminal import exits
from jacquard_automations import file
from simulator import SERIAL, Simulator
from waiting import until

# In place of systemctl: it notes its arguments, and its only unit is jacquardctl run.
SYSTEMCTL = """#!/bin/sh
exec 9>{folder}/lock && flock 9
echo "$@" >>{folder}/log
[ ! -e {folder}/fails ] || {{ echo "no bus" >&2; exit 1; }}
case "$2" in
  is-enabled) [ -e {folder}/on ] && echo enabled || echo disabled;;
  is-active) [ -e {folder}/failed ] && echo failed || {{ [ -e {folder}/on ] && echo active || echo inactive; }};;
  enable) touch {folder}/on; {python} -m jacquardctl run >{folder}/run 2>&1 9>&- & echo $! >{folder}/process;;
esac
"""


class Home:
    """The folders of a user, and programs in place of those of the system."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.rules = folder / "config" / "jacquard" / "automations.toml"
        self.state = folder / "state" / "jacquard" / "state.json"
        self.program("systemctl", SYSTEMCTL.format(folder=folder, python=ctl.program()[0]))
        monkeypatch.setenv("PATH", f"{folder}/bin:{os.environ['PATH']}")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        monkeypatch.delenv("SSH_CONNECTION", raising=False)

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def clear(self) -> None:
        """Ends the unit, also one that a killed setup has just begun, and removes what a setup has written."""
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.close()
        for path in (self.rules, self.state, self.folder / "on", self.folder / "process"):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        process = self.folder / "process"
        if process.exists():
            os.kill(int(process.read_text()), signal.SIGTERM)
            until(lambda: not Path("/proc", process.read_text().strip()).exists())


@pytest.fixture(name="home")
def home_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    one = Home(tmp_path, monkeypatch)
    yield one
    one.close()


@pytest.fixture(name="new")
def new_fixture(simulator: Simulator) -> Simulator:
    """A tag that is not bound, and is stroked again and again."""
    simulator.tell("gear attach levis-trucker")
    simulator.tell("every 500ms gesture brush-in")
    # Equal values one after the other may be copies while a program ends.
    simulator.tell("every 500ms battery 80")
    return simulator


def test_from_a_new_tag_to_a_song_that_is_skipped(new: Simulator, home: Home, bus: str, tmp_path: Path) -> None:
    """The person gives three answers: the number, the action and the unit."""
    with players.Cmus(tmp_path) as player:
        song = player.song
        setup = ctl.OnTerminal(new, "setup")
        setup.until("last four characters (s: skip): ")
        setup.type(f"{SERIAL}\n")
        setup.until("✓ gesture  I saw it: brush-in")
        setup.until("skip the song (players: cmus)")
        setup.until("1 to 4 (s: skip): ")
        setup.type("1\n")
        setup.until("Run the rules now and from each login on? [y/N] ")
        setup.type("y\n")
        assert setup.end() == exits.OK, setup.shown
        assert "✓ try      the rule has run: " in setup.shown and "brush-in: ran: cmus" in setup.shown
        players.until(lambda: player.song not in ("", song))
    # The unit has run it.
    assert '(cmus)' in (home.folder / "run").read_text()
    assert home.rules.read_text() == '[[on]]\ngesture = "brush-in"\ndo = { media = "next" }\n'
    assert "--user enable --now jacquard-automations.service\n" in (home.folder / "log").read_text()
    # The second time, there is nothing to ask, and nothing changes.
    before = home.rules.read_text(), home.state.read_text()
    again = ctl.OnTerminal(new, "setup", "--skip", "try", "--skip", "gesture")
    assert again.end() == exits.OK, again.shown
    assert "already has a rule, which stays" in again.shown and "is on, and stays so" in again.shown
    assert before[0] == home.rules.read_text() and (home.folder / "log").read_text().count("enable --now") == 1


def test_without_a_terminal_it_only_says_what_it_would_do(new: Simulator, home: Home) -> None:
    ran = ctl.run(new, "setup", stdin=subprocess.DEVNULL)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    for text in (
        "✓ machine  Bluetooth can be used",
        "· tag      would ask for the number on the tag, and run: jacquardctl bind NUMBER",
        "· gesture  would wait for a gesture",
        "· rule     would ask what brush-in does, and run, for example: jacquardctl run --add 'gesture = \"brush-in\"' --do",
        "· unit     would run: jacquardctl run --enable",
        "· try      would wait until the rule has run once",
    ):
        assert f"{text}" in ran.stdout
    planned = ctl.objects(ctl.run(new, "setup", "tag", "unit", "--json").stdout)
    assert [(one["step"], one["result"]) for one in planned] == [("tag", "planned"), ("unit", "planned")]
    assert not home.rules.exists() and not home.state.exists() and not (home.folder / "on").exists()


def test_each_step_can_be_skipped_and_mistakes_are_asked_for_again(new: Simulator, home: Home) -> None:
    setup = ctl.OnTerminal(new, "setup", "tag", "gesture", "rule", "unit", typed="s\ns\nn\n")
    assert setup.end() == exits.FAILED
    assert "✗ gesture  no tag is bound" in setup.shown
    assert not home.rules.exists() and not home.state.exists() and not (home.folder / "on").exists()
    setup = ctl.OnTerminal(new, "setup", "tag", "rule", "try", "--timeout", "6", typed=f"9999\n{SERIAL}\n7\n4\nexit 3\n")
    setup.until("the rule did not run in 6 seconds")
    assert setup.end() == exits.FAILED
    assert "✗ tag " in setup.shown and f"✓ tag      {SERIAL} is bound to this machine" in setup.shown
    assert 'brush-in: failed: shell = "exit 3": ended with status 3' in setup.shown
    before = home.rules.read_text()
    assert before == '[[on]]\ngesture = "brush-in"\ndo = { shell = "exit 3" }\n'
    home.rules.write_text("[[on]]\nwrong = 1\n")
    setup = ctl.OnTerminal(new, "setup", "rule", typed="4\ntrue\n")
    assert setup.end() == exits.FAILED and "Nothing was changed" in setup.shown
    assert home.rules.read_text() == "[[on]]\nwrong = 1\n"


def test_with_a_software_tag(home: Home, simulator: Simulator) -> None:
    """It has a bus and folders of its own."""
    changes = {"PATH": f"{os.environ['PATH']}", "JACQUARD_SERVICE": ""}
    setup = ctl.OnTerminal(simulator, "setup", "--simulate", typed=f"{SERIAL}\n4\ntrue\n", **changes)
    assert setup.end() == exits.OK, setup.shown
    assert "✓ gesture  I saw it: brush-in" in setup.shown and "✓ try      the rule has run: " in setup.shown
    assert "is not for software tags" in setup.shown
    assert not home.rules.exists() and not home.state.exists() and not (home.folder / "on").exists()


def test_it_says_what_the_machine_and_the_session_lack(new: Simulator, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.folder / "fails").touch()
    for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    ran = ctl.run(new, "setup", "machine", env={"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "SUDO_USER": "ada"})
    assert ran.returncode == exits.OK
    assert "! session  over ssh: no key can be pressed" in ran.stdout and "loginctl enable-linger" in ran.stdout
    assert "! session  no user manager: " in ran.stdout and "systemctl --user show --property=Version failed: no bus" in ran.stdout
    assert "! session  no session bus: no player can be controlled" in ran.stdout
    assert ("! session  you are root" in ran.stdout and "the account ada" in ran.stdout) == (os.geteuid() == 0)
    new.tell("adapter off")
    ran = ctl.run(new, "setup")
    assert ran.returncode == exits.NO_BLUETOOTH
    assert "✗ machine  The Bluetooth adapter is powered off." in ran.stdout and "bluetoothctl power on" in ran.stdout
    assert "· tag" not in ran.stdout
    new.tell("adapter on")


def test_programs_that_are_installed_outside_the_folders_of_python(new: Simulator, home: Home) -> None:
    """As with PREFIX=/usr/local, where only the program itself knows the folder of the packages."""
    environment = ctl.environment(new.bus_address)
    folders = environment.pop("PYTHONPATH").split(":")
    script = f"import sys; sys.path += {folders!r}; from jacquardctl.cli import main; sys.exit(main(['setup', 'machine', 'tag'"
    for words in ("])", ", '--simulate'])"):
        program = [ctl.program()[0], "-c", f"{script}{words})"]
        ran = subprocess.run(program, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ctl.LONGEST)
        assert (ran.returncode, ran.stderr) == (exits.OK, "")
        assert "✓ machine  Bluetooth can be used" in ran.stdout and "· tag " in ran.stdout


def test_nothing_is_installed_before_the_command_was_shown_and_confirmed(new: Simulator, home: Home) -> None:
    """The module is hidden until apt has been run."""
    hidden, log = home.folder / "hidden", home.folder / "apt"
    (hidden / "sitecustomize").mkdir(parents=True)
    (hidden / "sitecustomize" / "__init__.py").write_text(
        "import importlib.util, os\n"
        "find = importlib.util.find_spec\n"
        f"importlib.util.find_spec = lambda name, *rest: None if name == 'dbus_fast' and not os.path.exists({str(log)!r}) "
        "else find(name, *rest)\n"
    )
    home.program("apt", f'#!/bin/sh\necho "$@" >>{log}\n')
    home.program("sudo", '#!/bin/sh\nexec "$@"\n')
    path = {"PYTHONPATH": f"{hidden}:{ctl.environment('')['PYTHONPATH']}"}
    for answer, status in (("n", exits.FAILED), ("", exits.FAILED), ("y", exits.OK)):
        assert not home.rules.exists() and not log.exists()
        setup = ctl.OnTerminal(new, "setup", "rule", typed=f"1\n{answer}\n", **path)
        setup.until("apt install python3-dbus-fast")
        assert setup.end() == status, setup.shown
    assert log.read_text() == "install python3-dbus-fast\n"
    assert file.read(home.rules).rules


def test_it_may_be_killed_at_any_moment(new: Simulator, home: Home) -> None:
    """Its files are whole or absent, and the next attempt ends well."""
    words, typed = ("setup", "--skip", "machine"), f"{SERIAL}\n4\ntrue\ny\n"
    count = int(os.environ.get("JACQUARD_KILLS", "10"))
    begin = time.monotonic()
    assert ctl.OnTerminal(new, *words, typed=typed).end() == exits.OK
    longest, results = time.monotonic() - begin, set()
    for number in range(count):
        home.clear()
        setup = ctl.OnTerminal(new, *words, typed=typed)
        # At the first moment, at others, and with the unit.
        after = longest * number / (count - 1)
        if number == count - 1:
            after = 0
            until((home.folder / "on").exists)
        setup.end(signal.SIGKILL, after)
        rules = len(file.read(home.rules).rules) if home.rules.exists() else 0
        assert rules <= 1
        results.add((home.state.exists(), rules, (home.folder / "on").exists()))
        left = [path.name for path in home.rules.parent.glob(".*")] if home.rules.parent.exists() else []
        assert not left
        if number % 5 == 1:
            again = ctl.OnTerminal(new, *words, typed=typed)
            assert again.end() == exits.OK, again.shown
            assert len(file.read(home.rules).rules) == 1
    assert (False, 0, False) in results and (True, 1, True) in results, results


def test_status_says_that_the_unit_has_failed(simulator: Simulator, home: Home) -> None:
    home.rules.parent.mkdir(parents=True)
    home.rules.write_text('[[on]]\ngesture = "brush-in"\ndo = { run = ["true"] }\n')
    assert "Run: jacquardctl run, or jacquardctl run --enable\n" in ctl.run(simulator, "status", str(home.rules)).stdout
    (home.folder / "failed").touch()
    ran = ctl.run(simulator, "status", str(home.rules))
    assert "jacquard-automations.service has failed. See: journalctl --user --unit jacquard-automations.service\n" in ran.stdout
