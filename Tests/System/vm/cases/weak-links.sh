# Bonds stay while links to their tags end early or are not established.
. "$(dirname "$0")/lib.sh"
use_bindings

# Links to a bonded tag end 1 to 50 ms after they were encrypted, five in a row, EARLY_ENDS times each: the connection
# never ends, a link is established at most 20 s after the last of them, and both ends keep the bond.
# Peer: bumble
# Takes up to 60 s and 200 s for each early end.
function links-end-early {
  bind_tag 01ZK

  start_host connect
  await_tag 1
  tag=1
  for delay in 1 5 7 10 15 20 30 50; do
    for ((time = 0; time < ${EARLY_ENDS:-1}; time++)); do
      radio tag 1 brief 5 $delay
      radio tag 1 lose
      # The pauses between six attempts take 8 s.
      await_line host 40 "^connected 14/14, attempt [0-9]+, tag $((tag += 1))\$"
    done
  done
  ! grep '^disconnected' "$scratch/host" || fail "the connection ended"
  echo "links whose bond was doubted: $(grep -c '^preparing 0/14.*BOND_LOST' "$scratch/host")"
  expect_exit host 0 TERM
  expect_equal "what BlueZ has" bonded "$(bluez_has)"
  stop_tag
}

# A bonded tag is at the edge of range, and FAILURES links in a row to it cannot be established (0x3e): controllers
# report a link, and its end after six connection intervals. The tag is connected as soon as a link is established, and
# its bond is not considered lost, at any interval. The pauses between attempts are up to 15 s.
# Peer: bumble
# Takes up to 600 s and 80 s for each failure.
function bond-survives-failures {
  failures=${FAILURES:-4}

  bind_tag 01ZK

  start_host connect
  await_tag 1
  tag=1
  for interval in 0 7.5 30 50; do
    radio interval $interval
    attempts=$(radio attempts)
    radio fail "$failures" late
    radio tag 1 lose
    await_line host $((failures * 18 + 60)) "^connected 14/14, attempt [0-9]+, tag $((tag += 1))\$"
    [ "$(radio attempts)" -gt $((attempts + failures)) ] || fail "there were fewer attempts"
  done
  ! grep BOND_LOST "$scratch/host" || fail "the bond was doubted"
  expect_exit host 0 TERM
  expect_equal "what BlueZ has" bonded "$(bluez_has)"
  stop_tag
}

has_attempts() { # COUNT
  [ "$(radio attempts)" -ge "$1" ] && return
  # Ends a link that lasts nevertheless.
  if grep -q '^connected .*, tag [2-9]' "$scratch/host"; then radio tag 1 lose; fi
  false
}

# A bonded tag is at the edge of range during ten attempts: most of its packets are lost, so that links are not
# established (0x3e), are lost early (0x08), or are slow. The connection continues, and is established when the tag is
# closer.
# Peer: bumble
# Takes up to 300 s.
function edge-of-range {
  bind_tag 01ZK

  start_host connect
  await_tag 1
  radio interval 30 70
  radio tag 1 lose
  attempts=$(($(radio attempts) + 10))
  period=1 await $((240 - SECONDS)) "$attempts attempts" has_attempts $attempts
  radio interval 30
  # The previous link would still lose packets.
  radio tag 1 lose
  tell_tag "battery 41"
  await_line host 120 '^battery 41%$'
  ! grep -E 'BOND_LOST|^disconnected' "$scratch/host" || fail "the bond was doubted"
  expect_exit host 0 TERM
  stop_tag
}
