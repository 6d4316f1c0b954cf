"""Exit statuses, the same for every command."""

from jacquard import JacquardError, MachineError, NotFoundError, UsageError

OK = 0
FAILED = 1  # the tag or its link
USAGE = 2
NOT_FOUND = 3  # no such tag in range
NO_BLUETOOTH = 4  # bus, bluetoothd, adapter or permission
INTERRUPTED = 130  # by Ctrl-C, as the shell has it

HELP = f"exit status: {OK} done, {FAILED} tag or link failed, {USAGE} wrong usage, {NOT_FOUND} tag not found, \
{NO_BLUETOOTH} Bluetooth cannot be used, {INTERRUPTED} interrupted"


def status_of(error: JacquardError) -> int:
    if isinstance(error, NotFoundError):
        return NOT_FOUND
    if isinstance(error, MachineError):
        return NO_BLUETOOTH
    return USAGE if isinstance(error, UsageError) and isinstance(error, ValueError) else FAILED
