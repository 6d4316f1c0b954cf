# bluetoothd is restarted during a scan: the tag that comes into range afterwards is found.
. "$(dirname "$0")/lib.sh"
scan_outlives_bluetoothd stop
