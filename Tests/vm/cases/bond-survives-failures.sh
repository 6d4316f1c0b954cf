# A bonded tag is at the edge of range, and many links to it cannot be established (0x3e). The tag is connected as soon as
# a link is established, and its bond is not considered lost. Controllers report a link first, and then its end. FAILURES
# sets the number of failures for manual runs; the pauses between attempts are up to 15 s.
# Peer: bumble
# Takes up to 900 s.
. "$(dirname "$0")/../bindings.sh"
failures=${FAILURES:-8}

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

start_host connect
await_tag 1
radio fail "$failures" late
radio tag 1 lose
await_line host $((failures * 18 + 60)) "^connected 14/14, attempt [0-9]+, tag 2\$"
[ "$(radio attempts)" -gt "$failures" ] || fail "there were fewer attempts"
! grep BOND_LOST "$scratch/host" || fail "the bond was doubted"
expect_exit host 0 TERM
expect_equal "what BlueZ has" bonded "$(bluez_has)"
stop_tag
