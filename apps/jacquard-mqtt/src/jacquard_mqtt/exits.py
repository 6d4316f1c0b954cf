"""Exit statuses. systemd does not restart the program after the last one."""

OK = 0
FAILED = 1
CONFIGURATION = 2

MEANINGS = {
    OK: "stopped by a signal",
    FAILED: "Bluetooth cannot be used, or an internal error",
    CONFIGURATION: "wrong usage, or an invalid configuration file",
}
