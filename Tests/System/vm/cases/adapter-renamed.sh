# The adapter is unplugged during a connection and a scan and returns under another name, because another adapter has
# become hci0: it is identified by its address, and both continue.
# Takes up to 150 s.
. "$(dirname "$0")/lib.sh"
controllers=/tmp/bt-server-le

plug_in() { # NAME ADAPTER
  background "$1" "$built/vm/dongle" $controllers
  timeout 60 sh -c "until hciconfig $2 2>/dev/null | grep -q 'UP RUNNING'; do sleep 0.1; done" || fail "there is no $2"
}
address_of() { # ADAPTER
  hciconfig "$1" | sed -n 's/.*BD Address: \([0-9A-F:]*\).*/\1/p'
}

"$here/services" stop btvirt
trap 'stop_all; "$here/services" start btvirt; rm -rf "$scratch"' EXIT
background btvirt btvirt -L -s
timeout 30 sh -c "until [ -S $controllers ]; do sleep 0.1; done" || fail "btvirt lends no controllers"
plug_in dongle hci0
plug_in other hci1
central_address=$(address_of hci0)

connect_host --wait-for-adapter
background scan "$built/vm/host" --adapter "$central_address" --wait-for-adapter scan
await_line scan 30 '^found 01ZK Jacquard-01ZK$'
stop dongle
await_line host 30 '^adapter resetting : JACQUARD_ERROR_NO_ADAPTER: '
await_line scan 30 '^adapter resetting : JACQUARD_ERROR_NO_ADAPTER: '

# The name belongs to a controller that never responds and that bluetoothd does not export.
background stranger sleep infinity 5<>/dev/vhci
timeout 30 sh -c 'until hciconfig hci0; do sleep 0.1; done' >/dev/null 2>&1 || fail "nothing else becomes hci0"
plug_in dongle hci2
expect_equal "the address of hci2" "$central_address" "$(address_of hci2)"
await_lines scan 60 2 "^adapter powered on $central_address"
await_tag 2
tell_tag "battery 29"
await_line host 30 '^battery 29%$'
# Only the scan needs discovery now.
central=hci2
await_discovery

expect_exit scan 0 TERM
expect_exit host 0 TERM
stop_tag
