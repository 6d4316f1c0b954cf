"""docs/how-we-test.md has the numbers and limits of the tests."""

import math
import re
from collections.abc import Iterable

from conftest import ROOT, run
from test_guide import DOCS, rows

LONG = (ROOT / "Tests" / "Support" / "long").read_text()


NUMBER = re.compile(r"(?<![.\d])(over )?(\d{1,3}(?:,\d{3})+|\d+)(?![.\d])")


CODE = (".c", ".cpp", ".h", ".js", ".py", ".sh", ".swift")


def tracked(*suffixes: str) -> dict[str, str]:
    """The files with these suffixes, and their texts."""
    names = run(["git", "ls-files"], cwd=ROOT).stdout.splitlines()
    return {name: (ROOT / name).read_text() for name in names if name.endswith(suffixes) and (ROOT / name).exists()}


def occurrences(pattern: str, texts: Iterable[str]) -> int:
    return sum(len(re.findall(pattern, text, re.MULTILINE)) for text in texts)


def of_release() -> list[str]:
    return run([ROOT / "Tests/Support/long", "--of-release"]).stdout.split()


def hours_of_release() -> int:
    return math.ceil(sum(int(run([ROOT / "Tests/Support/long", "--limit", test]).stdout) for test in of_release()) / 60)


def counted() -> dict[str, list[int]]:
    """The numbers of how-we-test.md, by a part of their rows."""
    code = tracked(*CODE)
    tests = {name: text for name, text in code.items() if name.startswith("Tests/")}
    search = ROOT / "Tests" / "Search"
    inputs = [path.read_text() for path in (search / "fuzz" / "inputs").iterdir()]
    kept = occurrences(r"^\d+ ", [(search / "lives" / "kept-seeds").read_text()])
    (random,) = re.findall(r"lives\.live\(1, (\d+)\)", (search / "lives" / "test_lives.py").read_text())
    (releases,) = re.findall(r"BLUEZ:-(.*)\}", LONG)
    swift, python = ([text for name, text in tests.items() if name.endswith(suffix)] for suffix in (".swift", ".py"))
    return {
        "tests of Swift modules": [occurrences(r"^ *@Test\b", swift)],
        "test functions in Python": [occurrences(r"^(?:async )?def test_", python)],
        "C programs": [len(list((ROOT / "Tests/Interface/features").glob("*.c"))) - 1],  # without feature.c
        "kinds of faults": [len(rows("reliability.md", "fault"))],
        "scenarios": [len(list((ROOT / "Tests/Support/scenarios").iterdir()))],
        "cases in virtual machines": [
            occurrences(r"^function .* \{$", [path.read_text() for path in (ROOT / "Tests/System/vm/cases").iterdir()])
        ],
        "releases of BlueZ": [1 + len(releases.split())],  # and that of Debian 12
        "fuzz targets": [len(inputs), occurrences(r"^(?!#).", inputs)],
        "random lives that": [int(random) + kept, kept],
        "known defects": [occurrences(r"^== ", [(search / "lives/mutations/defects.patch").read_text()])],
        "long tests": [len(of_release()), hours_of_release()],
        "lines of tests": [
            sum(text.count("\n") for text in tests.values()),
            sum(text.count("\n") for name, text in code.items() if name.startswith(("Sources/", "bindings/", "include/", "tools/", "apps/"))),
        ],
    }


def is_true(said: tuple[str, str], actual: int) -> bool:
    """Where the text says that a number is exceeded, it must be exceeded by a tenth at most."""
    over, number = said[0], int(said[1].replace(",", ""))
    return number <= actual <= number * 1.1 if over else number == actual


def test_what_is_tested_is_counted() -> None:
    wanted = counted()
    table = rows("how-we-test.md", "number", of="what")
    assert len(table) == len(wanted)
    for number, what, _ in table:
        (actual,) = (numbers for part, numbers in wanted.items() if part in what)
        said = NUMBER.findall(f"{number} {what}")
        assert len(said) == len(actual) and all(map(is_true, said, actual)), f"{number} {what}: {actual}"


def test_a_number_that_is_wrong_is_detected() -> None:
    assert NUMBER.findall("over 1,200 and 17 of 5.66, 20") == [("over ", "1,200"), ("", "17"), ("", "20")]
    assert is_true(("over ", "1,200"), 1200) and not is_true(("over ", "1,200"), 1199) and not is_true(("over ", "1,200"), 1400)
    assert is_true(("", "17"), 17) and not is_true(("", "17"), 18)


def test_what_a_release_repeats_is_what_the_long_tests_repeat() -> None:
    for number, _, variable in rows("how-we-test.md", "number", of="of"):
        name = variable.strip("`")
        assert number.replace(",", "") in re.findall(rf"\b{name}(?:=|:-)(\d+)", LONG)
    assert f"{hours_of_release()} hours at most" in (ROOT / "RELEASING.md").read_text()


def test_the_tests_of_every_change_have_one_limit() -> None:
    (minutes,) = re.findall(r"--within=(\d+)", (ROOT / ".ci" / "run").read_text())
    for name in (".ci/run", "RELEASING.md", "docs/contributing.md", "docs/how-we-test.md"):
        assert f"{minutes} minutes" in re.sub(r"\s+#? *", " ", (ROOT / name).read_text()), name


def test_what_searches_have_done_is_written_where_they_are_described() -> None:
    for _, done, link in rows("how-we-test.md", "search"):
        (path,) = re.findall(r"\]\((.*?)#", link)
        assert done in re.sub(r"\s+", " ", (DOCS / path).read_text())
