# Adapters are powered off, unplugged, renamed.
. "$(dirname "$0")/lib.sh"

# A scan on one adapter finds the advertisements of the other one, through bluetoothd.
function adapters-hear-each-other {
  background scan stdbuf -oL bluetoothctl --timeout 30 -- scan le
  await_line scan 30 "Discovery started"
  btmgmt --index 1 add-adv -c -g -n 1 </dev/null >/dev/null || fail "$peripheral refuses to advertise"
  await_line scan 30 "NEW.*Device $peripheral_address"
}

# A connection with wait_for_adapter survives power-off; another one ends with that reason. Core.
function adapter-off-while-connected {
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
}

# A scan ends with POWERED_OFF when the adapter is powered off; one with wait_for_adapter continues afterwards.
function adapter-off-while-scanning {
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
}

# The adapters are unplugged: a running manager waits, a new one reports that there is none; both detect the return.
function adapter-unplugged {
  background before "$built/vm/host" adapter
  await_line before 30 "^adapter powered on"
  "$here/services" stop btvirt
  await_line before 30 '^adapter resetting : JACQUARD_ERROR_NO_ADAPTER: '
  background after "$built/vm/host" adapter
  await_line after 30 '^adapter unsupported : JACQUARD_ERROR_NO_ADAPTER: '
  background scan "$built/vm/host" scan
  await_line scan 30 '^scan ended, adapter gone: JACQUARD_ERROR_NO_ADAPTER: '
  expect_exit scan 0

  "$here/services" start btvirt
  await_line after 30 "^adapter powered on"
  await_lines before 30 2 "^adapter powered on"
  expect_exit before 0 TERM
  expect_exit after 0 TERM
}

# The adapter is unplugged during a connection and a scan and returns under another name, because another adapter has
# become hci0: it is identified by its address, and both continue.
# Takes up to 150 s.
function adapter-renamed {
  controllers=/tmp/bt-server-le

  plug_in() { # NAME ADAPTER
    background "$1" "$built/vm/dongle" $controllers
    timeout 60 sh -c "until hciconfig $2 2>/dev/null | grep -q 'UP RUNNING'; do sleep 0.1; done" ||
      fail "there is no $2"
  }
  address_of() { # ADAPTER
    hciconfig "$1" | sed -n 's/.*BD Address: \([0-9A-F:]*\).*/\1/p'
  }

  "$here/services" stop btvirt
  trap 'stop_all; "$here/services" start btvirt; rm -rf "$scratch"' EXIT
  background btvirt btvirt -L -s
  timeout 30 sh -c "until [ -S $controllers ]; do sleep 0.1; done" ||
      fail "btvirt lends no controllers"
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
}
