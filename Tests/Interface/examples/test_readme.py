"""The programs in README.md build and run unchanged."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import LIBRARY, LIBRARY_FOLDER, ROOT, SIMULATOR, STRICT, compiler, run

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def reads_a_battery(command: list[object], **settings: Any) -> None:
    ran = run([SIMULATOR, "run", "--", *command], env=settings)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == "battery 80%"


@pytest.mark.parametrize("program", blocks("c"))
def test_c_program_works(tmp_path: Path, program: str) -> None:
    (tmp_path / "battery.c").write_text(program)
    additions = ROOT / "bindings" / "c"
    layer = [additions / "jacquard-blocking.c", "-pthread"] if "jacquard-blocking.h" in program else []
    flags = ["-std=c99", *STRICT, f"-I{ROOT / 'include'}", f"-I{additions}", f"-L{LIBRARY_FOLDER}", "-ljacquard"]
    made = run([compiler("gcc"), tmp_path / "battery.c", *layer, "-o", tmp_path / "battery", *flags])
    assert made.returncode == 0, made.stderr
    reads_a_battery([tmp_path / "battery"], LD_LIBRARY_PATH=str(LIBRARY_FOLDER))


@pytest.mark.parametrize("program", blocks("python"))
def test_python_program_works(tmp_path: Path, program: str) -> None:
    (tmp_path / "battery.py").write_text(program)
    settings = {"PYTHONPATH": str(ROOT / "bindings/python/src"), "JACQUARD_LIBRARY": str(LIBRARY)}
    reads_a_battery([sys.executable, "-B", "-W", "error", tmp_path / "battery.py"], **settings)


def test_there_are_programs_in_both_languages() -> None:
    assert len(blocks("c")) == 2 and len(blocks("python")) == 2


def test_the_shortest_programs_come_first() -> None:
    programs = re.findall(r"^```(c|python)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert [name for name, _ in programs] == ["python", "python", "c", "c"]
    lengths = [text.count("\n") for _, text in programs]
    assert lengths[0] == 5 and lengths[-1] == max(lengths)


def test_commands_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", "\n".join(blocks("console"))))
    assert {"demo", "check", "install"} <= named <= targets


def test_links_have_targets() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links and [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []
