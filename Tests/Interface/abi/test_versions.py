"""All files contain the same version."""

import re
import shutil

import pytest
import tomllib
from conftest import ROOT

PLACES = {
    "include/jacquard.h": lambda text: ".".join(re.findall(r"#define JACQUARD_VERSION_\w+ (\d+)", text)),
    "CHANGELOG.md": lambda text: re.search(r"^## \[(\d+\.\d+\.\d+)\]", text, re.MULTILINE)[1],
    "bindings/python/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "bindings/python/src/jacquard/__init__.py": lambda text: re.search(r'^__version__ = "(.*)"', text, re.MULTILINE)[1],
    "tools/jacquardctl/pyproject.toml": lambda text: tomllib.loads(text)["project"]["version"],
    "debian/changelog": lambda text: re.match(r"libjacquard \((.*)-\d+\)", text)[1],
}


def versions(root):
    """The version in each file; the newest one in the changelog."""
    return {place: read((root / place).read_text()) for place, read in PLACES.items()}


def test_every_file_has_the_same_version():
    found = versions(ROOT)
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["include/jacquard.h"])
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("place", PLACES)
def test_a_version_that_differs_in_one_file_is_found(tmp_path, place):
    for each in PLACES:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / each, tmp_path / each)
    version = versions(ROOT)[place]
    spoiled = (tmp_path / place).read_text().replace(version, "9.9.9", 1).replace("VERSION_MAJOR 0", "VERSION_MAJOR 9")
    (tmp_path / place).write_text(spoiled)
    assert len(set(versions(tmp_path).values())) == 2
