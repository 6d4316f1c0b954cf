# The socket of the system: two users of the group jacquard share a tag through one service; another user can neither connect to
# it, nor take its place, nor lock the tag.
# Takes up to 1800 s.
. "$(dirname "$0")/../systemd/lib.sh"
set_service ExecStart= "ExecStart=/usr/bin/jacquardd --idle 2 --linger 2"
to_system="env JACQUARD_SERVICE=/run/jacquard/socket"

systemctl --quiet enable --now jacquardd.socket || fail "the socket cannot be enabled"
expect_equal "the socket" "root jacquard 660" "$(stat --format '%U %G %a' /run/jacquard/socket)"
expect_equal "its directory" "root 755" "$(stat --format '%U %a' /run/jacquard)"
# As the manual says: without the user's socket, programs find the system's.
systemctl --quiet --global disable jacquardd.socket

# carl locks the tag before anyone else.
log_in lock carl python3 /usr/local/bin/lock.py $tag_identifier
await_line lock 300 '^locked$' >/dev/null

start_sleeve
start_program first anna
service=$(service_of first)
expect_property system jacquardd.service MainPID "$service"
# shellcheck disable=SC2086
start_program second bert $to_system
expect_equal "the service of the second user" "$service" "$(service_of second)"
expect_equal "the user of the service" jacquardd "$(stat --format %U "/proc/$service")"
expect_gesture 1 first second

# shellcheck disable=SC2086
start_program outside carl $to_system
await_line outside 300 'JACQUARD_ERROR_.*/run/jacquard/socket'
# A program of carl, with a link of its own, receives the error that the tag is in use.
stop lock
start_program direct carl
await_line direct 300 'JACQUARD_ERROR_IN_USE: '
log_in service carl jacquardd --socket /run/jacquard/socket
await_line service 300 '^jacquardd: .*/run/jacquard/socket'
expect_exit service 1
expect_gesture 2 first second
expect_equal "the number of links" 1 "$(links)"

for name in outside direct first second; do stop $name; done
await_end_of_service system
await_unconnected
systemctl --quiet stop jacquardd.socket
[ ! -e /run/jacquard/socket ] || fail "the socket stays when its unit is stopped"
stop_tag
