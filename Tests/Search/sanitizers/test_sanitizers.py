"""
No sanitizer reports anything for C programs that use the library in all possible ways.

Both the program and the library are instrumented; `Tests/Support/long sanitizers` builds the library. The sanitizers' exit
statuses differ from a program's 0, and their reports go to standard error.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from conftest import HEADER, ROOT, SIMULATOR, compiler, run

ABI = ROOT / "Tests" / "Interface" / "abi"
EXAMPLES = ROOT / "bindings" / "c" / "examples"
LAYER = ROOT / "bindings" / "c" / "jacquard-blocking.c"
FEATURES = ROOT / "Tests" / "Interface" / "features"
SHARING = ROOT / "Tests" / "System" / "sharing"
BUILDS = {"address": ROOT / ".build-asan" / "debug", "thread": ROOT / ".build-tsan" / "debug"}
# No suppressions: the uninstrumented libraries, including libdbus, do not require any.
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1", "TSAN_OPTIONS": "second_deadlock_stack=1"}
PROMPT = ["connect takes 0ms", "resolve takes 0ms", "disconnect takes 0ms", "latency 0ms"]
BUSY = [*PROMPT, "after ready every 1ms battery 80"]


def runtime(sanitizer: str) -> list[str]:
    """ThreadSanitizer's runtime supports libdispatch, and requires it."""
    if sanitizer == "address":
        return []
    folder = Path(compiler("clang")).resolve().parent.parent / "lib" / "swift" / "linux"
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", "-ldispatch", "-lBlocksRuntime"]


def build(sanitizer: str, program: Path, *sources: object) -> None:
    library = BUILDS[sanitizer]
    strictly = ["-std=c99", "-D_GNU_SOURCE", "-g", "-O1", "-pthread", f"-fsanitize={sanitizer}", "-fuse-ld=lld"]
    includes = [f"-I{folder}" for folder in (HEADER.parent, ABI, LAYER.parent, FEATURES)]
    linked = [f"-L{library}", "-ljacquard", f"-Wl,-rpath,{library}", *runtime(sanitizer)]
    program.parent.mkdir(exist_ok=True)
    made = run([compiler("clang"), *strictly, *includes, *sources, "-o", program, *linked])
    assert made.returncode == 0, made.stderr


@pytest.fixture
def sanitize(tmp_path: Path) -> Callable[..., str]:
    """Builds a program, runs it with simulated tags, and returns its output."""

    def outcome(
        sanitizer: str,
        source: Path,
        *arguments: object,
        beside: Iterable[Path] = (),
        scenario: Iterable[str] = (),
        tags: int = 1,
        scale: float = 1,
    ) -> str:
        build(sanitizer, tmp_path / source.stem, source, *beside)
        (tmp_path / "scenario").write_text("\n".join(scenario) + "\n")
        control = tmp_path / "control"
        world = ["--tags", tags, "--time-scale", scale, "--scenario", tmp_path / "scenario", "--control", control]
        settings = SETTINGS | {"JACQUARD_CONTROL": str(control), "JACQUARD_STATE": str(tmp_path / "state")}
        ran = run([SIMULATOR, "run", *world, "--", tmp_path / source.stem, *arguments], env=settings, timeout=300)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
        return ran.stdout

    return outcome


@pytest.mark.parametrize("sanitizer", BUILDS)
@pytest.mark.parametrize("name", ["hostile", "hostile_commands", "hostile_tag"])
def test_invalid_calls(sanitize: Callable[..., str], sanitizer: str, name: str) -> None:
    assert sanitize(sanitizer, ABI / f"{name}.c") == ""


@pytest.mark.parametrize("sanitizer", BUILDS)
def test_examples(sanitize: Callable[..., str], sanitizer: str) -> None:
    assert sanitize(sanitizer, EXAMPLES / "battery.c").splitlines()[-1] == "battery 80%"
    assert len(sanitize(sanitizer, EXAMPLES / "threaded.c", tags=3).splitlines()) == 3


@pytest.mark.parametrize("sanitizer", BUILDS)
def test_without_callbacks(sanitize: Callable[..., str], sanitizer: str) -> None:
    said = sanitize(sanitizer, ROOT / "Tests" / "Interface" / "examples" / "blocking.c", beside=[LAYER], scale=10)
    assert all(line.startswith("ok ") for line in said.splitlines()), said


FEATURE_PROGRAMS = sorted(path.stem for path in FEATURES.glob("*.c") if path.stem != "feature")


@pytest.mark.parametrize("sanitizer, program", [*(("address", name) for name in FEATURE_PROGRAMS), ("thread", "motion")])
def test_every_feature(sanitize: Callable[..., str], sanitizer: str, program: str) -> None:
    said = sanitize(sanitizer, FEATURES / f"{program}.c", beside=[FEATURES / "feature.c"])
    assert said.splitlines()[-1].endswith(" passed, 0 failed")


@pytest.mark.parametrize("program", ["commands", "gestures"])
@pytest.mark.parametrize("sanitizer", BUILDS)
def test_programs_that_share_a_tag(tmp_path: Path, sanitizer: str, program: str) -> None:
    build(sanitizer, tmp_path / "features" / program, FEATURES / f"{program}.c", FEATURES / "feature.c")
    build(sanitizer, tmp_path / "sharing" / "companion", SHARING / "companion.c", FEATURES / "feature.c")
    control = tmp_path / "control"
    beside = [sys.executable, SHARING / "beside.py", tmp_path / "features" / program]
    settings = SETTINGS | {"JACQUARD_CONTROL": str(control)}
    ran = run([SIMULATOR, "run", "--control", control, "--", *beside], env=settings, timeout=300)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1].endswith(" passed, 0 failed")


@pytest.mark.parametrize("sanitizer, times", [("address", 1000), ("thread", 300)])
def test_connections_one_after_the_other(sanitize: Callable[..., str], sanitizer: str, times: int) -> None:
    sanitize(sanitizer, ROOT / "Tests" / "System" / "load" / "cycles.c", times, scenario=PROMPT)


@pytest.mark.parametrize("sanitizer, rounds", [("address", 200), ("thread", 100)])
def test_many_threads(sanitize: Callable[..., str], sanitizer: str, rounds: int) -> None:
    scenario = [*BUSY, "session recording samples 1000"]
    assert sanitize(sanitizer, ROOT / "Tests" / "Search" / "sanitizers" / "threads.c", rounds, scenario=scenario, tags=5) == ""


@pytest.mark.parametrize(
    "sanitizer, mistake, finding",
    [
        ("address", "char *lost = malloc(7); lost[0] = (char)(size_t)lost; lost = NULL;", "LeakSanitizer"),
        ("address", "char *gone = malloc(7); free(gone); *(volatile char *)gone = 1;", "heap-use-after-free"),
        (
            "thread",
            "pthread_t other; pthread_create(&other, NULL, count, NULL); count(NULL); pthread_join(other, NULL);",
            "data race",
        ),
    ],
)
def test_defects_are_found(
    sanitize: Callable[..., str], tmp_path: Path, sanitizer: str, mistake: str, finding: str
) -> None:
    source = tmp_path / "mistake.c"
    source.write_text(
        "#include <pthread.h>\n#include <stdlib.h>\nstatic volatile int counted;\n"
        "void *count(void *nothing) { for (int i = 0; i < 100000; i++) counted++; return nothing; }\n"
        f"__attribute__((noinline)) static void err(void) {{ {mistake} }}\nint main(void) {{ err(); return 0; }}\n"
    )
    with pytest.raises(AssertionError, match=finding):
        sanitize(sanitizer, source)
