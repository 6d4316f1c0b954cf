"""The library's size on disk and in memory, modules that must not be linked, and the names of its functions."""

import collections
import re
from pathlib import Path

from conftest import LIBRARY, ROOT, SIMULATOR, build, run

MEGABYTE = 1_000_000
# The original aim was 7.6. docs/benchmarks.md says what the library consists of.
LARGEST = 9.8 * MEGABYTE
WITH_SYMBOLS = ROOT / "build" / "symbols" / LIBRARY.resolve().name
# Modules by their mangled names. The library is small because it has its own message codec and no regular expressions.
UNWANTED = re.compile(r"10Foundation|20FoundationEssentials|13SwiftProtobuf|17_StringProcessing|12_RegexParser")


def symbols(path: Path) -> set[str]:
    """The library and the simulator, before they are stripped."""
    ran = run(["nm", path])
    assert ran.returncode == 0, ran.stderr
    return {line.split()[-1] for line in ran.stdout.splitlines()}


def test_the_library_is_small() -> None:
    assert LIBRARY.stat().st_size <= LARGEST


def test_the_library_is_linked_without_foundation_and_regular_expressions() -> None:
    found = symbols(WITH_SYMBOLS)
    assert any("8Jacquard" in name for name in found)
    assert [name for name in found if UNWANTED.search(name)] == []


def test_the_functions_in_the_ordering_file_exist() -> None:
    """The linker ignores names that no longer exist; `make generate FILES=hot-path` records them again."""
    names = (ROOT / "Sources" / "JacquardABI" / "hot-path").read_text().splitlines()
    ordered = {name for name in names if name and not name.startswith("#")}
    missing = ordered - symbols(WITH_SYMBOLS)
    assert ordered and len(missing) <= len(ordered) / 20, sorted(missing)[:20]


def test_a_backtrace_names_the_right_function() -> None:
    """No two functions in Swift have the same address, as they would if the linker folded those with equal code."""
    listed = run(["nm", "--defined-only", WITH_SYMBOLS]).stdout
    functions = collections.Counter(re.findall(r"^(\w+) [tT] \$s", listed, re.MULTILINE))
    assert functions and max(functions.values()) == 1


def test_the_simulator_is_linked_without_swiftprotobuf() -> None:
    found = symbols(ROOT / "build" / "symbols" / SIMULATOR.name)
    assert [name for name in found if "13SwiftProtobuf" in name] == []


def test_a_connected_program_is_small(tmp_path: Path) -> None:
    program = build(ROOT / "Tests" / "System" / "bench" / "library.c", tmp_path / "library", "-std=gnu11", f"-I{ROOT}/Tests/System/bench")
    (tmp_path / "batteries").write_text("after ready every 20ms battery 80\n")
    command = [SIMULATOR, "run", "--scenario", tmp_path / "batteries", "--", "sh", "-c", f"{program} 1 | head -1"]
    copy_in_pages(LIBRARY, tmp_path / LIBRARY.name)
    # How many neighbouring pages the kernel maps at once varies by 2 % from run to run.
    least = min(resident(command, LD_LIBRARY_PATH=str(tmp_path)) for _ in range(3))
    assert least * 1024 <= 8.7 * MEGABYTE


def copy_in_pages(source: Path, target: Path) -> None:
    """Linux caches a large write in large pages, and maps them as a whole: up to 0.5 MB more."""
    with source.open("rb") as reader, target.open("wb", buffering=0) as writer:
        while page := reader.read(4096):
            writer.write(page)


def resident(command: list[object], **environment: str) -> int:
    ran = run(command, env={name: str(value) for name, value in environment.items()})
    word, _, kibibytes, _ = ran.stdout.split()
    assert word == "connected", ran.stdout + ran.stderr
    return int(kibibytes)
