# A tag whose firmware does not support write requests: the library writes commands. Core.
. "$(dirname "$0")/lib.sh"

echo "firmware 1.42.0" >"$scratch/scenario"
background example "$built/examples/battery"
start_tag --scenario "$scratch/scenario"
expect_battery_read example
stop_tag
