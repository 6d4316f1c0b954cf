"""Loading the library changes nothing in the process that loads it."""

import sys

import pytest
from conftest import LIBRARY, compiler, run

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


def changes(library):
    ran = run([sys.executable, "-c", LOAD, library])
    return ran.stdout + ran.stderr


def test_nothing_happens_at_load_time():
    assert changes(LIBRARY) == ""


@pytest.mark.parametrize(
    "deed, trace",
    [
        ("pthread_t thread; pthread_create(&thread, 0, wait_for_ever, 0);", "threads: "),
        ("signal(SIGTERM, exit);", "caught signals: "),
        ("signal(SIGUSR1, SIG_IGN);", "ignored signals: "),
        ('open("/dev/null", O_RDONLY);', "descriptors: "),
        ('puts("hello"); fflush(stdout);', "hello"),
    ],
)
def test_what_a_library_does_at_load_time_is_found(tmp_path, deed, trace):
    (tmp_path / "rude.c").write_text(
        "".join(f"#include <{name}.h>\n" for name in ["fcntl", "pthread", "signal", "stdio", "stdlib", "unistd"])
        + "void *wait_for_ever(void *nothing) { pause(); return nothing; }\n"
        "__attribute__((constructor)) static void load(void) { " + deed + " }\n"
    )
    assert run([compiler("gcc"), "-shared", "-fPIC", tmp_path / "rude.c", "-o", tmp_path / "rude.so"]).stderr == ""
    assert trace in changes(tmp_path / "rude.so")
