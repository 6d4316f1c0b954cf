# Tags are bound and unbound, and bonds are refused or lost.
. "$(dirname "$0")/lib.sh"
use_bindings

# A tag is bound with its code, connected without one, also by another process and after a restart of bluetoothd, and
# unbound, which removes it from BlueZ.
# Peer: bumble
# Takes up to 200 s. Core.
function bound-tag {
  without_code='preparing
connecting
initializing
configuring
connected
battery 80%'

  begin_bind_and_tag bind 0000AAAAA001ZK
  finish_bind <<'END'
preparing
connecting
authenticating
connecting
initializing
configuring
connected
battery 80%
END
  expect_equal "what BlueZ has" bonded "$(bluez_has)"
  bind known <<'END'
0000AAAAA001ZK of me, {'colour': 'blue'}
END

  bind connect <<<"$without_code"
  "$here/services" restart bluetoothd
  bind connect <<<"$without_code"

  bind unbind <<<"unbound"
  expect_equal "what BlueZ has" "" "$(bluez_has)"
  bind known <<<"none"
  stop_tag
}

# With a wrong code, or a tag that refuses to pair, binding fails and leaves nothing here or in BlueZ.
# Takes up to 150 s.
function binding-goes-wrong {
  begin_bind_and_tag bind 1111AAAAA001ZK
  finish_bind <<'END'
preparing
connecting
authenticating
connecting
initializing
configuring
disconnected: WRONG_CODE
END
  expect_equal "what BlueZ has" "" "$(bluez_has)"
  bind known <<<"none"
  stop_tag

  "$here/services" reset
  echo "bond refused" >"$scratch/scenario"
  begin_bind_and_tag bind 01ZK --scenario "$scratch/scenario"
  finish_bind <<'END'
preparing
connecting
authenticating
disconnected: PAIRING_REFUSED
END
  [ "$(bluez_has)" != bonded ] || fail "there is a bond"
  bind known <<<"none"
  stop_tag
}

# bluetoothd calls the library's agent for a device other than the one that is being paired: here the host itself, as
# seen by the tag's adapter, because this tag has no agent. The agent rejects the request.
function strangers-are-not-paired {
  begin_bind bind bind 01ZK
  await_discovery
  start_tag
  finish_bind <<'END'
preparing
connecting
authenticating
disconnected: PAIRING_REFUSED
END
  stop_tag
}

# A tag that accepts commands only on encrypted links is bound, and used again, also after a restart of bluetoothd.
# Peer: bumble
function tag-demands-a-bond {
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
}

# A tag that requires a bond, without a pairing agent of any program: the connection reports that the tag must be bound.
# Peer: bumble
function unbound-tag-demands-a-bond {
  echo "bond required" >"$scratch/scenario"
  start_host connect
  start_tag --scenario "$scratch/scenario"
  await_line host 30 '^preparing 2/14' >/dev/null
  await_line host 40 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_NOT_BOUND: '
  expect_exit host 0
  stop_tag

  # Bound here, and then removed from BlueZ by another program.
  "$here/services" reset
  bind_tag 01ZK --scenario "$scratch/scenario"
  bluetoothctl remove "$tag_address" >/dev/null
  start_host connect
  await_line host 15 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_NOT_BOUND: '
  expect_exit host 0
  stop_tag
}

# The tag has lost its bond: the connection reports it within 15 s, at any connection interval. It ends only if BlueZ
# says so; otherwise it keeps trying. Without unbinding, the tag is bound again. LOSSES sets the number of connections
# at each interval.
# Peer: bumble
# Takes up to 240 s and 200 s for each loss. Core.
function bond-lost {
  [ "$bluez" -gt 55 ] || skip "BlueZ 5.55 replies that the link ended early, whatever ended it"
  bind_tag 01ZK

  tell_tag "bond forget"
  for interval in 0 7.5 30 50; do
    radio interval $interval
    for ((loss = 0; loss < ${LOSSES:-1}; loss++)); do
      start_host connect
      await_line host 30 '^preparing 2/14' >/dev/null
      if [ "$bluez" -ge 83 ]; then
        await_line host 30 '^disconnected 0/14, attempt 1: JACQUARD_ERROR_BOND_LOST: '
        expect_exit host 0
      else
        await_line host 15 '^preparing 0/14, attempt [0-9]+: JACQUARD_ERROR_BOND_LOST: '
        expect_exit host 0 TERM
        ! grep '^disconnected .*BOND_LOST' "$scratch/host" || fail "it ended although the bond was only suspected"
      fi
    done
  done

  radio interval 30
  begin_bind again bind 01ZK
  await_line again 60 '^battery 80%$'
  expect_exit again 0
  expect_equal "what BlueZ has" bonded "$(bluez_has)"
  stop_tag
}

