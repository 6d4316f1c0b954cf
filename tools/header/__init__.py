"""Reads include/jacquard.h and include/jacquard/*.h for generators and tests: `comments` has the description of each
declaration, `declarations` has the declarations as a C compiler sees them."""

from __future__ import annotations

from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"


def files(include: Path = INCLUDE) -> list[Path]:
    """The public headers: the core first, which the others include."""
    return [include / "jacquard.h", *sorted((include / "jacquard").glob("*.h"))]


def whole(include: Path = INCLUDE) -> str:
    """The text of all public headers, as if they were one."""
    return "\n".join(path.read_text(encoding="utf-8") for path in files(include)).replace("#include <jacquard.h>\n", "")
