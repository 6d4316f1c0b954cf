# bluetoothd is restarted under a connection, as an upgrade does it: the connection is there again by itself.
# Peer: bumble
. "$(dirname "$0")/lib.sh"
connection_outlives_bluetoothd stop CONNECTION_LOST
