"""The base class of all exceptions, and the four groups of exceptions."""

from __future__ import annotations

from ._dataclass import dataclass
from .enums import Status, TagStatus


@dataclass(frozen=True)
class ErrorDetails:
    """jacquard_error. Numbers are 0 and names None where they do not apply."""

    code: Status
    message: str
    advice: str = ""
    system_errno: int = 0
    att_code: int = 0
    tag_status: TagStatus = TagStatus.OK
    tag_status_name: str | None = None
    dbus_name: str | None = None


class JacquardError(Exception):
    """Base class of all errors. It is raised directly only for a status that this version of the package does not
    know."""

    def __init__(self, details: ErrorDetails) -> None:
        super().__init__(details)
        self.details = details

    @property
    def code(self) -> Status:
        return self.details.code

    @property
    def message(self) -> str:
        """One sentence about the failure."""
        return self.details.message

    @property
    def advice(self) -> str:
        """One sentence about the remedy; may be empty."""
        return self.details.advice

    def __str__(self) -> str:
        return f"{self.message.rstrip('.')}. {self.advice}".rstrip()


class UsageError(JacquardError):
    """The call itself is wrong or was refused."""


class MachineError(JacquardError):
    """A problem of the machine: the bus, bluetoothd, the adapter or the disk."""


class LinkError(JacquardError):
    """A problem of the link to the tag."""


class TagError(JacquardError):
    """The tag's response is an error or is invalid."""
