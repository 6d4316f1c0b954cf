# A tag that accepts commands only on encrypted links is bound, and used again, also after a restart of bluetoothd.
# Peer: bumble
. "$(dirname "$0")/../bindings.sh"

echo "bond required" >"$scratch/scenario"
begin_bind_and_tag bind 01ZK --scenario "$scratch/scenario"
await_line bind 60 '^authenticating$'
await_line bind 60 '^battery 80%$'
expect_exit bind 0
for time in first second; do
  begin_bind $time connect
  await_line $time 60 '^battery 80%$'
  expect_exit $time 0
  "$here/services" restart bluetoothd
done
stop_tag
