# bluetoothd is killed during a connection and restarted: the connection reconnects without any action of the caller.
# Peer: bumble
# Core.
. "$(dirname "$0")/lib.sh"
connection_outlives_bluetoothd kill BLUEZ_UNAVAILABLE
