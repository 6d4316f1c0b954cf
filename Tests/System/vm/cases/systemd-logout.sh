# Logout. With lingering the service and a program of the user go on. Otherwise nothing is left: no process, no socket, no lock,
# no link.
# Takes up to 1800 s.
. "$(dirname "$0")/../systemd/lib.sh"

has_no_lock() {
  ! grep -q '@jacquard/' /proc/net/unix
}

expect_nothing() {
  await 300 "end of anna's processes" is_logged_out anna
  await 300 "end of the lock" has_no_lock
  await_unconnected
}

start_sleeve
start_program program anna
service=$(service_of program)
! has_no_lock || fail "the tag is not locked"
stop program
expect_nothing
kill -0 "$service" 2>/dev/null && fail "the service goes on"

loginctl enable-linger anna
: >"$scratch/lingering" && chown anna "$scratch/lingering"
log_in start anna systemd-run --user --quiet --unit=program --property=StandardOutput=append:"$scratch/lingering" \
  stdbuf -oL host --adapter $central_address connect
expect_exit start 0
await 300 "connection" grep -q '^connected' "$scratch/lingering"
# A manager without lingering ends ten seconds after the last session.
sleep 15
expect_equal "the sessions" "" "$(loginctl --no-legend list-sessions)"
expect_property anna program.service ActiveState active
expect_property anna jacquardd.service ActiveState active
tell_tag "gesture 1"
await 300 "gesture" grep -qx 'gesture 1' "$scratch/lingering"
expect_equal "the number of tags" 1 "$(grep -c '^connected' "$scratch/lingering")"

loginctl disable-linger anna
expect_nothing
stop_tag
