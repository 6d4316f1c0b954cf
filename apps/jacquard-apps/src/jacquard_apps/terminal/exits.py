"""Exit statuses, the same for every command."""

from __future__ import annotations

import errno

from jacquard import (
    DowngradeError,
    FirmwareImageError,
    FirmwareManifestError,
    GearMissingError,
    JacquardError,
    MachineError,
    NotFoundError,
    OtherImageError,
    UpdateInProgressError,
    UsageError,
    WrongProductError,
)

OK = 0
FAILED = 1
USAGE = 2
NOT_FOUND = 3
NO_BLUETOOTH = 4
REFUSED = 5
INTERRUPTED = 130

MEANINGS = {
    OK: "done",
    FAILED: "the tag, its link or its gear failed, or a file could not be written",
    USAGE: "wrong usage, or a TAG that matches several tags",
    NOT_FOUND: "no such tag in range",
    NO_BLUETOOTH: "Bluetooth cannot be used; see jacquardctl doctor",
    REFUSED: "the firmware image or the gesture was refused before anything was changed, or the user declined",
    INTERRUPTED: "ended by Ctrl-C; 128 plus the number of another signal",
}

# Errors of the system that do not depend on the arguments.
MACHINE_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM)

REFUSALS = (
    DowngradeError,
    FirmwareImageError,
    FirmwareManifestError,
    GearMissingError,
    OtherImageError,
    UpdateInProgressError,
    WrongProductError,
)


class Failure(Exception):
    """A message to print before exiting with a status."""

    def __init__(self, text: str, status: int = FAILED) -> None:
        super().__init__(text)
        self.status = status


class Refusal(Exception):
    """An error that is a refusal because nothing has been changed yet."""

    def __init__(self, error: JacquardError) -> None:
        super().__init__(str(error))
        self.error = error


class Signalled(Exception):
    """A signal requested the end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


def status_of(error: JacquardError) -> int:
    if isinstance(error, NotFoundError):
        return NOT_FOUND
    if isinstance(error, REFUSALS):
        return REFUSED
    if isinstance(error, MachineError):
        return NO_BLUETOOTH
    return USAGE if isinstance(error, UsageError) and isinstance(error, ValueError) else FAILED
