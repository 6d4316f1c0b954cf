"""Exit statuses. systemd does not restart the program after the last two."""

OK = 0
FAILED = 1
CONFIGURATION = 2
NAME_IN_USE = 3

MEANINGS = {
    OK: "stopped by a signal",
    FAILED: "Bluetooth cannot be used, or an internal error",
    CONFIGURATION: "wrong usage, or an invalid configuration file",
    NAME_IN_USE: "another bridge with the same name uses this broker",
}
