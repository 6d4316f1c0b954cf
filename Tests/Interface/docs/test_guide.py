"""Numbers and names in the documents match the sources."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from conftest import LIBRARY, ROOT, SIMULATOR, run
from header import whole

DOCS = ROOT / "docs"


def rows(document: str, column: str, of: str = "") -> list[list[str]]:
    """The rows of the table with this first column, and possibly this second one, as lists of cells."""
    table = re.search(rf"^\| {column} \| {of}.*\n\|[ |-]+\n((?:\|.*\n)+)", (DOCS / document).read_text(), re.MULTILINE)
    assert table
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def seconds(text: str) -> list[float]:
    """The seconds of each duration in a piece of Swift."""
    found = re.findall(r"\.(seconds|milliseconds)\((\d+)\)", text)
    return [int(number) / (1000 if unit == "milliseconds" else 1) for unit, number in found]


def durations(path: str) -> dict[str, Any]:
    """The durations of a type, and its lists of durations."""
    source = (ROOT / "Sources/Jacquard" / path).read_text()
    single = re.findall(r"^  var (\w+): Duration = (.*)$", source, re.MULTILINE)
    limits = {name: seconds(value) for name, value in single}
    lists = re.findall(r"^  var (\w+)(?:: \[Duration\])? = \[(.*?)\]$", source, re.DOTALL | re.MULTILINE)
    limits |= {name: seconds(value) for name, value in lists}
    assert len(limits) == len(re.findall(r"^  var (?!\w+ = \w+\(\)$)", source, re.MULTILINE))
    return limits


def test_time_limits_match_the_library() -> None:
    said = {row[0].strip("`"): [float(number) for number in row[2].split(",")] for row in rows("guide.md", "limit")}
    limits = durations("Deadlines.swift")
    limits |= {f"RetryPauses.{name}": value for name, value in durations("Connecting/RetryPauses.swift").items()}
    assert said and said == {name: limits.get(name) for name in said}


def environment_variables() -> set[str]:
    """The environment variables that the guide lists."""
    _, _, listed = (DOCS / "guide.md").read_text().partition("\n## Environment variables\n")
    return set(re.findall(r"`([A-Z_]+)`", listed))


def present(document: Path) -> str:
    """The text without the old names, which are in the first column of the table of renames."""
    text, _, table = document.read_text().partition("\n## From the header of 2026-11\n")
    return text + re.sub(r"^\|[^|]*\|", "|", table, flags=re.MULTILINE)


def test_named_status_codes_exist() -> None:
    statuses = set(re.findall(r"\bJACQUARD_ERROR_(\w+) = -", whole()))
    statuses |= environment_variables()  # other names of this form
    for document in ("guide.md", "troubleshooting.md", "porting.md"):
        text = present(DOCS / document)
        named = set(re.findall(r"`([A-Z][A-Z_]+)`", text)) - statuses - {"NULL"}
        named = {name.removeprefix("JACQUARD_") for name in named}
        assert {name for name in named if not re.search(rf"\bJACQUARD_(?:\w+_)?{name}\b", whole())} == set(), document


def test_the_advice_about_a_tag_that_was_not_seen_is_the_same_everywhere(tmp_path: Path) -> None:
    """Layers with their own search give the same advice as the library."""
    assert run([sys.executable, "-B", DOCS / "generator", tmp_path]).returncode == 0
    advice = re.findall(r"^\| `NOT_FOUND` .* \| (.*) \|$", (tmp_path / "errors.md").read_text(), re.MULTILINE)[0]
    layers = [
        "bindings/c/jacquard-blocking.c",
        "bindings/python/src/jacquard/manager.py",
        "apps/jacquard-apps/src/jacquard_apps/tags/target.py",
    ]
    assert [layer for layer in layers if advice not in (ROOT / layer).read_text()] == []


def test_every_environment_variable_is_listed() -> None:
    swift = "\n".join(path.read_text() for path in (ROOT / "Sources").rglob("*.swift"))
    used = set(re.findall(r'(?:secure_getenv\(|absolutePath\(in: |environment\()"(\w+)"', swift))
    used |= set(re.findall(r'getenv\("(\w+)"', (ROOT / "Sources/jacquardd/main.c").read_text()))
    for folder in ("bindings/python/src", "apps"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            used |= set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', text))
            used |= set(re.findall(r'"((?:JACQUARD|XDG)_(?!ERROR)[A-Z_]+)"', text))
    # Variables with the details of an event, for the commands of rules.
    automations = ROOT / "apps/jacquard-automations/src/jacquard_automations"
    sources = [automations / "occasion.py", automations / "actions" / "command.py", *(automations / "events").glob("*.py")]
    texts = [path.read_text() for path in sources]
    used |= {f"JACQUARD_{name.upper()}" for name in re.findall(r'"(\w+)": ', "".join(texts))}
    assert {"JACQUARD_LOG", "JACQUARD_SERVICE", "LISTEN_FDS", "JACQUARD_LIBRARY", "JACQUARD_TAG", "XDG_RUNTIME_DIR"} <= used
    named = environment_variables()
    assert used - named == set() and named - used <= {"PATH"}


def test_named_functions_exist() -> None:
    header = whole()
    layer = (ROOT / "bindings/c/jacquard-blocking.h").read_text()
    for document in [*DOCS.glob("*.md"), *(ROOT / "bindings").glob("*/README.md"), ROOT / "README.md"]:
        named = set(re.findall(r"`((?:jacquard|jb)_\w+)(?:\(\))?`", present(document)))
        assert {name for name in named if not re.search(rf"\b{name}\b", header + layer)} == set(), document.name


def test_the_guide_describes_every_handle() -> None:
    words = {row[0].strip("*") for row in rows("guide.md", "term")}
    assert set(re.findall(r"typedef struct jacquard_(\w+) jacquard_\1;", whole())) <= words


def test_every_connection_status_has_a_cause() -> None:
    """Errors that a user can see and resolve."""
    text = (DOCS / "troubleshooting.md").read_text()
    of_people = re.findall(r"\bJACQUARD_ERROR_(\w+) = -(?:2\d|49|5\d|6[0-3]|4[1-58])\b", whole())
    inside = {"STALE_GEAR", "GATT", "DEVICE_GONE", "CONNECTION_LOST", "TAG_STATUS", "MALFORMED_RESPONSE"}
    assert set(of_people) - inside - set(re.findall(r"`([A-Z_]+)`", text)) == set()


PROTO = (ROOT / "Sources/JacquardWire/jacquard.proto").read_text()


def payloads(message: str) -> set[int]:
    """Numbers of the payloads of an envelope."""
    body = re.findall(rf"^message {message} \{{\n(.*?)^\}}", PROTO, re.DOTALL | re.MULTILINE)[0]
    return {int(number) for number in re.findall(r" = (\d+);", body) if int(number) > 98}


def test_the_numbers_in_the_protocol_match_the_schema() -> None:
    requests = rows("protocol.md", "request")
    for column, message in ((2, "Request"), (3, "Response")):
        named = {int(number) for row in requests for number in re.findall(r"\b\d{3,4}\b", row[column])}
        assert len(named) > 10 and named <= payloads(message)
    notifications = {int(re.findall(r"\A\d+", row[1])[0]) for row in rows("protocol.md", "notification")}
    assert len(notifications) > 5 and notifications <= payloads("Notification")
    enum = re.findall(r"enum Opcode \{(.*?)\n\}", PROTO, re.DOTALL)[0]
    opcodes = set(re.findall(r"^  \w+ = (\d+);", enum, re.MULTILINE))
    assert {number for row in requests for number in re.findall(r"\d+", row[1])} <= opcodes | {"0", "8", "9"}


def test_the_protocol_lists_all_statuses() -> None:
    cells = [cell for row in rows("protocol.md", "status") for cell in row[::2] if cell]
    enum = re.findall(r"enum Status \{(.*?)\n\}", PROTO, re.DOTALL)[0]
    assert sorted(cells) == sorted(re.findall(r" = (\d+);", enum))


def test_the_bytes_in_the_protocol_match_the_example(tmp_path: Path) -> None:
    """`raw` sends and prints the same request and response, without the ID and the fragment header."""
    text = (DOCS / "protocol.md").read_text()
    source = (ROOT / "bindings/c/examples/raw.c").read_text()
    sent = "".join(re.findall(r"0x([0-9a-f]{2})\b", re.findall(r"request\[\] = \{(.*?)\}", source)[0]))
    written = re.findall(r"the host writes `([0-9a-f ]+)`", text)[0].replace(" ", "")
    assert written == "c0" + f"{len(written) // 2 - 2:02x}" + sent[:8] + "1805" + sent[8:]


STATES = """
import asyncio, jacquard

