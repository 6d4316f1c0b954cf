# Firmware updates.
. "$(dirname "$0")/lib.sh"

has_stored() { # BYTES
  local now
  now=$(stored) && [ "${now:-0}" -ge "$1" ] && return
  kill -0 "${pid_of[update]}" 2>/dev/null || fail "the update ended with ${now:-0} bytes stored"
  false
}

# A firmware update is interrupted at a random block: the link is lost, bluetoothd is killed, the bus is killed, the tag
# restarts, or the program is killed and started again. In the end the tag has the identical image. It has stored each
# block once, and refuses blocks that it has already stored. INTERRUPTIONS sets the number of updates with one
# interruption each, SEED repeats a run. Before that, the throughput is compared with the one that the round-trip time
# of a block allows.
# Peer: bumble
# Takes up to 300 s, and 45 s for each interruption.
function firmware-updates {
  interruptions=${INTERRUPTIONS:-4}
  seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
  echo "SEED=$seed"
  RANDOM=$seed
  image=$scratch/image
  blocks=40

  new_image() { # BLOCKS
    head -c $(($1 * 128 - 17)) /dev/urandom >"$image"
  }

  start_update() { # VERSION
    background update "$built/vm/firmware" $central_address update "$image" "$1"
  }

  stored() { sed -n 's/^stored \([0-9]*\) of .*/\1/p' "$scratch/update" | tail -n 1; }

  await_stored() { # BYTES
    period=0.01 await 90 "an update with $1 bytes stored" has_stored "$1"
  }

  count_of() { # blocks|executions
    tell_tag stats
    sed -n "s/.* $1=\([0-9]*\).*/\1/p" "$scratch/answers"
  }

  interrupt() { # KIND VERSION
    case $1 in
      link) radio tag 1 lose 0x08 ;;
      tag) tell_tag reboot ;;
      bluetoothd)
        "$here/services" kill bluetoothd
        "$here/services" start bluetoothd
        ;;
      bus)
        "$here/services" kill dbus
        "$here/services" stop bluetoothd
        "$here/services" start dbus
        "$here/services" start bluetoothd
        ;;
      program)
        kill -KILL "${pid_of[update]}"
        wait "${pid_of[update]}" 2>/dev/null
        start_update "$2"
        ;;
    esac
  }

  start_tag

  # Another attempt if the emulated machine was interrupted during one.
  share=0
  for attempt in 1 2 3 4 5; do
    new_image 100
    background blocks "$built/vm/firmware" $central_address blocks "$image"
    expect_exit blocks 0
    cat "$scratch/blocks"
    limit=$(sed -n 's/^round trip .* allows \(.*\) kB.*/\1/p' "$scratch/blocks")
    new_image 100
    version=1.$((100 + attempt)).0
    tell_tag "next-firmware $version"
    background update "$built/vm/firmware" $central_address update "$image" $version --overwrite
    expect_exit update 0
    rate=$(sed -n 's/^transferred at \(.*\) kB.*/\1/p' "$scratch/update")
    share=$(awk "BEGIN { printf \"%d\", 100 * $rate / $limit }")
    echo "$rate kB/s, $share % of $limit kB/s"
    [ "$share" -lt 90 ] || break
  done
  [ "$share" -ge 90 ] || fail "the throughput is $share % of what the round-trip time allows, expected 90 %"

  tell_tag "write-time 30ms"
  kinds=(link bus program bluetoothd tag)
  for ((round = 0; round < interruptions; round++)); do
    new_image $blocks
    version=2.$round.0
    tell_tag "next-firmware $version"
    stored_before=$(count_of blocks) executions=$(count_of executions)
    kind=${kinds[round < 5 ? round : RANDOM % 5]}
    start_update $version
    await_stored $((128 * (RANDOM % blocks)))
    begun=$SECONDS at=$(stored)
    interrupt "$kind" $version
    if [ "$kind" = tag ]; then
      tail --pid="${pid_of[update]}" -s 0.05 -f /dev/null
      # The tag was already installing the image: the old version runs, and the whole image is stored.
      if grep -q '^JACQUARD_ERROR_NOT_INSTALLED' "$scratch/update"; then
        wait "${pid_of[update]}"
        start_update $version
        executions=$((executions + 1))
      fi
    fi
    expect_exit update 0
    # Already installed if the program was killed when the whole image was stored.
    grep -q '^outcome [23]$' "$scratch/update" || fail "$version was not installed"
    echo "$version, at ${at:-0}: $kind; $((SECONDS - begun)) s"
    expect_equal "the number of stored blocks" $blocks $(($(count_of blocks) - stored_before))
    expect_equal "the number of execute requests" $((executions + 1)) "$(count_of executions)"
    tell_tag "journal firmware"
    expect_equal "the installed image" "$(od -An -v -tx1 "$image" | tr -d ' \n')" \
      "$(sed 's/^ok //' "$scratch/answers" | tr -d ' ' | tr A-F a-f)"
  done
  # No stop_tag: the tag reports a violation if a program is killed between two fragments, and the next program uses the
  # link.
}

