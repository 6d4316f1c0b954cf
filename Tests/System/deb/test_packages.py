"""The contents and dependencies of the packages."""

import re
import subprocess
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


def test_library() -> None:
    real = f"{LIBRARY}/libjacquard.so.1.{version()}"
    link = f"{LIBRARY}/libjacquard.so.1"
    found = contents("libjacquard1")
    assert set(found) == {real, link} | documentation("libjacquard1")
    assert found[real][0] == "-rw-r--r--"
    assert found[link][2] == f"libjacquard.so.1.{version()}"


UNITS = ["/lib/systemd/system", "/usr/lib/systemd/user"]


def text_of(name: str, path: str) -> str:
    """That of a file in the package."""
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", package(name)], stdout=subprocess.PIPE, timeout=60).stdout
    return subprocess.run(["tar", "-xO", f".{path}"], input=packed, stdout=subprocess.PIPE, timeout=60).stdout.decode()


def script(name: str, which: str) -> str:
    """One of the scripts that dpkg runs."""
    return run(["dpkg-deb", "--info", package(name), which]).stdout


def test_service() -> None:
    units = {f"{folder}/jacquardd.{kind}" for folder in UNITS for kind in ("service", "socket")}
    wanted = {"/usr/bin/jacquardd", "/usr/share/man/man1/jacquardd.1.gz"} | units
    assert set(contents("jacquardd")) == wanted | documentation("jacquardd")
    for unit in units:
        text = text_of("jacquardd", unit)
        assert re.search("@[A-Z]+@", text) is None
        assert unit.endswith(".socket") or "ExecStart=/usr/bin/jacquardd --idle 60\n" in text
    assert f"libjacquard1 (= {field('jacquardd', 'Version')})" in field("jacquardd", "Depends")
    assert "jacquardd" in field("libjacquard1", "Recommends").split(", ")


def test_the_service_uses_the_library_of_the_system(tmp_path: Path) -> None:
    run(["dpkg-deb", "--extract", package("jacquardd"), tmp_path])
    shown = run(["readelf", "-d", tmp_path / "usr/bin/jacquardd"]).stdout
    assert "[libjacquard.so.1]" in shown and "RUNPATH" not in shown and "RPATH" not in shown


def test_the_socket_is_enabled_for_every_user_and_the_unit_of_the_system_is_not() -> None:
    enabled = re.findall(r"deb-systemd-helper (--user )?enable '(\S+)'", script("jacquardd", "postinst"))
    always = script("jacquardd", "postinst").split("debian-installed")[0]
    assert ("--user ", "jacquardd.socket") in enabled and "--user enable 'jacquardd.socket'" in always
    system = re.findall(r"deb-systemd-helper debian-installed '(\S+)'", script("jacquardd", "postinst"))
    assert system == ["jacquardd.socket"]


def test_an_upgrade_restarts_running_services_and_keeps_the_sockets() -> None:
    restarted = re.findall(r"(?:deb-systemd-invoke|\$session) (\S+) (.*?) (?:>|\|\|)", script("jacquardd", "postinst"))
    assert sorted(restarted) == [
        ("start", "jacquardd.socket"), ("try-restart", "'jacquardd.service'"), ("try-restart", "jacquardd.service"),
    ]
    assert "jacquardd" not in script("jacquardd", "preinst")


def test_development() -> None:
    adapters = {f"jacquard-{loop}.h" for loop in ("poll", "epoll", "glib", "uv")}
    examples = {path.name for path in (ROOT / "bindings" / "c").rglob("*.[ch]")} - adapters
    found = {path.removesuffix(".gz") for path in contents("libjacquard-dev")}
    wanted = {f"/usr/include/{path.relative_to(ROOT / 'include')}" for path in (ROOT / "include").rglob("*.h")}
    wanted |= {f"{LIBRARY}/libjacquard.so", f"{LIBRARY}/pkgconfig/jacquard.pc"}
    wanted |= {f"/usr/include/{name}" for name in adapters}
    wanted |= {f"/usr/share/man/man3/{path.name}" for path in (ROOT / "docs" / "man").glob("*.3")}
    wanted |= {path.removesuffix(".gz") for path in documentation("libjacquard-dev", "README.md")}
    wanted |= {f"/usr/share/doc/libjacquard-dev/examples/{name}" for name in examples}
    assert wanted <= found
    assert contents("libjacquard-dev")[f"{LIBRARY}/libjacquard.so"][2] == "libjacquard.so.1"


def test_swift() -> None:
    package = ROOT / "bindings" / "swift"
    sources = [path for path in package.rglob("*.*") if path.is_file() and not str(path.relative_to(package)).startswith(".")]
    wanted = {f"/usr/share/libjacquard-swift/{path.relative_to(package)}" for path in sources}
    assert len(wanted) > 20 and wanted <= set(contents("libjacquard-swift-dev"))


def modules(source: Path) -> set[str]:
    return {f"{PYTHON}/{path.relative_to(source)}" for path in source.rglob("*.py")}


def test_python() -> None:
    wanted = modules(ROOT / "bindings" / "python" / "src")
    wanted |= {f"{PYTHON}/jacquard/py.typed", f"{PYTHON}/jacquard-{version()}.dist-info/METADATA"}
    assert wanted | documentation("python3-jacquard", "README.md") <= set(contents("python3-jacquard"))
    strangers = (".so", "__pycache__", "jacquardctl")
    assert [path for path in contents("python3-jacquard") if any(each in path for each in strangers)] == []


