# The tag has lost its bond: the connection reports it within 30 s instead of retrying forever, at any connection interval,
# and after unbinding the tag is bound again. LOSSES sets the number of connections at each interval.
# Peer: bumble
# Takes up to 240 s and 160 s for each loss. Core.
. "$(dirname "$0")/../bindings.sh"

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

tell_tag "bond forget"
for interval in 0 7.5 30 50; do
  radio interval $interval
  for ((loss = 0; loss < ${LOSSES:-1}; loss++)); do
    start_host connect
    await_line host 30 '^preparing 2/14' >/dev/null
    await_line host 30 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_BOND_LOST: '
    expect_exit host 0
    # BlueZ reports the reason from 5.83 on, and one attempt is sufficient.
    [ "$bluez" -lt 83 ] || grep -q "^disconnected 0/14, attempt 1:" "$scratch/host" || fail "it took another attempt"
  done
done

bind unbind <<<"unbound"
begin_bind again bind 01ZK
await_line again 60 '^battery 80%$'
expect_exit again 0
expect_equal "what BlueZ has" bonded "$(bluez_has)"
stop_tag