# Tags differ in undocumented details of an update: when they forget the image, how they respond until they restart,
# when they restart, how long they take to respond, whether they end the link (docs/protocol.md), and whether they
# accept the image. The result of each update agrees with the firmware of the tag. UPDATES sets their number, SEED
# repeats a run.
# Peer: bumble
# Takes up to 60 s, and 150 s for each update.
function firmware-of-differing-tags {
  updates=${UPDATES:-2}
  seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
  echo "SEED=$seed"
  RANDOM=$seed
  image=$scratch/image
  removals=(execute restart) flashings=(responds busy) flash_times=(20ms 3s 2s)
  greetings=(subscribed begun configured "subscribed once" "begun once" "configured once")

  installed() {
    radio tag 1 tell "journal firmware" | sed 's/^ok//' | tr -d ' ' | tr A-F a-f
  }

  # Links that end during the transfer: with 1.5 s for each response, the set-up alone takes 15 s.
  differ() { # NUMBER
    local latencies=(0s 30ms 1500ms) link_times=(unlimited 4s) latency
    latency=${latencies[RANDOM % 3]}
    [ "$latency" != 1500ms ] || link_times=(unlimited 45s)
    verification=accepted
    [ $(($1 % 8)) != 7 ] || verification=refused
    [[ $(($1 % 16)) != 1[12] ]] || verification=reverted
    printf '%s\n' "image-removal ${removals[$1 % 2]}" "flashing ${flashings[$1 / 2 % 2]}" \
      "flash-time ${flash_times[$1 / 4 % 3]}" "latency $latency" "link-time ${link_times[RANDOM % 2]}" \
      "greeting ${greetings[RANDOM % 6]}" "write-time 200ms"
    [ $((RANDOM % 2)) = 0 ] || echo "second-hello refused"
    echo "verification $verification"
  }

  for ((update = 0; update < updates; update++)); do
    version=2.$update.0
    head -c 2900 /dev/urandom >"$image"
    differ $update >"$scratch/scenario"
    echo "next-firmware $version" >>"$scratch/scenario"
    background update "$built/vm/firmware" $central_address update "$image" $version
    start_tag --scenario "$scratch/scenario"
    begun=$SECONDS
    tail --pid="${pid_of[update]}" -s 0.05 -f /dev/null
    wait "${pid_of[update]}"
    status=$?
    unset "pid_of[update]"
    links=$(grep -c '^connected$' "$scratch/update")
    result=$(grep -oE '^(outcome [0-9]|JACQUARD_ERROR_[A-Z_]+)' "$scratch/update" | tail -n 1)
    echo "$(paste -sd, "$scratch/scenario"): $result, $links links, $((SECONDS - begun)) s"
    if [ "$verification" = accepted ]; then
      expect_equal "the status of the update" 0 $status
      grep -q '^outcome 2$' "$scratch/update" || fail "it was not installed"
      expect_equal "the installed image" "$(od -An -v -tx1 "$image" | tr -d ' \n')" "$(installed)"
    else
      expect_equal "the status of the update" 1 $status
      grep -q -E '^JACQUARD_ERROR_(NOT_INSTALLED|TAG_STATUS): ' "$scratch/update" || fail "the failure was not reported"
      expect_equal "the installed image" "" "$(installed)"
    fi
    stop_tag
    await_unconnected
  done
}
