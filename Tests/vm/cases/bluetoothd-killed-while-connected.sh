# bluetoothd dies under a connection and comes back: the connection is there again, and the caller has only watched.
# Peer: bumble
# Core.
. "$(dirname "$0")/lib.sh"
connection_outlives_bluetoothd kill BLUEZ_UNAVAILABLE
