"""Releases: the addresses that they name, what `make release` refuses, its source archive and its bill of materials."""

import json
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, run
from header import whole

# The environment of these packages, which other tests of this directory use too.
ENVIRONMENT = ROOT / "build" / "release-tools"
PACKAGES = ["check-jsonschema==0.39.0", "cyclonedx-python-lib[json-validation]==11.12.0", "zizmor==1.32.0"]
# Validates several documents, and prints a line for each.
VALIDATION = """import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for text in json.load(sys.stdin):
    print(json.dumps(str(JsonStrictValidator(SchemaVersion.V1_6).validate_str(text))))
"""
SETTINGS = "tools/release/settings"
VERSION = ".".join(re.findall(r"#define JACQUARD_VERSION_\w+ (\d+)", whole()))
TAG = f"v{VERSION}"
# Names of units are not addresses.
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)*\.(?!service)[a-z]{2,}|\w+://[\w.-]+\.(example|invalid|test)\b")


@pytest.fixture(scope="session")
def tools() -> Path:
    """The directory of the programs of PACKAGES, from PyPI."""
    installed = ENVIRONMENT / "installed"
    if not installed.exists() or installed.read_text().split() != PACKAGES:
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        pip: list[str | Path] = [ENVIRONMENT / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
        installed.write_text("\n".join(PACKAGES))
    return ENVIRONMENT / "bin"


def test_only_the_settings_name_an_address_of_the_project() -> None:
    # The tests of the browser view contain other host names.
    places = [".", f":!{SETTINGS}", ":!Tests/System/board"]
    found = run(["git", "grep", "-I", "--only-matching", "--perl-regexp", ADDRESS.pattern, "--", *places], cwd=ROOT)
    assert (found.returncode, found.stdout, found.stderr) == (1, "", "")
    assert len(ADDRESS.findall((ROOT / SETTINGS).read_text())) == 2


@pytest.mark.parametrize("name", ["debian/control", "debian/changelog"])
def test_debian_has_a_name_in_place_of_the_address(name: str) -> None:
    assert (ROOT / name).read_text().count("<@MAINTAINER_ADDRESS@>") == 1


def test_security_problems_are_reported_on_the_page_of_the_repository() -> None:
    assert '"Report a vulnerability" on the Security page' in (ROOT / "SECURITY.md").read_text()


class Repository:
    """A repository whose version can be released, up to the build: there is nothing to build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "tools" / "release", folder / "tools" / "release", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "include").mkdir()
        for name in ["Makefile", "include/jacquard.h", ".gitignore"]:
            shutil.copy(ROOT / name, folder / name)
        self.write(SETTINGS, "MAINTAINER_ADDRESS := packages@localhost\nREPOSITORY := https://localhost/source\n")
        self.write("CHANGELOG.md", f"## [{VERSION}] - 2026-11-01\n")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def git(self, *words: str) -> None:
        identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a"}
        moment = {"GIT_AUTHOR_DATE": "2026-11-01T12:00:00Z", "GIT_COMMITTER_DATE": "2026-11-01T12:00:00Z"}
        made = run(["git", "-c", "core.hooksPath=/dev/null", *words], cwd=self.folder, env={**identity, **moment})
        assert made.returncode == 0, made.stderr

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=tests: a version")
        self.git("tag", "--annotate", "--force", "--message=a version", TAG)

    def release(self, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return run(["make", "release", *words], cwd=self.folder, env=environment)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_without_settings_nothing_is_released(repository: Repository) -> None:
    (repository.folder / SETTINGS).unlink()
    assert "tools/release/settings: No such file" in repository.release().stderr


@pytest.mark.parametrize("name", ["MAINTAINER_ADDRESS := a@localhost", "REPOSITORY := https://localhost/source"])
def test_placeholders_are_not_released(repository: Repository, name: str) -> None:
    placeholders = (ROOT / SETTINGS).read_text()
    repository.write(SETTINGS, f"{placeholders}{name}\n")  # the other one is still a placeholder
    repository.commit()
    assert "tools/release/settings has placeholders" in repository.release().stderr


def test_a_changed_tree_is_not_released(repository: Repository) -> None:
    repository.write("unknown", "")
    assert "the tree has changes" in repository.release().stderr
    repository.git("add", "unknown")
    assert "the tree has changes" in repository.release().stderr


def test_a_tag_of_another_version_is_not_released(repository: Repository) -> None:
    repository.git("tag", "--delete", TAG)
    repository.git("tag", "v0.0.99")
    assert f"HEAD does not have the tag {TAG}" in repository.release().stderr


def test_a_tag_of_an_earlier_commit_is_not_released(repository: Repository) -> None:
    repository.git("commit", "--quiet", "--allow-empty", "--message=tests: a later commit")
    assert f"HEAD does not have the tag {TAG}" in repository.release().stderr


def test_a_version_without_a_date_is_not_released(repository: Repository) -> None:
    repository.write("CHANGELOG.md", f"## [{VERSION}] - Unreleased\n")
    repository.commit()
    assert f"CHANGELOG.md has no date for {VERSION}" in repository.release().stderr


def test_another_architecture_is_not_released(repository: Repository) -> None:
    assert "has to be made on a machine with s390x" in repository.release("ARCH=s390x").stderr


def test_the_source_archive_contains_the_tag_and_is_reproducible(tmp_path: Path) -> None:
    archives = []
    for name, zone, mask in [("a", "UTC", 0o022), ("another", "Pacific/Auckland", 0o077)]:
        (tmp_path / name).mkdir()
        made = Repository(tmp_path / name)
        made.write("ignored.pyc", "")
        before = os.umask(mask)
        ran = made.release(TZ=zone)
        os.umask(before)
        assert "release: " not in ran.stderr and "install-dependencies" in ran.stderr  # there is nothing to build
        archives.append(tmp_path / name / "build" / "release" / f"libjacquard-{VERSION}.tar.gz")
    assert archives[0].read_bytes() == archives[1].read_bytes()
    listed = set(run(["tar", "-tzf", archives[0]]).stdout.splitlines())
    files = {f"libjacquard-{VERSION}/{name}" for name in ["Makefile", "tools/release/build", SETTINGS, "CHANGELOG.md", "include/jacquard.h"]}
    assert files <= listed and not [name for name in listed if "ignored" in name or ".git/" in name]


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bill of the library, and of the package that Package.resolved names after a build with the software tag."""
    folder = tmp_path_factory.mktemp("bill")
    shutil.copytree(ROOT / "tools" / "release", folder / "tools" / "release")
    (folder / "build").symlink_to(ROOT / "build")
    pin = {"identity": "swift-argument-parser", "location": "https://github.com/apple/swift-argument-parser"}
    pinned = json.dumps({"pins": [{**pin, "state": {"version": "1.8.2"}}]})
    (folder / "Package.resolved").write_text(pinned)
    checkout = folder / ".build" / "checkouts" / "swift-argument-parser"
    checkout.mkdir(parents=True)
    (checkout / "LICENSE.txt").write_text("Apache License ... Runtime Library Exception")
    printed = [run([folder / "tools" / "release" / "sbom.py", VERSION, "https://localhost"], timeout=600) for _ in range(2)]
    assert printed[0].returncode == 0, printed[0].stderr
    assert printed[0].stdout == printed[1].stdout
    return printed[0].stdout


def dependencies(bill: str, binary: str) -> set[str]:
    contents = json.loads(bill)
    names = {part["bom-ref"]: part["name"] for part in contents["components"]}
    (found,) = (each for each in contents["dependencies"] if each["ref"] == binary)
    return {names[each] for each in found["dependsOn"]}


def test_the_bill_follows_the_schema(bill: str, tools: Path) -> None:
    texts = json.dumps([bill, bill.replace('"library"', '"libary"', 1)])
    ran = run([tools / "python", "-c", VALIDATION], stdin=None, input=texts)
    assert ran.returncode == 0, ran.stderr
    findings, of_the_wrong_one = map(json.loads, ran.stdout.splitlines())
    assert findings == "None" and "'libary' is not one of" in of_the_wrong_one


def test_the_bill_lists_what_is_linked_in(bill: str) -> None:
    library = dependencies(bill, f"libjacquard.so.1.{VERSION}")
    assert {"swiftCore", "swift_Concurrency", "dispatch", "libdbus-1-3", "libc6", "libgcc-s1"} <= library
    assert [name for name in library if name.startswith("libstdc++-")] and "FoundationEssentials" not in library
    tag = dependencies(bill, "jacquard-sim")
    assert {"swift-argument-parser", "FoundationEssentials", "libstdc++6"} <= tag and "swift-argument-parser" not in library
    assert dependencies(bill, "jacquardd") == {"libc6"}


def test_every_part_has_a_version_and_a_licence(bill: str) -> None:
    parts: list[dict[str, Any]] = json.loads(bill)["components"]
    assert [part["name"] for part in parts if not (part["version"] and part["licenses"])] == []


def test_the_bill_has_neither_a_time_nor_a_random_number(bill: str) -> None:
    assert not re.search(r"serialNumber|timestamp|\d{4}-\d\d-\d\dT", bill)
