# The machine goes to sleep as far as it can come back from by itself: Bluetooth is suspended, programs are frozen for
# five seconds. The link is lost and made again.
. "$(dirname "$0")/lib.sh"
[ -e /sys/power/pm_test ] || skip "this kernel cannot rehearse a suspend"

start_host connect
start_tag
await_line host 30 '^connected 14/14, attempt [0-9]+, tag 1$'
echo freezer >/sys/power/pm_test
echo freeze >/sys/power/state || skip "this machine is not suspended"
await_line host 60 '^preparing 0/14, attempt 1: JACQUARD_ERROR_CONNECTION_LOST: '
await_line host 90 '^connected 14/14, attempt [0-9]+, tag 2$'
tell_tag "battery 31"
await_line host 30 '^battery 31%$'
expect_exit host 0 TERM
stop_tag
