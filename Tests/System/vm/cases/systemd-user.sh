# The socket of each user: the first program after a login starts the service, two sessions and a command share the tag, the
# service ends when it is idle, and the next program starts it again.
# Takes up to 1800 s.
. "$(dirname "$0")/../systemd/lib.sh"
set_service ExecStart= "ExecStart=/usr/bin/jacquardd --idle 2 --linger 2"

start_sleeve
log_in idle anna sleep infinity
await 300 "start of anna's socket" control anna --quiet is-active jacquardd.socket 2>/dev/null
expect_property anna jacquardd.service ActiveState inactive
expect_equal "the socket" "anna 600" "$(stat --format '%U %a' /run/user/"$(id -u anna)"/jacquard/socket)"

start_program first anna
service=$(service_of first)
expect_property anna jacquardd.service MainPID "$service"
expect_property anna jacquardd.service ActiveState active
expect_equal "the owner of the service" anna "$(ps -o user= "$service")"
expect_equal "the service" /usr/bin/jacquardd "$(readlink "/proc/$service/exe")"
start_program second anna
expect_equal "the service of the second program" "$service" "$(service_of second)"
expect_gesture 1 first second
log_in command anna jacquardctl battery 01ZK
await_line command 300 80 >/dev/null
expect_exit command 0
expect_equal "the number of links" 1 "$(links)"

stop first
expect_gesture 2 second
stop second
await_end_of_service anna
await_unconnected

start_program third anna
[ "$(service_of third)" != "$service" ] || fail "the service is the one that had ended"
expect_gesture 3 third
stop_tag
