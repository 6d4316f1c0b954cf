# BlueZ keeps a link for two seconds after the Disconnect of a program that has ended: the next program waits until that
# link has ended, and its first attempt succeeds.
# Peer: bumble
# Takes up to 150 s.
. "$(dirname "$0")/../bindings.sh"
begin_bind_and_tag bind 0000AAAAA001ZK
await_line bind 60 '^battery' >/dev/null
tail --pid="${pid_of[bind]}" -s 0.05 -f /dev/null

for round in 1 2 3; do
  start_host connect
  await_line host 60 '^connected' >/dev/null
  grep -q 'attempt 2' "$scratch/host" && fail "a second attempt was needed in round $round"
  # Ends like a program that does not wait for its link.
  kill -KILL "${pid_of[host]}"
  dbus-send --system --type=method_call --dest=org.bluez "/org/bluez/$central/dev_${tag_address//:/_}" \
    org.bluez.Device1.Disconnect
done
stop host
stop_tag
