# bluetoothd is restarted under a connection, as an upgrade does it: the connection is there again by itself.
. "$(dirname "$0")/lib.sh"

start_host connect
start_tag
await_line host 30 '^connected 14/14, attempt [0-9]+, tag 1$'

"$here/services" stop bluetoothd
await_line host 30 '^adapter resetting : JACQUARD_ERROR_BLUEZ_UNAVAILABLE: '
"$here/services" start bluetoothd
await_line host 60 '^connected 14/14, attempt [0-9]+, tag 2$'
tell_tag "battery 42"
await_line host 30 '^battery 42%$'
expect_equal "adapter states" "unknown, powered on, resetting, powered on" "$(adapter_states host)"

expect_exit host 0 TERM
stop_tag
