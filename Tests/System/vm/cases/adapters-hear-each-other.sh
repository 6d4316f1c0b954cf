# A scan on one adapter finds the advertisements of the other one, through bluetoothd.
. "$(dirname "$0")/lib.sh"

background scan stdbuf -oL bluetoothctl --timeout 30 -- scan le
await_line scan 30 "Discovery started"
btmgmt --index 1 add-adv -c -g -n 1 </dev/null >/dev/null || fail "$peripheral refuses to advertise"
await_line scan 30 "NEW.*Device $peripheral_address"
