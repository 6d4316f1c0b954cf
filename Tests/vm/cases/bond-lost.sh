# The tag has forgotten its bond: the connection says so instead of trying for ever, and once it is unbound here the tag is
# bound anew.
# Takes up to 150 s. Core.
. "$(dirname "$0")/../bindings.sh"

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

tell_tag "bond forget"
start_host connect
await_line host 90 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_BOND_LOST: '
expect_exit host 0
# BlueZ gives the reason from 5.83 on; before, so many links that end at once mean it.
[ "$bluez" -ge 83 ] && attempts=1 || attempts=7
grep -q "^disconnected 0/14, attempt $attempts:" "$scratch/host" || fail "it took another number of attempts"

bind unbind <<<"unbound"
begin_bind again bind 01ZK
await_line again 60 '^battery 80%$'
expect_exit again 0
expect_equal "what BlueZ has" bonded "$(bluez_has)"
stop_tag
