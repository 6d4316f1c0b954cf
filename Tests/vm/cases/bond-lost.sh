# The tag has forgotten its bond: the connection says so instead of trying for ever, and once it is unbound here the tag is
# bound anew.
# Takes up to 150 s.
. "$(dirname "$0")/../bindings.sh"

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

tell_tag "bond forget"
begin_bind stay stay
await_line stay 60 '^disconnected: BOND_LOST$'
expect_exit stay 0

bind unbind <<<"unbound"
begin_bind again bind 01ZK
await_line again 60 '^battery 80%$'
expect_exit again 0
expect_equal "what BlueZ has" bonded "$(bluez_has)"
stop_tag
