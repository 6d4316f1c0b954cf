"""Builds the monkeys for a sanitizer, and runs them with simulated tags that have all faults.

monkey.py PROGRAM SANITIZER CALLS SEED [ROUND [THREADS]]: monkey or waits, with the library of `Tests/Support/long monkey`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIBRARIES = {"address": ROOT / ".build-asan", "thread": ROOT / ".build-tsan"}
HEADERS = ROOT / "include"
LAYER = ROOT / "bindings" / "c" / "jacquard-blocking.h"
# The headers whose calls are generated, the generated file, and the sources compiled with it.
PROGRAMS = {
    "monkey": ([HEADERS], "calls.h", [HERE / "monkey.c"]),
    "waits": ([HEADERS, LAYER], "waits-calls.h", [HERE / "waits.c", LAYER.with_suffix(".c")]),
}
# No suppressions. A sanitizer's report ends the program with an exit status other than 1, the status of its own
# findings.
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:exitcode=66",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:exitcode=66",
}


def toolchain() -> Path:
    return Path(shutil.which("swiftc") or "").resolve().parent.parent


def build(sanitizer: str, configuration: str, name: str) -> Path:
    """`monkey` or `waits`, with the library that `swift build` has made with this sanitizer and configuration."""
    folder = ROOT / "build" / "monkey" / f"{sanitizer}-{configuration}"
    folder.mkdir(parents=True, exist_ok=True)
    headers, calls, sources = PROGRAMS[name]
    written = subprocess.run([sys.executable, HERE / "generate.py", *headers], stdout=subprocess.PIPE, check=True)
    (folder / calls).write_bytes(written.stdout)
    library = LIBRARIES[sanitizer] / configuration
    program = folder / name
    words: list[str | Path] = [toolchain() / "bin" / "clang", "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"]
    words += ["-Wno-unused-function", "-Wno-unused-parameter", "-pthread", f"-fsanitize={sanitizer}", "-fuse-ld=lld"]
    words += [f"-I{ROOT / 'include'}", f"-I{HERE}", f"-I{folder}", f"-I{LAYER.parent}", *sources, "-o", program]
    words += [f"-L{library}", "-ljacquard", f"-Wl,-rpath,{library}"]
    if sanitizer == "thread":
        # ThreadSanitizer's runtime requires libdispatch.
        swift = toolchain() / "lib" / "swift" / "linux"
        words += [f"-L{swift}", f"-Wl,-rpath,{swift}", "-ldispatch", "-lBlocksRuntime"]
    subprocess.run(words, check=True)
    return program


def play(
    run: Callable[..., subprocess.CompletedProcess[str]], program: object, *arguments: object
) -> tuple[int, subprocess.CompletedProcess[str]]:
    """The program's own exit status, and what `run` returns for the command that plays it with the simulated tags.

    jacquard-sim ends with another status after a protocol violation, which is not a failure here: a program that is
    dispatched late may write to a link that it does not know yet.
    """
    world = ["--tags", "3", "--time-scale", "5", "--scenario", HERE / "faults.scenario"]
    # Locks of tags are in this directory.
    with tempfile.TemporaryDirectory(prefix="jacquard-monkey-") as runtime:
        status = Path(runtime) / "status"
        words = [ROOT / "build" / "bin" / "jacquard-sim", "run", *world, "--"]
        words += ["sh", "-c", '"$@"; echo $? >"$0"', status, program, *arguments]
        ran = run([str(word) for word in words], env=os.environ | SETTINGS | {"XDG_RUNTIME_DIR": runtime})
        return int(status.read_text()) if status.exists() else ran.returncode, ran


if __name__ == "__main__":
    name, sanitizer, *arguments = sys.argv[1:]
    status, _ = play(subprocess.run, build(sanitizer, "release", name), *arguments)
    sys.exit(status)
