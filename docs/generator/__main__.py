"""Generates files from the header: python3 docs/generator [FOLDER]

Without a folder, the ones in the repository; with one, the documents for the site and the packages.
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from errors import errors, swift  # noqa: E402
from exports import exports  # noqa: E402
from header import whole  # noqa: E402
from header.comments import read  # noqa: E402
from header.nullability import api_notes  # noqa: E402
from manual import manual  # noqa: E402
from markdown import reference  # noqa: E402

STATUSES = ROOT / "Sources" / "Jacquard" / "status-texts.json"


def sources(text: str) -> dict[str, str]:
    """The files in the repository, by their paths."""
    header = read(text)
    return {
        "Sources/JacquardABI/exports": exports(header),
        "Sources/Jacquard/JacquardError+Code.swift": swift(header, STATUSES.read_text(encoding="utf-8")),
        "bindings/swift/Sources/CJacquard/CJacquard.apinotes": api_notes(text, "CJacquard"),
    }


def documents(text: str) -> dict[str, str]:
    """The documents, by their names."""
    header = read(text)
    version = ".".join(re.findall(r"#define JACQUARD_VERSION_\w+ (\d+)", text))
    return {
        "reference.md": reference(header),
        "errors.md": errors(header, STATUSES.read_text(encoding="utf-8")),
        "libjacquard.3": manual(header, version),
    }


if __name__ == "__main__":
    text = whole()
    folder = pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT
    folder.mkdir(parents=True, exist_ok=True)
    for path, wanted in (documents(text) if sys.argv[1:] else sources(text)).items():
        (folder / path).write_text(wanted, encoding="utf-8")
