# The bus is restarted, and bluetoothd with it: a scan continues afterwards.
. "$(dirname "$0")/lib.sh"

start_host scan
await_discovery
"$here/services" kill dbus
await_line host 30 '^adapter resetting : JACQUARD_ERROR_BUS_UNAVAILABLE: '
"$here/services" stop bluetoothd
"$here/services" start dbus
"$here/services" start bluetoothd
await_discovery
start_tag
await_line host 30 '^found 01ZK Jacquard-01ZK$'

expect_exit host 0 TERM
stop_tag
