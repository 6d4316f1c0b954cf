"""The output of jacquardctl run: on a terminal, and in the journal."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import ctl
from jacquard_apps.terminal import exits
from simulator import Simulator
from test_automations_run import (
    rules_fixture,  # noqa: F401
    write,
)
from test_automations_status import a_rule


def test_a_terminal_shows_the_link_and_the_last_rule(tag: Simulator, rules: Path) -> None:
    write(rules, a_rule("rule", "locked = true"), a_rule("other", do="led = 'teal'", event="gesture = 'cover'"))
    terminal = ctl.OnTerminal(tag, "run", str(rules), COLUMNS="200")
    terminal.until("0000AAAAA001ZK connected · no event yet")
    tag.tell("gesture brush-in")
    terminal.until("brush-in: not run: the screen was not locked (line 1)")
    tag.tell("gesture cover")
    terminal.until("cover: ran (line 7)")
    terminal.until('0000AAAAA001ZK cover: led = "teal"')
    assert terminal.end(signal.SIGINT) == exits.INTERRUPTED
    # The line is removed at the end, and the cursor is shown again.
    assert terminal.shown.rstrip().endswith("\x1b[2K") and "\x1b[?25h" in terminal.shown


def test_messages_stay_in_the_file_of_standard_error(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    write(rules, a_rule("rule", do="shell = 'exit 3'"))
    with (tmp_path / "errors").open("w") as errors:
        terminal = ctl.OnTerminal(tag, "run", str(rules), stderr=errors)
    terminal.until("0000AAAAA001ZK connected · no event yet")
    tag.tell("gesture brush-in")
    terminal.until("brush-in: failed: ")
    terminal.end(signal.SIGINT)
    assert (tmp_path / "errors").read_text() == 'jacquardctl: rule: shell = "exit 3": ended with status 3\n'


def test_lines_in_the_journal_have_fields(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    """The journal's socket is not where the program expects it, so the test replaces its path in the program."""
    place, errors = tmp_path / "journal", tmp_path / "stderr"
    script = f"import sys, jacquard_automations.status.journal as j; j.connected.__defaults__ = ({str(place)!r},); "
    script += f"from jacquardctl.cli import main; sys.exit(main(['run', {str(rules)!r}]))"
    write(rules, a_rule("rule", "locked = true"), a_rule("other", do="led = 'teal'", event="gesture = 'cover'"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal, errors.open("w") as stderr:
        journal.bind(str(place))
        journal.settimeout(ctl.LONGEST)
        status = os.fstat(stderr.fileno())
        environment = ctl.environment(tag.bus_address, JOURNAL_STREAM=f"{status.st_dev}:{status.st_ino}")
        with subprocess.Popen([ctl.program()[0], "-c", script], env=environment, stdout=stderr, stderr=stderr) as process:

            def until_sent(**fields: str) -> dict[str, str]:
                while True:
                    entry = dict(line.split("=", 1) for line in journal.recv(65536).decode().splitlines())
                    if fields.items() <= entry.items():
                        return entry

            assert until_sent(JACQUARD_LINK="connected")["MESSAGE"] == "0000AAAAA001ZK: connected"
            tag.tell("gesture brush-in")
            entry = until_sent(JACQUARD_REASON="locked")
            assert (entry["JACQUARD_RULE"], entry["JACQUARD_EVENT"], entry["PRIORITY"]) == ("rule", "brush-in", "6")
            tag.tell("gesture cover")
            entry = until_sent(JACQUARD_RULE="other")
            assert (entry["JACQUARD_ACTION"], entry["MESSAGE"]) == ('led = "teal"', '0000AAAAA001ZK cover: led = "teal"')
            write(rules, "wrong = 1")
            assert until_sent(PRIORITY="4")["MESSAGE"].startswith(f"{rules}:2: ")
            process.terminate()
    assert errors.read_text() == ""
