"""Loading the library changes nothing in the process that loads it."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import HEADER, LIBRARY, LIBRARY_FOLDER, ROOT, build, compiler, run

LOAD = r"""
import ctypes, os, sys

def process():
    status = dict(line.split(":\t", 1) for line in open("/proc/self/status"))
    return {
        "threads": status["Threads"],
        "caught signals": status["SigCgt"],
        "ignored signals": status["SigIgn"],
        "blocked signals": status["SigBlk"],
        "descriptors": len(os.listdir("/proc/self/fd")),
    }

before = process()
ctypes.CDLL(sys.argv[1])
after = process()
changed = [f"{name}: {before[name]} -> {after[name]}" for name in before if before[name] != after[name]]
sys.exit("; ".join(changed) or None)
"""


def changes(library: Path) -> str:
    ran = run([sys.executable, "-c", LOAD, library])
    return ran.stdout + ran.stderr


def test_nothing_happens_at_load_time() -> None:
    assert changes(LIBRARY) == ""


@pytest.mark.parametrize(
    "action, trace",
    [
        ("pthread_t thread; pthread_create(&thread, 0, wait_for_ever, 0);", "threads: "),
        ("signal(SIGTERM, exit);", "caught signals: "),
        ("signal(SIGUSR1, SIG_IGN);", "ignored signals: "),
        ('open("/dev/null", O_RDONLY);', "descriptors: "),
        ('puts("hello"); fflush(stdout);', "hello"),
    ],
)
def test_side_effects_at_load_time_are_found(tmp_path: Path, action: str, trace: str) -> None:
    (tmp_path / "rude.c").write_text(
        "".join(f"#include <{name}.h>\n" for name in ["fcntl", "pthread", "signal", "stdio", "stdlib", "unistd"])
        + "void *wait_for_ever(void *nothing) { pause(); return nothing; }\n"
        "__attribute__((constructor)) static void load(void) { " + action + " }\n"
    )
    assert run([compiler("gcc"), "-shared", "-fPIC", tmp_path / "rude.c", "-o", tmp_path / "rude.so"]).stderr == ""
    assert trace in changes(tmp_path / "rude.so")


def test_an_unloaded_library_stays_in_memory_while_its_thread_runs(tmp_path: Path) -> None:
    program = build(ROOT / "Tests" / "Interface" / "abi" / "unloaded.c", tmp_path / "unloaded", "-Wl,--as-needed", "-ldl")
    ran = run([program, LIBRARY], env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_an_exception_that_leaves_a_callback_is_reported_as_the_cause(tmp_path: Path) -> None:
    library = [f"-L{LIBRARY_FOLDER}", "-ljacquard", f"-Wl,-rpath,{LIBRARY_FOLDER}"]
    source, program = ROOT / "Tests" / "Interface" / "abi" / "thrown.cpp", tmp_path / "thrown"
    assert run([compiler("g++"), f"-I{HEADER.parent}", source, "-o", program, *library]).stderr == ""
    ran = run([program], env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
    assert ran.returncode == 0 and "C++ exception" in ran.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a program run as another user")
def test_the_caller_of_a_privileged_program_cannot_choose_its_bus() -> None:
    # Neither a clone in a home directory nor tmp_path can be read by the other user.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copy(LIBRARY, Path(folder) / "libjacquard.so.1")
        source = ROOT / "Tests" / "Interface" / "abi" / "privileged.c"
        program = build(source, Path(folder) / "privileged", f"-Wl,-rpath,{folder}")
        nonsense = {"DBUS_SYSTEM_BUS_ADDRESS": "nonsense"}
        assert run([program], env=nonsense).stdout == "JACQUARD_ERROR_BUS_ADDRESS\n"
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        assert run([program], env=nonsense).stdout == "JACQUARD_OK\n"
