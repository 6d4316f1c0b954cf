# bluetoothd dies during a scan, and the kernel goes on with it for a while: the scan goes on too.
. "$(dirname "$0")/lib.sh"
scan_outlives_bluetoothd kill
