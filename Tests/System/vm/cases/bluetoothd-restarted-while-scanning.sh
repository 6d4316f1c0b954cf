# bluetoothd is restarted during a scan: a tag that comes into range afterwards is found. Core.
. "$(dirname "$0")/lib.sh"
scan_outlives_bluetoothd stop
