# Measures: 20,000 touch samples are sent much faster than gear sends them, and faster than this machine delivers them. The link
# and bluetoothd's state stay, and the next value arrives as soon as what is left has been delivered.
# Peer: bumble
# Takes up to 400 s.
. "$(dirname "$0")/lib.sh"

touches() { grep -c '^touch ' "$scratch/host"; }

start_host stream
start_tag
await_tag 1
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear '
sleep 3
tell_tag "touch sweep"
await_line host 30 '^touch '
for milliseconds in 4 1; do
  before=$(touches)
  tell_tag "every ${milliseconds}ms touch sweep for $((10 * milliseconds))s"
  sleep $((10 * milliseconds + 1))
  sent=$SECONDS level=$((40 + milliseconds))
  tell_tag "battery $level"
  await_line host 120 "^battery $level%\$"
  echo "every $milliseconds ms: $(($(touches) - before)) touches, the next value after $((SECONDS - sent)) s"
done
! grep -E '^adapter resetting|, attempt 2' "$scratch/host" || fail "the link or bluetoothd did not stay"
expect_exit host 0 TERM
stop_tag
