# bluetoothd is restarted during a connection, as by an upgrade: the connection reconnects.
# Peer: bumble
. "$(dirname "$0")/lib.sh"
connection_outlives_bluetoothd stop CONNECTION_LOST
