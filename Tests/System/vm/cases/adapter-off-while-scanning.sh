# A scan ends with POWERED_OFF when the adapter is powered off; one with wait_for_adapter continues afterwards.
. "$(dirname "$0")/lib.sh"
off='JACQUARD_ERROR_POWERED_OFF: .*bluetoothctl power on'

background ending "$built/vm/host" --adapter $central_address scan
background waiting "$built/vm/host" --adapter $central_address --wait-for-adapter scan
await_line ending 30 "^adapter powered on $central_address"
await_line waiting 30 "^adapter powered on $central_address"

set_powered $central false
await_line ending 30 "^adapter powered off $central_address: $off"
await_line ending 30 "^scan ended, powered off: $off"
expect_exit ending 0
await_line waiting 30 "^adapter powered off $central_address: $off"

# A new scan ends as well.
background late "$built/vm/host" --adapter $central_address scan
await_line late 30 "^scan ended, powered off: $off"
expect_exit late 0

set_powered $central true
await_discovery
start_tag
await_line waiting 30 '^found 01ZK Jacquard-01ZK$'
expect_equal "adapter states" "unknown, powered on, powered off, powered on" "$(adapter_states waiting)"
expect_exit waiting 0 TERM
stop_tag
