"""The file of taught gestures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from jacquard_automations import toml_file
from jacquard_automations.table import Problem
from jacquard_automations.trained import file
from jacquard_automations.trained.episodes import Episode, Sample
from strokes import SWIPE_IN, Stroke, jittered

# The file

ROW = "   0   0   0   0   0  60 100  60   0   0   0   0   0\n"


EXAMPLE = ROW + ROW.replace("   0 ", "  17 ", 1)


VALID = 'version = 1\n[[gesture]]\nname = "a"\nexamples = [\n' + f'"""\n{EXAMPLE}""",\n' * 3 + "]\n"


def stored(name: str = "in", strokes: Sequence[Stroke | float] = SWIPE_IN, tolerance: float = 1.0) -> file.Gesture:
    return file.Gesture(name, tuple(jittered(seed, *strokes) for seed in range(5)), tolerance)


def problem(text: str) -> str:
    with pytest.raises(Problem) as found:
        file.parse(text)
    return f"{found.value.line}: {found.value}"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "gestures.toml"
    gesture = stored("a name", tolerance=1.5)
    file.change(path, gesture.name, gesture)
    (read,) = file.read(path)
    assert (read.name, read.tolerance) == ("a name", 1.5)
    for before, after in zip(gesture.examples, read.examples):
        assert [sample.levels for sample in before.samples] == [sample.levels for sample in after.samples]
        assert after.duration == pytest.approx(before.duration, abs=0.001)
    assert path.stat().st_mode & 0o777 == 0o600 and [one.name for one in path.parent.iterdir()] == [path.name]


def test_an_example_can_be_read(tmp_path: Path) -> None:
    assert file.rows(
        Episode((Sample(7.0, (0,) * 5 + (100, 60) + (0,) * 5), Sample(7.0173, (0,) * 5 + (128, 7) + (0,) * 5)))
    ) == (
        "   0   0   0   0   0   0 100  60   0   0   0   0   0\n  17   0   0   0   0   0 128   7   0   0   0   0   0\n"
    )


def test_a_missing_or_empty_file_has_no_gestures(tmp_path: Path) -> None:
    assert file.read(tmp_path / "none") == file.parse("") == file.parse("version = 1\n") == []


def test_all_else_in_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "gestures.toml"
    other = VALID[12:].replace('"a"', '"b"')
    for newline in ("\n", "\r\n"):
        path.write_bytes(f"# mine\n{VALID}# after a\n\n{other}# end".replace("\n", newline).encode())
        file.change(path, "a", stored("a"))
        file.change(path, "c", stored("c"))
        assert [gesture.name for gesture in file.read(path)] == ["a", "b", "c"]
        file.change(path, "c", None)
        file.change(path, "a", None)
        rest = f"# mine\nversion = 1\n# after a\n\n{other}# end\n\n".replace("\n", newline)
        assert path.read_bytes().decode() == rest
        path.unlink()


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    tmp_path: Path, changed_meanwhile: Callable[[Path, str], None]
) -> None:
    path = tmp_path / "gestures.toml"
    path.write_text(VALID)
    changed_meanwhile(path, "# another program\n")
    with pytest.raises(Problem, match="changed by another program"):
        file.change(path, "b", stored("b"))
    assert path.read_text() == "# another program\n" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("[[gesture]]", "1: the key version is missing"),
        ("version = 2", "1: key version: the file has format 2; this jacquardctl knows format 1"),
        ("version = 'x'", "1: key version: 'x' is not a number"),
        ("version = 1\ngesture = 3", "2: key gesture: 3 is not a list of tables"),
        ("version = 1\ngestures = []", "2: key gestures: unknown key; did you mean gesture?"),
        (VALID.replace("name", "nam"), "3: [[gesture]] number 1, key nam: unknown key; did you mean name?"),
        (VALID.replace('"a"', '" a"'), "3: [[gesture]] number 1, key name: ' a' is not a name of at most 40 letters, "),
        (VALID + VALID[12:], "19: [[gesture]] number 2, key name: there is another gesture 'a'"),
        (VALID + "tolerance = 0", "18: [[gesture]] number 1, key tolerance: 0 is out of range; expected 0.1 to 10"),
        (VALID + "tolerance = nan", "18: [[gesture]] number 1, key tolerance: nan is not a number"),
        (
            VALID.replace(f'"""\n{EXAMPLE}""",\n', "", 1),
            "4: [[gesture]] number 1, key examples: 2 examples; expected 3 to 25",
        ),
        (VALID.replace("  17 ", "  17 x", 1), "7: [[gesture]] number 1, key examples[1]: row 2: '  17 x  0 "),
        (VALID.replace("  17 ", "  17 1 ", 1), "7: [[gesture]] number 1, key examples[1]: row 2: '  17 1   0 "),
        (
            VALID.replace("  17 ", "5001 ", 1),
            "7: [[gesture]] number 1, key examples[1]: row 2: the time 5001 is out of range; ",
        ),
        (
            VALID.replace("   0 ", "  18 ", 1),
            "7: [[gesture]] number 1, key examples[1]: row 2: the time 17 is out of range; ",
        ),
        (
            VALID.replace(" 100", " 256", 1),
            "6: [[gesture]] number 1, key examples[1]: row 1: the level 256 is out of range; ",
        ),
        (
            VALID.replace("100", "  1").replace("60", " 1"),
            "5: [[gesture]] number 1, key examples[1]: expected two rows ",
        ),
        (VALID.replace("100", "9" * 90), "6: [[gesture]] number 1, key examples[1]: row 1: '   0   0 "),
    ],
    ids=range(18),
)
def test_what_is_wrong_has_a_line_and_a_message(text: str, message: str) -> None:
    assert problem(text).startswith(message)


@pytest.mark.parametrize(
    "number, content",
    enumerate(
        [b"\xff", b"#\n" * (toml_file.LARGEST // 2 + 1), b"a = [[[[" * 500, b'version = 1\nname = "' + b"x" * 5000]
    ),
    ids=range(4),
)
def test_hostile_bytes_give_a_message(number: int, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "gestures.toml"
    path.write_bytes(content)
    with pytest.raises(toml_file.Invalid, match=f"^{path}:[0-9]+: "):
        file.read(path)
