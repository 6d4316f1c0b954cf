"""Links in packaged documents refer to files installed by one of the packages."""

import re
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, run

PACKAGES = ["libjacquard-dev", "libjacquard-swift-dev", "python3-jacquard", "jacquard-tools", "jacquard-mqtt"]
# Files of the source tree, and their paths in a Debian with the packages.
ELSEWHERE = {
    "/usr/include/jacquard.h": "include/jacquard.h",
    "/usr/share/common-licenses/Apache-2.0": "LICENSE",
    "/usr/share/doc/libjacquard-dev/examples": "bindings/c/examples",
    "/usr/share/libjacquard-swift/examples": "bindings/swift/examples",
    "/usr/share/libjacquard-swift/sdk": "bindings/swift/sdk",
    "/usr/share/doc/python3-jacquard/examples": "bindings/python/examples",
    "/usr/share/doc/jacquard-tools/examples": "apps/jacquardctl/examples",
    "/usr/share/doc/jacquard-mqtt/examples/mosquitto.conf": "apps/jacquard-mqtt/examples/mosquitto.conf",
    "/usr/share/doc/jacquard-mqtt/examples/fetch-recording.py": "apps/jacquard-mqtt/examples/fetch-recording.py",
    "/usr/share/doc/jacquard-mqtt/examples/remote-control.sh": "apps/jacquard-mqtt/examples/remote-control.sh",
    "/usr/share/doc/jacquard-mqtt/examples/acl": "apps/jacquard-mqtt/examples/acl",
    "/usr/share/doc/jacquard-mqtt/examples/blueprints/gesture_light.yaml": "apps/jacquard-mqtt/blueprints/gesture_light.yaml",
    "/usr/share/doc/jacquard-mqtt/examples/blueprints/notify_sleeve.yaml": "apps/jacquard-mqtt/blueprints/notify_sleeve.yaml",
    "/etc/jacquard-mqtt.toml": "apps/jacquard-mqtt/jacquard-mqtt.toml",
    "/usr/lib/python3/dist-packages/jacquard_mqtt/schemas": "apps/jacquard-mqtt/src/jacquard_mqtt/schemas",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file system with the documents of all packages, and placeholders for other link targets."""
    root = tmp_path_factory.mktemp("root")
    for package in PACKAGES:
        made = run([ROOT / "debian/documents", package, root / f"usr/share/doc/{package}"])
        assert (made.returncode, made.stderr) == (0, "")
    for path, source in ELSEWHERE.items():
        assert (ROOT / source).exists()
        (root / path[1:]).mkdir(parents=True)
    return root


def links(path: Path) -> list[str]:
    text = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("package", PACKAGES)
def test_links_have_targets(root: Path, package: str) -> None:
    lost, count = [], 0
    for path in (root / "usr/share/doc" / package).glob("*.md"):
        for link in links(path):
            file, _, place = link.partition("#")
            target = path.parent / file if file else path
            count += 1
            if not target.exists() or (place and place not in anchors(target)):
                lost.append(f"{path.name}: {link}")
    assert lost == [] and count > 0


def test_users_get_every_document() -> None:
    """Documents about the project itself are not packaged."""
    own = {"benchmarks", "contributing", "how-we-test"}
    script = (ROOT / "debian/documents").read_text()
    packaged = set(re.findall(r'"(?:docs/)?([a-z-]+)(?:\.md)?"', script))
    assert {path.stem for path in ROOT.glob("docs/*.md")} - own - packaged == set()


def test_links_to_declarations_lead_to_the_reference(root: Path) -> None:
    guide = (root / "usr/share/doc/libjacquard-dev/guide.md").read_text()
    assert {"reference.md#jacquard_error", "errors.md"} <= set(re.findall(r"\]\(([^)]+)\)", guide))


def test_manuals_name_no_file_of_the_source_tree(tmp_path: Path) -> None:
    for command in (["docs/generator", tmp_path], ["tools/documents", tmp_path, SIMULATOR]):
        made = run([sys.executable, "-B", *command], cwd=ROOT)
        assert (made.returncode, made.stderr) == (0, "")
    manuals = [*tmp_path.glob("*.[13]"), *(ROOT / "docs/man").iterdir()]
    assert len(manuals) == 5
    for path in manuals:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith('.\\"')]
        assert [line for line in lines if "docs/" in line] == [], path.name
