"""Regenerates the files that documents() lists from the header: python3 docs/generator"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from constants import constants  # noqa: E402
from errors import errors  # noqa: E402
from exports import exports  # noqa: E402
from header.comments import read  # noqa: E402
from manual import manual  # noqa: E402
from markdown import reference  # noqa: E402

ERRORS = ROOT / "Sources" / "Jacquard" / "JacquardError.swift"


def documents(text: str) -> dict[str, str]:
    """The expected content of each document, by its path."""
    header = read(text)
    version = ".".join(re.findall(r"#define JACQUARD_VERSION_\w+ (\d+)", text))
    return {
        "docs/reference.md": reference(header),
        "docs/errors.md": errors(header, ERRORS.read_text(encoding="utf-8")),
        "docs/man/libjacquard.3": manual(header, version),
        "Sources/JacquardABI/exports": exports(header),
        "Tests/Unit/JacquardTests/HeaderConstants.swift": constants(header),
    }


if __name__ == "__main__":
    for path, wanted in documents((ROOT / "include" / "jacquard.h").read_text(encoding="utf-8")).items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        if not (ROOT / path).exists() or (ROOT / path).read_text(encoding="utf-8") != wanted:
            (ROOT / path).write_text(wanted, encoding="utf-8")
            print(f"wrote {path}", file=sys.stderr)
