# The tag goes out of range and returns, later the radio loses it briefly: the connection reports why it waits, and
# reconnects, with a new tag each time. Core.
# Peer: bumble
. "$(dirname "$0")/lib.sh"
lost='JACQUARD_ERROR_CONNECTION_LOST: '

connect_host
await_line host 30 '^battery 80%$'

tell_tag "gear attach levis-trucker"
await_line host 30 '^gear Trucker Jacket$'

tell_tag out-of-range
await_line host 30 "^preparing 0/14, attempt 1: $lost"
await_line host 30 "^preparing 2/14, attempt 1: $lost"
tell_tag "battery 57" in-range
await_tag 2
await_line host 30 '^battery 57%$'
await_line host 30 '^the tag before is of no use: JACQUARD_ERROR_STALE_TAG: '
await_lines host 30 2 '^gear Trucker Jacket$' >/dev/null
tell_tag "battery 56 charging" "gesture 13"
await_line host 30 '^battery 56%, charging$'
await_line host 30 '^gesture 13$'

radio tag 1 lose
await_tag 3
tell_tag "battery 55"
await_line host 30 '^battery 55%, charging$'
expect_equal "the number of losses" 2 "$(grep -c "^preparing 0/14, attempt 1: $lost" "$scratch/host")"

expect_exit host 0 TERM
stop_tag
