"""The contents and dependencies of the packages."""

import re
from pathlib import Path

import pytest
from conftest import ROOT, run
from packages import ARCHITECTURE, FOLDER, NAMES, contents, field, multiarch, package, version

PYTHON = "/usr/lib/python3/dist-packages"
LIBRARY = f"/usr/lib/{multiarch()}"


COMPLETIONS = ["bash-completion/completions/{}", "zsh/vendor-completions/_{}", "fish/vendor_completions.d/{}.fish"]


def documentation(name: str, *more: str) -> set[str]:
    names = ["changelog.Debian.gz", "changelog.gz", "copyright", *more]
    return {f"/usr/share/doc/{name}/{each}" for each in names} | {f"/usr/share/lintian/overrides/{name}"}


COMPILED = {
    "libjacquard1": f"{LIBRARY}/libjacquard.so.1.{version()}",
    "jacquard-tools": "/usr/bin/jacquard-sim",
    "jacquardd": "/usr/bin/jacquardd",
}


def test_there_are_ten_packages_and_debug_symbols_of_compiled_code() -> None:
    found = {path.name.split("_")[0] for path in FOLDER.glob("*.deb")}
    assert found == {*NAMES, *(f"{name}-dbgsym" for name in COMPILED)}


def build_id(path: Path) -> str:
    return str(re.findall(r"Build ID: ([0-9a-f]+)", run(["readelf", "-n", path]).stdout)[0])


@pytest.mark.parametrize("name, path", COMPILED.items())
def test_debug_symbols_match_the_installed_files(name: str, path: str, tmp_path: Path) -> None:
    for each in [name, f"{name}-dbgsym"]:
        assert run(["dpkg-deb", "--extract", package(each), tmp_path]).returncode == 0
    assert ".symtab" not in run(["readelf", "-SW", tmp_path / path[1:]]).stdout
    identity = build_id(tmp_path / path[1:])
    symbols = tmp_path / "usr/lib/debug/.build-id" / identity[:2] / f"{identity[2:]}.debug"
    sections = run(["readelf", "-SW", symbols]).stdout
    assert ".debug_info" in sections and ".symtab" in sections


def lintian(kind: str) -> tuple[int, str]:
    (path,) = FOLDER.glob(f"*.{kind}")
    ran = run(["lintian", "--allow-root", "--fail-on", "error,warning", path], timeout=300)
    return ran.returncode, ran.stdout


def test_lintian_finds_nothing_in_the_packages() -> None:
    assert lintian("changes") == (0, "")


def test_lintian_finds_nothing_in_the_source() -> None:
    assert lintian("dsc") == (0, "")


def test_the_source_contains_the_swift_package_that_the_software_tag_needs(tmp_path: Path) -> None:
    (source,) = FOLDER.glob("*.dsc")
    tree = tmp_path / "tree"
    made = run(["dpkg-source", "--extract", source, tree])
    assert made.returncode == 0, made.stderr
    resolve = ["make", "-C", tree, "--eval", "resolve: ; swift package resolve", "resolve"]
    environment = {"HOME": str(tmp_path), "GIT_ALLOW_PROTOCOL": "none"}
    resolved = run(resolve, env=environment)
    assert resolved.returncode == 0, resolved.stderr
    (tree / "swift-argument-parser").rename(tmp_path / "elsewhere")
    assert run(resolve, env=environment).returncode != 0


def test_the_symbols_file_lists_every_symbol(tmp_path: Path) -> None:
    """dpkg-gensymbols, with the options of the build, accepts the list but rejects one with a missing or additional
    symbol."""
    symbols = (ROOT / "debian" / "libjacquard1.symbols").read_text()
    (tmp_path / "debian").mkdir()
    run(["dpkg-deb", "--extract", package("libjacquard1"), tmp_path / "debian" / "libjacquard1"])
    (tmp_path / "debian" / "control").write_text((ROOT / "debian" / "control").read_text())

    def status(text: str) -> int:
        (tmp_path / "symbols").write_text(text)
        words = ["-plibjacquard1", "-Pdebian/libjacquard1", "-Isymbols", "-c4", "-Owritten"]
        words += [f"-a{ARCHITECTURE}", f"-v{field('libjacquard1', 'Version')}"]
        return run(["dpkg-gensymbols", *words], cwd=tmp_path, env={"DEB_HOST_ARCH": ARCHITECTURE}).returncode

    line = f" jacquard_version@JACQUARD_1_0.1 {version()}\n"
    assert line in symbols
    assert status(symbols) == 0
    assert status(symbols.replace(line, "")) != 0
    assert status(symbols + line.replace("version@", "wave@")) != 0


def test_overrides_have_a_reason() -> None:
    for override in (ROOT / "debian").glob("*.lintian-overrides"):
        lines = override.read_text().splitlines()
        assert lines[0].startswith("# ")
        assert [line for line in lines if line and not line.startswith(("#", override.stem))] == []


def test_all_files_belong_to_root_and_have_the_usual_modes() -> None:
    for name in NAMES:
        for path, (mode, owner, target) in contents(name).items():
            runs = path.startswith("/usr/bin/") or path.endswith(".sh")
            usual = "lrwxrwxrwx" if target else "-rwxr-xr-x" if runs else "-rw-r--r--"
            assert (mode, owner) == (usual, "root/root"), path


def test_no_file_is_in_two_packages() -> None:
    paths = [path for name in NAMES for path in contents(name)]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("name", NAMES)
def test_packages_have_the_version(name: str) -> None:
    assert field(name, "Version").rpartition("-")[0] == version()


def test_packages_depend_only_on_packages_of_every_debian() -> None:
    for name in NAMES:
        assert "swift" not in field(name, "Depends").lower()
    names = re.findall(r"([a-z0-9.+-]+) \(", field("libjacquard1", "Depends"))
    assert sorted(names) == ["libc6", "libdbus-1-3", "libgcc-s1"]


def test_the_library_names_the_compiler_whose_code_is_linked_in() -> None:
    assert re.fullmatch(r"gcc-\d+ \(= [\w.+~-]+\)", field("libjacquard1", "Static-Built-Using"))


def test_the_python_package_is_for_every_architecture_and_depends_on_the_library() -> None:
    assert field("python3-jacquard", "Architecture") == "all"
    assert f"libjacquard1 (>= {field('libjacquard1', 'Version')})" in field("python3-jacquard", "Depends")


def test_tools_depend_on_the_programs_that_they_start() -> None:
    depends = field("jacquard-tools", "Depends")
    assert "python3-rich" in depends and "dbus-daemon | dbus" in depends and "python3-jacquard" in depends
    assert field("jacquard-tools", "Recommends") == "bluez, jacquard-automations, jacquard-board, jacquardd"
    assert "jacquard-automations" not in depends


def test_the_copyright_file_lists_everything_that_is_linked_in(tmp_path: Path) -> None:
    run(["dpkg-deb", "--extract", package("libjacquard1"), tmp_path])
    text = (tmp_path / "usr/share/doc/libjacquard1/copyright").read_text()
    for part in ["swift-runtime/*", "swift-argument-parser/*", "Runtime Library Exception"]:
        assert part in text
    used, given = set(re.findall(r"^License: (.*)", text, re.M)), re.findall(r"^License: (.*)\n ", text, re.M)
    assert used == set(given)