# The tag has lost its bond, and one of the attempts gets no reply and ends after 20 s: it is still suspected.
# Peer: bumble
# Takes up to 150 s.
function bond-lost-with-a-hang {
  [ "$bluez" -lt 83 ] || skip "this BlueZ gives the reason at the first attempt"

  bind_tag 01ZK

  tell_tag "bond forget"
  radio hang 3
  start_host connect
  await_line host 30 '^preparing 2/14, attempt 1' >/dev/null
  began=$SECONDS
  await_line host 60 '^preparing 0/14, attempt [0-9]+: JACQUARD_ERROR_BOND_LOST: '
  [ $((SECONDS - began)) -le 45 ] || fail "it took $((SECONDS - began)) s"
  [ "$(grep -c 'was not reached within 20 s' "$scratch/host")" -gt 0 ] || fail "no attempt hung"
  expect_exit host 0 TERM
  stop_tag
}

# A tag with a resolvable private address, another one for each link: bound, and connected after RETURNS losses of the
# link, and after a restart of the program, of the service and of bluetoothd, as the same tag with one record.
# Peer: bumble
# Takes up to 300 s and 20 s for each return.
function private-address {
  identity="$tag_identifier $tag_address"

  bind_tag 01ZK --private
  bind identities <<<"$identity"

  start_host connect
  await_tag 1
  tag=1
  for ((time = 0; time < ${RETURNS:-4}; time++)); do
    before=$(radio tag 1 address)
    [ "$before" != $tag_address ] || fail "the tag has no private address"
    radio tag 1 lose
    await_tag $((tag += 1))
    [ "$(radio tag 1 address)" != "$before" ] || fail "the tag kept its private address"
  done
  "$here/services" restart bluetoothd
  await_tag $((tag += 1))
  ! grep -E 'BOND_LOST|NOT_BOUND|^disconnected' "$scratch/host" || fail "the bond was doubted"
  expect_exit host 0 TERM

  for program in first second; do
    start_service
    begin_bind $program connect
    await_line $program 60 '^battery 80%$'
    expect_exit $program 0
    stop service
  done
  bind identities <<<"$identity"
  expect_equal "the devices that BlueZ has" "Device $tag_address" "$(bluetoothctl devices | cut -d ' ' -f 1-2)"
  expect_equal "what BlueZ has" bonded "$(bluez_has)"
  stop_tag
}

# The disk is full, then read-only: binding fails and removes the bond, but a known tag is still connected.
function known-tags-on-a-bad-disk {
  mkdir -p "$XDG_STATE_HOME"
  mount -t tmpfs -o size=8k,nr_inodes=8 tmpfs "$XDG_STATE_HOME" || fail "no tmpfs"
  trap 'stop_all; umount "$XDG_STATE_HOME"; rm -rf "$scratch"' EXIT
  dd if=/dev/zero of="$XDG_STATE_HOME/filler" bs=1k count=8 2>/dev/null

  begin_bind_and_tag bind 01ZK
  await_line bind 60 '^disconnected: STATE_FILE$'
  expect_exit bind 0
  expect_equal "what BlueZ has" "" "$(bluez_has)"
  tell_tag "bond forget"

  rm "$XDG_STATE_HOME/filler"
  begin_bind bind bind 01ZK
  await_line bind 60 '^battery 80%$'
  expect_exit bind 0
  cp "$XDG_STATE_HOME/jacquard/state.json" "$scratch/before"

  mount -o remount,ro "$XDG_STATE_HOME"
  begin_bind bind connect
  await_line bind 60 '^battery 80%$'
  expect_exit bind 0
  bind unbind <<<"error STATE_FILE"
  cmp "$scratch/before" "$XDG_STATE_HOME/jacquard/state.json" || fail "the file has changed"
  stop_tag
}
