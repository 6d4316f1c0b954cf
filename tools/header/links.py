"""Links of documents to a declaration, such as include/jacquard.h#jacquard_error: where the pages of docs/generator are built, they
lead there."""

from __future__ import annotations


def page(path: str, place: str) -> tuple[str, str]:
    """Path and anchor of the page about this place in this file; the same ones if no page is about it."""
    if not path.startswith("include/") or not place:
        return path, place
    return ("docs/errors.md", "") if place == "jacquard_status" else ("docs/reference.md", place)
