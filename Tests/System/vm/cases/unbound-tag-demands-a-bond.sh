# A tag that requires a bond, without a pairing agent of any program: the connection reports that the tag must be bound.
# Peer: bumble
. "$(dirname "$0")/../bindings.sh"

echo "bond required" >"$scratch/scenario"
start_host connect
start_tag --scenario "$scratch/scenario"
await_line host 30 '^preparing 2/14' >/dev/null
await_line host 15 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_NOT_BOUND: '
expect_exit host 0
stop_tag

# Bound here, and then removed from BlueZ by another program.
"$here/services" reset
begin_bind_and_tag bind 01ZK --scenario "$scratch/scenario"
await_line bind 60 '^battery 80%$'
expect_exit bind 0
bluetoothctl remove "$tag_address" >/dev/null
start_host connect
await_line host 15 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_NOT_BOUND: '
expect_exit host 0
stop_tag
