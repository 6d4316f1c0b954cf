# A scan outlives bluetoothd: the tag that comes into range afterwards is found.
. "$(dirname "$0")/lib.sh"

start_host scan
await_discovery
"$here/services" stop bluetoothd
await_line host 30 '^adapter resetting : JACQUARD_ERROR_BLUEZ_UNAVAILABLE: '
"$here/services" start bluetoothd
await_lines host 30 2 "^adapter powered on"
await_discovery
start_tag
await_line host 30 '^found 01ZK Jacquard-01ZK$'
expect_equal "adapter states" "unknown, powered on, resetting, powered on" "$(adapter_states host)"

expect_exit host 0 TERM
stop_tag
