# The bus: its restart, its order of messages, its policy, and another implementation of it.
. "$(dirname "$0")/lib.sh"

# The bus is restarted during a connection, and bluetoothd with it: the connection reconnects afterwards.
function bus-restarted-while-connected {
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
}

# The bus is restarted, and bluetoothd with it: a scan continues afterwards.
function bus-restarted-while-scanning {
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
}

# Two hundred notifications of two kinds, as fast as possible: all arrive, in order, without duplicates. Core.
function notifications-in-order {
  [ "$bluez" != 55 ] ||
    skip "BlueZ 5.55 dies of values that another BlueZ sends in one notification; tags never do that"

  events() {
    local number
    for number in {1..100}; do
      printf 'gesture %d\nbattery %d\n' "$number" $((100 - number))
    done
  }

  connect_host
  tell_tag "gear attach levis-trucker"
  await_line host 30 '^gear [^n]'
  events | tell_tag
  await_line host 60 '^battery 0%$' >/dev/null

  diff <(events) <(sed -n '/^gear [^n]/,$ s/^\(gesture [0-9]*\|battery [0-9]*\)%*$/\1/p' "$scratch/host") ||
    fail "the received values differ from the sent ones"
  ! grep '^log: wire' "$scratch/host" || fail "the library has dropped something"
  expect_exit host 0 TERM
  stop_tag
}

# If the bus policy denies a user access to bluetoothd, the library reports this with advice; changing the policy is
# sufficient.
function permission-denied {
  policy=/etc/dbus-1/system.d/keep-nobody-out.conf
  denied='JACQUARD_ERROR_PERMISSION_DENIED: .*group bluetooth'

  reload_policy() {
    dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null ||
      fail "the bus does not take its policy"
  }
  trap 'rm -f $policy; reload_policy; stop_all; rm -rf "$scratch"' EXIT

  cat >$policy <<END
<busconfig>
  <policy user="nobody"><deny send_destination="org.bluez"/></policy>
</busconfig>
END
  reload_policy

  background_as_other adapter nobody adapter
  await_line adapter 30 "^adapter unauthorized : $denied"
  background_as_other scan nobody scan
  await_line scan 30 "^scan ended, permission denied: $denied"
  expect_exit scan 0
  expect_exit adapter 0 TERM

  rm $policy
  reload_policy
  background_as_other allowed nobody adapter
  await_line allowed 30 "^adapter powered on"
  expect_exit allowed 0 TERM
}

# The cases that depend on the bus also pass with dbus-broker, the system bus of Fedora and Arch.
# Takes up to 300 s.
function dbus-broker {
  [ -e "$VM_PRODUCTS/dbus-broker" ] || skip "there is no dbus-broker here"

  change_bus() {
    "$here/services" stop bluetoothd
    "$here/services" kill dbus
    "$here/services" start dbus
    "$here/services" start bluetoothd
  }
  trap 'unset DBUS_BROKER; change_bus; rm -rf "$scratch"' EXIT
  export DBUS_BROKER=$VM_PRODUCTS/dbus-broker
  change_bus

  for case in bus-restarted-while-{connected,scanning} notifications-in-order permission-denied; do
    began=$SECONDS
    bash -c '. "$0"; "$1"' "$0" "$case" || fail "$case"
    echo "passed $case ($((SECONDS - began)) s)"
    "$here/services" reset
  done
}
