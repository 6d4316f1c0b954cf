"""Releases: the addresses that they name."""

import re

import pytest
from conftest import ROOT, run

SETTINGS = "release/settings"
# Except names of units.
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)*\.(?!service)[a-z]{2,}|\w+://[\w.-]+\.(example|invalid|test)\b")


def test_only_the_settings_name_an_address_of_the_project() -> None:
    found = []
    for name in run(["git", "ls-files"], cwd=ROOT).stdout.splitlines():
        try:
            text = (ROOT / name).read_text()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        # The tests of the browser view have host names of others.
        if name != SETTINGS and not name.startswith("Tests/System/board/"):
            found += [f"{name}: {match[0]}" for match in ADDRESS.finditer(text)]
    assert found == []
    assert len(ADDRESS.findall((ROOT / SETTINGS).read_text())) == 2


@pytest.mark.parametrize("name", ["debian/control", "debian/changelog"])
def test_debian_has_a_name_in_place_of_the_address(name: str) -> None:
    assert (ROOT / name).read_text().count("<@MAINTAINER_ADDRESS@>") == 1


def test_security_problems_are_reported_on_the_page_of_the_repository() -> None:
    assert '"Report a vulnerability" on the Security page' in (ROOT / "SECURITY.md").read_text()
