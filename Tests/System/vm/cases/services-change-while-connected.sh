# The tag's services are removed and added again during a link (Service Changed): there is a new tag on a new link.
# Core.
. "$(dirname "$0")/lib.sh"

connect_host
# Its bluetoothd removes the services of a killed program and notifies the central; the link stays.
kill -KILL "${pid_of[tag]}"
wait "${pid_of[tag]}" 2>/dev/null
unset "pid_of[tag]"
await_line host 60 '^preparing 0/14, attempt 1: JACQUARD_ERROR_DEVICE_GONE: The tag.s services have changed'
start_tag
await_tag 2
tell_tag "battery 33"
await_line host 30 '^battery 33%$'

expect_exit host 0 TERM
stop_tag
