# A connection with wait_for_adapter survives power-off; another one ends with that reason. Core.
. "$(dirname "$0")/lib.sh"
off='JACQUARD_ERROR_POWERED_OFF: .*bluetoothctl power on'

connect_host --wait-for-adapter
set_powered $central false
await_line host 30 '^preparing 0/14, attempt 1: JACQUARD_ERROR_'
await_line host 30 "^adapter powered off $central_address: $off"
set_powered $central true
await_tag 2
expect_exit host 0 TERM

tell_tag "advertise off"
start_host connect
await_discovery
tell_tag "advertise on"
await_tag 1
set_powered $central false
await_line host 30 "^disconnected 0/14, attempt [0-9]+: $off"
expect_exit host 0
stop_tag
set_powered $central true
