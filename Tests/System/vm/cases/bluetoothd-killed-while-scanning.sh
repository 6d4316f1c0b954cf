# bluetoothd is killed during a scan, and the kernel continues its discovery for a while: the scan continues too.
. "$(dirname "$0")/lib.sh"
scan_outlives_bluetoothd kill
