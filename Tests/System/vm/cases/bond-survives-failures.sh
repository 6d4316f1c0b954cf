# A bonded tag is at the edge of range, and FAILURES links in a row to it cannot be established (0x3e): controllers report
# a link, and its end after six connection intervals. The tag is connected as soon as a link is established, and its bond
# is not considered lost, at any interval. The pauses between attempts are up to 15 s.
# Peer: bumble
# Takes up to 600 s and 80 s for each failure.
. "$(dirname "$0")/../bindings.sh"
failures=${FAILURES:-4}

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

start_host connect
await_tag 1
tag=1
for interval in 0 7.5 30 50; do
  radio interval $interval
  attempts=$(radio attempts)
  radio fail "$failures" late
  radio tag 1 lose
  await_line host $((failures * 18 + 60)) "^connected 14/14, attempt [0-9]+, tag $((tag += 1))\$"
  [ "$(radio attempts)" -gt $((attempts + failures)) ] || fail "there were fewer attempts"
done
! grep BOND_LOST "$scratch/host" || fail "the bond was doubted"
expect_exit host 0 TERM
expect_equal "what BlueZ has" bonded "$(bluez_has)"
stop_tag
