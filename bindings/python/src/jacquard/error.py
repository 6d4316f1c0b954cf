"""What every exception of the package has, and the four families of them."""

from __future__ import annotations

import dataclasses

from .enums import Status


@dataclasses.dataclass(frozen=True)
class ErrorDetails:
    """jacquard_error. Numbers are 0 and names None where they do not apply."""

    code: Status
    message: str
    advice: str = ""
    system_errno: int = 0
    att_code: int = 0
    tag_status: int = 0
    tag_status_name: str | None = None
    dbus_name: str | None = None


class JacquardError(Exception):
    """Anything that libjacquard reports. Itself, it stands for a status that only a newer library knows."""

    def __init__(self, details: ErrorDetails) -> None:
        super().__init__(details)
        self.details = details

    @property
    def code(self) -> Status:
        return self.details.code

    @property
    def message(self) -> str:
        """What happened, one sentence."""
        return self.details.message

    @property
    def advice(self) -> str:
        """What can be done about it, one sentence; may be empty."""
        return self.details.advice

    def __str__(self) -> str:
        return f"{self.message.rstrip('.')}. {self.advice}".rstrip()


class UsageError(JacquardError):
    """The call itself."""


class MachineError(JacquardError):
    """The machine: its bus, its bluetoothd, its adapter, its disk."""


class LinkError(JacquardError):
    """The link to the tag."""


class TagError(JacquardError):
    """The tag's answer."""
