"""What each package contains."""

import re
import subprocess
from pathlib import Path

from conftest import ROOT, run
from packages import contents, field, package, version
from test_packages import COMPLETIONS, LIBRARY, PYTHON, documentation


def test_library() -> None:
    real = f"{LIBRARY}/libjacquard.so.1.{version()}"
    link = f"{LIBRARY}/libjacquard.so.1"
    found = contents("libjacquard1")
    assert set(found) == {real, link} | documentation("libjacquard1")
    assert found[real][0] == "-rw-r--r--"
    assert found[link][2] == f"libjacquard.so.1.{version()}"


UNITS = ["/lib/systemd/system", "/usr/lib/systemd/user"]


def text_of(name: str, path: str) -> str:
    """The text of a file in the package."""
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
    wanted = {f"/usr/share/libjacquard-swift/{path.relative_to(package)}" for path in sources if path.name != "Package.resolved"}
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
