"""Accessibility findings of axe-core: https://github.com/dequelabs/axe-core

It is not in Debian; a package of the Python package index contains it as one file."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from typing import Any

import places
from browser import Page

PACKAGE = "axe-playwright-python==0.1.8"
HASH = "fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8"
FILE = "axe_playwright_python/axe.min.js"
FOLDER = places.ROOT / "build" / "axe"
SERIOUS = ("serious", "critical")


def source() -> str:
    script = FOLDER / "axe.min.js"
    if not script.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(FOLDER), PACKAGE]
        subprocess.run(command, check=True, timeout=120)
        (wheel,) = FOLDER.glob("*.whl")
        assert hashlib.sha256(wheel.read_bytes()).hexdigest() == HASH
        with zipfile.ZipFile(wheel) as archive:
            script.write_bytes(archive.read(FILE))
    return script.read_text(encoding="utf-8")


async def findings(page: Page) -> list[Any]:
    """The serious findings, with their elements."""
    await page.run(f"{source()}")
    found = await page.run("return (await axe.run()).violations")
    return [
        (one["id"], one["help"], [node["html"] for node in one["nodes"]]) for one in found if one["impact"] in SERIOUS
    ]
