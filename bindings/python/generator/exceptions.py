"""Generates one exception per status of the header, in the group that its number belongs to."""

from __future__ import annotations

import re

from filled import filled
from header.comments import Header, Member

# Groups by their highest number.
FAMILIES = {-1: "UsageError", -20: "MachineError", -40: "LinkError", -60: "TagError"}
# Exceptions that also have a built-in base class, and the one whose name clashes with a built-in exception.
ALSO = {"TimeoutError": "builtins.TimeoutError", "InvalidArgumentError": "ValueError"}
RENAMED = {"SystemError": "SystemResourceError"}
BY_HAND = ["ErrorDetails", "JacquardError", *FAMILIES.values()]


def exceptions(header: Header, notice: str) -> str:
    fields = [member.name for member in item(header, "jacquard_error")]
    statuses = [status for status in item(header, "jacquard_status") if int(status.declaration) < 0]
    names = {status.name: class_name(status) for status in statuses}
    classes = "\n\n\n".join(
        f'class {names[status.name]}({bases(status)}):\n    """{description(status, fields)}"""' for status in statuses
    )
    table = filled((f"Status.{short(status)}: {names[status.name]}" for status in statuses), 4)
    exported = filled((f'"{name}"' for name in sorted([*BY_HAND, *names.values()])), 4)
    imported = "".join(f"    {name},\n" for name in sorted(BY_HAND))
    return (
        f'"""One exception per status, in the header\'s four groups.\n\n{notice}\n"""\n\n'
        "from __future__ import annotations\n\nimport builtins\n\n"
        f"from .enums import Status\nfrom .error import (\n{imported})\n\n__all__ = [\n{exported}]\n\n\n{classes}\n\n\n"
        f"BY_STATUS: dict[Status, type[JacquardError]] = {{\n{table}}}\n\n\n"
        "def error_from(details: ErrorDetails) -> JacquardError:\n"
        '    """The exception for a status."""\n'
        "    return BY_STATUS.get(details.code, JacquardError)(details)\n"
    )


def item(header: Header, name: str) -> list[Member]:
    return next(each.members for each in header.items if each.name == name)


def short(status: Member) -> str:
    return status.name.removeprefix("JACQUARD_ERROR_")


def class_name(status: Member) -> str:
    name = "".join(word.capitalize() for word in short(status).split("_")) + "Error"
    return RENAMED.get(name, name)


def bases(status: Member) -> str:
    family = next(FAMILIES[highest] for highest in sorted(FAMILIES) if int(status.declaration) <= highest)
    also = ALSO.get(class_name(status))
    return f"{family}, {also}" if also else family


def description(status: Member, fields: list[str]) -> str:
    """Replaces C terms: in Python a handle is an object, and the fields of an error are in its details."""
    text = re.sub(r"\bhandle\b", "object", status.text)
    for field in fields:
        text = re.sub(rf"\b{field}\b", f"details.{field}" if "_" in field else field, text)
    return f"{text[0].upper()}{text[1:]}."
