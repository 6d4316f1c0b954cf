# The cases that depend on the bus also pass with dbus-broker, the system bus of Fedora and Arch.
# Takes up to 600 s.
. "$(dirname "$0")/lib.sh"
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

for case in {bus-restarted,bluetoothd-killed}-while-{connected,scanning} battery-from-c notifications-in-order \
  permission-denied bound-tag; do
  began=$SECONDS
  bash "$here/cases/$case.sh" || fail "$case"
  echo "passed $case ($((SECONDS - began)) s)"
  "$here/services" reset
done
