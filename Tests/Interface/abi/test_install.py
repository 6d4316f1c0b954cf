"""The files of `make install` below DESTDIR are sufficient to build and run a program with pkg-config."""

import stat
from pathlib import Path

import pytest
from conftest import ROOT, STRICT, compiler, run
from header import files
from test_versions import versions

PREFIX = "/opt/jacquard"
PROGRAM = r"""
#include <jacquard.h>
#include <stdio.h>
int main(void) {
  uint32_t header = JACQUARD_VERSION_MAJOR << 16 | JACQUARD_VERSION_MINOR << 8 | JACQUARD_VERSION_PATCH;
  puts(jacquard_version_string());
  return jacquard_version() != header;
}
"""


def make(target: str, staged: object, prefix: object = PREFIX, parts: str = "library tools") -> None:
    made = run(["make", "-C", ROOT, target, f"DESTDIR={staged}", f"PREFIX={prefix}", f"PARTS={parts}"])
    assert made.returncode == 0, made.stderr


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("staged")
    make("install", folder, parts="library")
    return folder


def pkg_config(staged: Path, *options: str) -> list[str]:
    """Without access to the system's own .pc files: jacquard.pc must not need another package."""
    settings = {"PKG_CONFIG_LIBDIR": f"{staged}{PREFIX}/lib/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": str(staged)}
    found = run(["pkg-config", *options, "jacquard"], env=settings)
    assert found.returncode == 0, found.stderr
    return found.stdout.split()


def test_a_program_builds_and_runs_with_the_options_of_pkg_config(staged: Path, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    flags = pkg_config(staged, "--cflags", "--libs")
    made = run([compiler("gcc"), "-std=c99", *STRICT, tmp_path / "program.c", "-o", tmp_path / "program", *flags])
    assert made.returncode == 0, made.stderr
    ran = run([tmp_path / "program"], env={"LD_LIBRARY_PATH": f"{staged}{PREFIX}/lib"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, versions(ROOT)["include/jacquard.h"] + "\n", "")


@pytest.mark.parametrize("loop, package", [("poll", ""), ("epoll", ""), ("glib", "glib-2.0"), ("uv", "libuv")])
def test_adapters_for_event_loops_are_in_the_include_path(
    staged: Path, tmp_path: Path, loop: str, package: str
) -> None:
    (tmp_path / "program.c").write_text(f"#include <jacquard-{loop}.h>\nint main(void) {{ return 0; }}\n")
    flags = pkg_config(staged, "--cflags")
    flags += run(["pkg-config", "--cflags", package]).stdout.split() if package else []
    strictly = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", *STRICT, "-Wno-unused-function"]
    made = run([compiler("gcc"), *strictly, "-fsyntax-only", tmp_path / "program.c", *flags])
    assert made.returncode == 0, made.stderr


def test_pkg_config_knows_the_version(staged: Path) -> None:
    assert pkg_config(staged, "--modversion") == [versions(ROOT)["include/jacquard.h"]]


def test_the_installed_headers_are_those_in_the_tree(staged: Path) -> None:
    installed = staged / "opt/jacquard/include"
    assert [path.read_bytes() for path in files(installed)] == [path.read_bytes() for path in files()]


def test_the_symbolic_links_point_to_the_library(staged: Path) -> None:
    folder = staged / "opt/jacquard/lib"
    names = ["libjacquard.so", "libjacquard.so.1"]
    real = f"libjacquard.so.1.{versions(ROOT)['include/jacquard.h']}"
    assert [(folder / name).resolve().name for name in names] == [real] * 2


def test_the_tools_work_where_they_are_installed(tmp_path: Path) -> None:
    make("install", "/", tmp_path)
    tools = tmp_path / "bin"
    settings = {"LD_LIBRARY_PATH": str(tmp_path / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = run([tools / "jacquard-sim", "run", "--", tools / "jacquardctl", "battery", "01ZK"], env=settings)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "80%\n", "")


def test_installed_files_are_readable_for_all_users(tmp_path: Path) -> None:
    make("install", tmp_path)
    closed = [path for path in tmp_path.rglob("*") if not path.stat().st_mode & stat.S_IROTH]
    assert closed == []


@pytest.mark.parametrize("parts", ["library", "tools", "library tools"])
def test_uninstall_removes_everything(tmp_path: Path, parts: str) -> None:
    make("install", tmp_path, parts=parts)
    assert any(path.is_file() for path in tmp_path.rglob("*"))
    make("uninstall", tmp_path, parts=parts)
    assert not any(path.is_file() or path.is_symlink() for path in tmp_path.rglob("*"))
