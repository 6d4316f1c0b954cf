# bluetoothd hangs (SIGSTOP): commands wait, the state reports it; everything continues after SIGCONT.
# Takes up to 200 s.
. "$(dirname "$0")/lib.sh"
daemon=$(cat /run/vm/bluetoothd.pid)
trap 'kill -CONT $daemon 2>/dev/null; stop_all; rm -rf "$scratch"' EXIT

start_host ask
start_tag
await_tag 1
await_line host 30 '^answered 80%$'
kill -STOP "$daemon"
await_line host 60 '^adapter resetting : JACQUARD_ERROR_BLUEZ_UNAVAILABLE: .*does not respond'
answered=$(grep -c '^answered 80%$' "$scratch/host")
kill -CONT "$daemon"
await_lines host 60 2 "^adapter powered on $central_address"
# Commands work again, on this link or on the next: 5.55 has dropped the link, and refuses them until it reports that.
await_lines host 90 $((answered + 1)) '^answered 80%$' >/dev/null
! grep -q '^answered: JACQUARD_ERROR_TIMEOUT: ' "$scratch/host" || fail "a command did not wait for bluetoothd"

expect_exit host 0 TERM
stop_tag
