# The bus is restarted during a connection, and bluetoothd with it: the connection reconnects afterwards.
. "$(dirname "$0")/lib.sh"

connect_host
"$here/services" kill dbus
await_line host 30 '^adapter resetting : JACQUARD_ERROR_BUS_UNAVAILABLE: '
await_line host 30 '^preparing 0/14, attempt 1: JACQUARD_ERROR_BUS_UNAVAILABLE: '
await_line host 30 '^the link ended: service gone$'
"$here/services" stop bluetoothd
# The tag's simulator has lost its bus as well.
stop tag
"$here/services" start dbus
"$here/services" start bluetoothd
start_tag
await_tag 2
tell_tag "battery 41"
await_line host 30 '^battery 41%$'

expect_exit host 0 TERM
stop_tag
