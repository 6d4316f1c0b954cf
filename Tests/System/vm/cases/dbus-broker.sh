# The cases that depend on the bus also pass with dbus-broker, the system bus of Fedora and Arch.
# Takes up to 300 s.
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

for case in bus-restarted-while-{connected,scanning} notifications-in-order permission-denied; do
  began=$SECONDS
  bash "$here/cases/$case.sh" || fail "$case"
  echo "passed $case ($((SECONDS - began)) s)"
  "$here/services" reset
done
