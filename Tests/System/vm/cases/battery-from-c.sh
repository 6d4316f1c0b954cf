# The unmodified C example: finds the tag, connects step by step, reads the battery, and exits successfully. Core.
. "$(dirname "$0")/lib.sh"

background example "$built/examples/battery"
start_tag
expect_battery_read example
stop_tag