async def show(connection):
    async for state in connection.states():
        print(state.phase.name, state.step)
        if state.phase is jacquard.Phase.DISCONNECTED:
            return

async def main():
    async with jacquard.Manager() as manager:
        found = await manager.find(timeout=20)
        async with manager.bind(found, code="01ZK") as connection:
            watching = asyncio.ensure_future(show(connection))
            await connection.tag()
            async with connection.events(jacquard.Battery) as events:
                await events.next()
                await events.next()
            await connection.tag()
            await connection.disconnect()
            await watching

asyncio.run(main())
"""


def test_the_diagram_of_a_connection_is_accurate(tmp_path: Path) -> None:
    """Bound, lost, reconnected and ended: the diagram has each transition, and the table each step's phase."""
    (tmp_path / "states.py").write_text(STATES)
    (tmp_path / "scenario").write_text("after ready once 300ms drop link\n")
    settings = {"PYTHONPATH": str(ROOT / "bindings/python/src"), "JACQUARD_LIBRARY": str(LIBRARY)}
    settings["XDG_STATE_HOME"] = str(tmp_path / "state")
    command = [sys.executable, "-B", tmp_path / "states.py"]
    ran = run([SIMULATOR, "run", "--scenario", tmp_path / "scenario", "--", *command], env=settings)
    assert (ran.returncode, ran.stderr) == (0, "")
    seen = [line.split() for line in ran.stdout.splitlines()]
    phases = [phase for phase, _ in seen]
    drawn = set(re.findall(r"^  (\w+) --> (\w+):", (DOCS / "guide.md").read_text(), re.MULTILINE))
    passed = {(here, there) for here, there in zip(phases, phases[1:]) if here != there}
    assert ("CONNECTED", "PREPARING") in passed and ("AUTHENTICATING", "CONNECTING") in passed
    assert phases[-1] == "DISCONNECTED" and passed - drawn == set()
    said = {step: row[2] for row in rows("guide.md", "step") for step in row[0].split(", ")}
    # After a lost link and at the end, the step still belongs to the previous link.
    there = [(phase, step) for phase, step in seen if phase not in ("PREPARING", "DISCONNECTED")]
    assert [(phase, step) for phase, step in there if phase not in said[step]] == []
    assert {str(step) for step in range(1, 15)} == set(said)


