"""All files contain the version of the header, from which Makefile, Swift and the generated documents take it."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import tomllib
from conftest import ROOT

PLACES: dict[str, Callable[[str], str]] = {
    "include/jacquard.h": lambda text: ", ".join(
        {".".join(re.findall(r"#define JACQUARD_VERSION_\w+ (\d+)", text)), *re.findall(r'static string, "(\d+\.\d+\.\d+)"', text)}
    ),
    "CHANGELOG.md": lambda text: re.findall(r"^## \[(\d+\.\d+\.\d+)\]", text, re.MULTILINE)[0],
    "RELEASING.md": lambda text: ", ".join(sorted(set(re.findall(r"\d+\.\d+\.\d+", text)))),
    "bindings/python/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "bindings/python/src/jacquard/__init__.py": lambda text: re.findall(r'^__version__ = "(.*)"', text, re.MULTILINE)[0],
    "apps/jacquard-apps/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "apps/jacquard-automations/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "apps/jacquard-certify/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "apps/jacquardctl/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "apps/jacquard-mqtt/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "apps/jacquard-board/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "debian/changelog": lambda text: re.findall(r"\Alibjacquard \((.*)-\d+\)", text)[0],
    "docs/jacquardctl.md": lambda text: re.findall(r"libjacquard (\d+\.\d+\.\d+),", text)[0],
    "docs/man/jacquardd.1": lambda text: re.findall(r'^\.TH .*"libjacquard (.*?)"', text)[0],
}


def versions(root: Path) -> dict[str, str]:
    """The version in each file; the newest one in the changelog."""
    return {place: read((root / place).read_text()) for place, read in PLACES.items()}


def test_every_file_has_the_same_version() -> None:
    found = versions(ROOT)
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["include/jacquard.h"])
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("place", PLACES)
def test_a_version_that_differs_in_one_file_is_found(tmp_path: Path, place: str) -> None:
    for each in PLACES:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / each, tmp_path / each)
    version = versions(ROOT)[place]
    spoiled = (tmp_path / place).read_text().replace(version, "9.9.9", 1).replace("VERSION_MAJOR 0", "VERSION_MAJOR 9")
    (tmp_path / place).write_text(spoiled)
    assert len(set(versions(tmp_path).values())) == 2
