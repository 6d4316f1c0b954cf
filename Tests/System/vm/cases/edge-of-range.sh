# A bonded tag is at the edge of range during ten attempts: most of its packets are lost, so that links are not established
# (0x3e), are lost early (0x08), or are slow. The connection continues, and is established when the tag is closer.
# Peer: bumble
# Takes up to 300 s.
. "$(dirname "$0")/../bindings.sh"

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

start_host connect
await_tag 1
radio interval 30 70
radio tag 1 lose
attempts=$(($(radio attempts) + 10))
until [ "$(radio attempts)" -ge $attempts ]; do
  [ $SECONDS -lt 240 ] || fail "there were only $(radio attempts) attempts"
  # A link that lasts nevertheless.
  if grep -q '^connected .*, tag [2-9]' "$scratch/host"; then radio tag 1 lose; fi
  sleep 1
done
radio interval 30
# A link of before would still lose packets.
radio tag 1 lose
tell_tag "battery 41"
await_line host 120 '^battery 41%$'
! grep -E 'BOND_LOST|^disconnected' "$scratch/host" || fail "the bond was doubted"
expect_exit host 0 TERM
stop_tag