LITERAL = r'"(?:[^"\\]|\\.)*"'
LITERALS = rf"{LITERAL}(?:\s*\+\s*{LITERAL})*"


def joined(literals: str) -> str:
    """The text of adjacent literals of Swift, with a word for each interpolation."""
    text = "".join(literal[1:-1] for literal in re.findall(LITERAL, literals))
    return re.sub(r"\\\((\w+)\)", lambda name: name[1].upper(), text)


def asks_for_an_action(advice: str) -> bool:
    return not re.fullmatch(r"None needed[^.;]*\.", advice)


def usual_advice() -> dict[str, str]:
    """The advice of each error code, by the names of the header."""
    words = json.loads((ROOT / "Sources/Jacquard/status-texts.json").read_text())
    return {name: texts["advice"] for name, texts in words.items()}


def special_advice() -> set[str]:
    """The advice of single errors that differs from that of their code."""
    folders = ("Sources/Jacquard", "Sources/JacquardABI")
    sources = "".join(path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.swift"))
    return {joined(text) for text in re.findall(rf"\badvice\w*(?::| =)\s*({LITERALS})", sources)}


def codes(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def test_every_verdict_has_its_evidence() -> None:
    table = rows("reliability.md", "error", of="ends")
    usual = [row for row in table if row[2] == "usual"]
    wanted = {code for code, advice in usual_advice().items() if asks_for_an_action(advice)}
    assert {code for row in usual for code in codes(row[0])} == wanted
    assert {row[2] for row in table} - {"usual"} == {advice for advice in special_advice() if asks_for_an_action(advice)}
    assert all(evidence for _, _, _, evidence, _ in table)


def test_every_error_that_ends_a_connection_is_a_verdict() -> None:
    _, _, ending = (ROOT / "Sources/Jacquard/JacquardError.swift").read_text().partition("var endsConnections")
    cases = {re.sub(r"[A-Z]", r"_\g<0>", case).upper() for case in re.findall(r"\.(\w+)\b", ending)}
    ends = cases & set(usual_advice())
    table = rows("reliability.md", "error", of="ends")
    tested = {code for row in table if row[1] != "no" and row[4] for code in codes(row[0])}
    assert ends and ends <= tested


def test_every_verdict_that_ends_a_connection_has_a_false_witness() -> None:
    """A false witness is a case in which the verdict would be wrong."""
    table = rows("reliability.md", "verdict", of="false witness")
    ending = {code for row in rows("reliability.md", "error", of="ends") if row[1] != "no" for code in codes(row[0])}
    assert {code for row in table for code in codes(row[0])} == ending
    assert len({named for *_, named in table}) == len(table) >= 20


def test_the_tests_of_verdicts_exist() -> None:
    tests = "".join(path.read_text() for path in (ROOT / "Tests").rglob("*Tests*.swift"))
    for *_, named in rows("reliability.md", "error", of="ends") + rows("reliability.md", "verdict", of="false witness"):
        suite, _, name = named.partition(": ")
        if suite.startswith("test_"):
            assert f"def {name}(" in next((ROOT / "Tests").rglob(f"{suite}.py")).read_text()
        elif suite:
            assert f"struct {suite} " in tests and (not name or f'"{name}"' in tests), named
