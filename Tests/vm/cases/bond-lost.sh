# The tag has lost its bond: the connection reports it instead of retrying forever, and after unbinding the tag is bound
# again.
# Peer: bumble
# Takes up to 150 s. Core.
. "$(dirname "$0")/../bindings.sh"

lost='^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_BOND_LOST: '

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

tell_tag "bond forget"
start_host connect
await_line host 30 '^connecting 2/14' >/dev/null
await_line host 20 "$lost"
expect_exit host 0
# BlueZ reports the reason from 5.83 on, and one attempt is sufficient.
[ "$bluez" -lt 83 ] || grep -q "^disconnected 0/14, attempt 1:" "$scratch/host" || fail "it took another attempt"

bind unbind <<<"unbound"
begin_bind again bind 01ZK
await_line again 60 '^battery 80%$'
expect_exit again 0
expect_equal "what BlueZ has" bonded "$(bluez_has)"
stop_tag