def test_tools() -> None:
    found = set(contents("jacquard-tools"))
    programs = {"jacquardctl", "jacquard-sim"}
    assert {f"/usr/bin/{name}" for name in programs} | documentation("jacquard-tools") <= found
    assert {path for path in found if path.startswith("/usr/bin/")} == {f"/usr/bin/{name}" for name in programs}
    metadata = f"{PYTHON}/jacquardctl-{version()}.dist-info/METADATA"
    assert modules(ROOT / "apps" / "jacquardctl" / "src") | {metadata} <= found
    manuals = {f"/usr/share/man/man1/{name}.1.gz" for name in programs}
    assert {path for path in found if path.startswith("/usr/share/man/")} == manuals
    for place in COMPLETIONS:
        assert {f"/usr/share/{place.format(name)}" for name in programs} <= found


def test_what_programs_share() -> None:
    wanted = modules(ROOT / "apps" / "jacquard-apps" / "src") | documentation("python3-jacquard-apps")
    assert wanted <= set(contents("python3-jacquard-apps"))
    for name in ("jacquard-tools", "jacquard-automations", "jacquard-board", "jacquard-certify", "jacquard-mqtt"):
        assert "python3-jacquard-apps" in field(name, "Depends")


def test_automations() -> None:
    found = set(contents("jacquard-automations"))
    source = ROOT / "apps" / "jacquard-automations" / "src"
    files = modules(source) | {f"{PYTHON}/{path.relative_to(source)}" for path in source.rglob("*.toml")}
    unit = "/usr/lib/systemd/user/jacquard-automations.service"
    assert files | {unit} | documentation("jacquard-automations") <= found
    assert "ExecStart=/usr/bin/jacquardctl run\n" in text_of("jacquard-automations", unit)
    assert "jacquard-tools" in field("jacquard-automations", "Depends")
    assert field("jacquard-automations", "Recommends") == "python3-dbus-fast, python3-evdev"


def test_board() -> None:
    found = set(contents("jacquard-board"))
    source = ROOT / "apps" / "jacquard-board" / "src"
    page = {f"{PYTHON}/{path.relative_to(source)}" for path in (source / "jacquard_board" / "page").iterdir()}
    assert modules(source) | page | documentation("jacquard-board") <= found
    depends = field("jacquard-board", "Depends")
    assert all(name in depends for name in ("jacquard-automations", "jacquard-tools", "python3-aiohttp", "python3-jacquard"))
    assert "python3-jacquardctl" not in depends


def test_certify() -> None:
    source = ROOT / "apps" / "jacquard-certify" / "src"
    assert modules(source) | documentation("jacquard-certify") <= set(contents("jacquard-certify"))
    depends = field("jacquard-certify", "Depends")
    assert all(name in depends for name in ("jacquard-tools", "python3-dbus-fast", "python3-jacquard"))
    assert "python3-jacquardctl" not in depends


def test_mqtt() -> None:
    found = set(contents("jacquard-mqtt"))
    units = {f"{folder}/jacquard-mqtt.service" for folder in UNITS}
    wanted = {"/usr/bin/jacquard-mqtt", "/etc/jacquard-mqtt.toml", "/usr/share/man/man1/jacquard-mqtt.1.gz"} | units
    wanted |= {f"/usr/share/{place.format('jacquard-mqtt')}" for place in COMPLETIONS}
    source = ROOT / "apps" / "jacquard-mqtt"
    wanted |= modules(source / "src") | {f"{PYTHON}/{path.relative_to(source / 'src')}" for path in source.rglob("*.json")}
    programs = {"fetch-recording.py", "remote-control.sh"}
    examples = programs | {"mosquitto.conf", "acl", "blueprints/gesture_light.yaml", "blueprints/notify_sleeve.yaml"}
    wanted |= {f"/usr/share/doc/jacquard-mqtt/examples/{name}" for name in examples}
    assert wanted | documentation("jacquard-mqtt", "mqtt.md") <= found
    for unit in units:
        text = text_of("jacquard-mqtt", unit)
        assert "ExecStart=/usr/bin/jacquard-mqtt\n" in text and re.search("@[A-Z]+@", text) is None
    depends = field("jacquard-mqtt", "Depends")
    assert all(name in depends for name in ("python3-jacquard", "python3-paho-mqtt", "python3-jsonschema", "adduser"))


def test_uinput() -> None:
    """The rule precedes the one that gives access, 73-seat-late.rules. No group is involved."""
    rules, modules = "/lib/udev/rules.d/60-jacquard-uinput.rules", "/usr/lib/modules-load.d/jacquard-uinput.conf"
    assert set(contents("jacquard-uinput")) == {rules, modules} | documentation("jacquard-uinput")
    (rule,) = (line for line in text_of("jacquard-uinput", rules).splitlines() if not line.startswith("#"))
    assert 'KERNEL=="uinput", TAG+="uaccess", OPTIONS+="static_node=uinput"' in rule and "GROUP" not in rule
    assert text_of("jacquard-uinput", modules) == "uinput\n"
    assert field("jacquard-uinput", "Depends") == ""
    assert "jacquard-uinput" in field("jacquard-automations", "Suggests").split(", ")


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
