# The tag has lost its bond, and one of the attempts gets no reply and ends after 20 s: BOND_LOST is still reported.
# Peer: bumble
# Takes up to 150 s.
. "$(dirname "$0")/../bindings.sh"
[ "$bluez" -lt 83 ] || skip "this BlueZ gives the reason at the first attempt"

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

tell_tag "bond forget"
radio hang 3
start_host connect
await_line host 30 '^preparing 2/14, attempt 1' >/dev/null
began=$SECONDS
await_line host 60 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_BOND_LOST: '
[ $((SECONDS - began)) -le 45 ] || fail "it took $((SECONDS - began)) s"
[ "$(grep -c 'was not reached within 20 s' "$scratch/host")" -gt 0 ] || fail "no attempt hung"
expect_exit host 0
stop_tag
