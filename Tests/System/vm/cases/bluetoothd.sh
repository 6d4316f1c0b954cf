# bluetoothd runs, hangs, ends, or is killed.
. "$(dirname "$0")/lib.sh"

expect_one_reset() { # NAME
  expect_equal "adapter states of $1" "unknown, powered on, resetting, powered on" "$(adapter_states "$1")"
}

# bluetoothd ends during a connection and is started again: the connection reconnects.
connection_outlives_bluetoothd() { # stop|kill, expected JACQUARD_ERROR_
  connect_host
  "$here/services" "$1" bluetoothd
  await_line host 30 '^adapter resetting : JACQUARD_ERROR_BLUEZ_UNAVAILABLE: '
  await_line host 30 "^preparing 0/14, attempt 1: JACQUARD_ERROR_$2: "
  "$here/services" start bluetoothd
  await_tag 2
  tell_tag "battery 42"
  await_line host 30 '^battery 42%$'
  expect_one_reset host
  expect_exit host 0 TERM
  stop_tag
}

# bluetoothd ends during a scan and is started again: a tag that comes into range afterwards is found.
scan_outlives_bluetoothd() { # stop|kill
  start_host scan
  await_discovery
  "$here/services" "$1" bluetoothd
  await_line host 30 '^adapter resetting : JACQUARD_ERROR_BLUEZ_UNAVAILABLE: '
  "$here/services" start bluetoothd
  await_lines host 30 2 "^adapter powered on"
  await_discovery
  start_tag
  await_line host 30 '^found 01ZK Jacquard-01ZK$'
  expect_one_reset host
  expect_exit host 0 TERM
  stop_tag
}

# Two powered adapters that support both roles.
function bluetoothd-is-up {
  expect_equal "the central's address" "$central_address" "$(adapter_property $central Address)"
  expect_equal "the peripheral's address" "$peripheral_address" "$(adapter_property $peripheral Address)"
  for adapter in $central $peripheral; do
    expect_equal "Powered of $adapter" "boolean true" "$(adapter_property "$adapter" Powered)"
    expect_equal "Roles of $adapter" "array [ central peripheral ]" "$(adapter_property "$adapter" Roles)"
  done
}

# bluetoothd is restarted during a connection, as by an upgrade: the connection reconnects.
# Peer: bumble
function bluetoothd-restarted-while-connected {
  connection_outlives_bluetoothd stop CONNECTION_LOST
}

# bluetoothd is restarted during a scan: a tag that comes into range afterwards is found. Core.
function bluetoothd-restarted-while-scanning {
  scan_outlives_bluetoothd stop
}

# bluetoothd is killed during a connection and restarted: the connection reconnects without any action of the caller.
# Peer: bumble
# Core.
function bluetoothd-killed-while-connected {
  connection_outlives_bluetoothd kill BLUEZ_UNAVAILABLE
}

# bluetoothd is killed during a scan, and the kernel continues its discovery for a while: the scan continues too.
function bluetoothd-killed-while-scanning {
  scan_outlives_bluetoothd kill
}

# bluetoothd is killed ten times, during a set-up or during a stream of numbered touch samples: the stream resumes
# each time automatically, without duplicated samples and without unreported losses.
# SEED repeats a run. Takes up to 500 s.
function bluetoothd-killed-at-random {
  [ "$bluez" != 55 ] ||
    skip "BlueZ 5.55 dies of values that another BlueZ sends in one notification; tags never do that"
  kills=10
  seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
  echo "SEED=$seed"
  RANDOM=$seed

  # On each link the numbers of the samples must increase.
  judge() {
    awk '
      /^preparing/ { expected = 0 }
      /^touch/ {
        if (expected && $2 != expected) { print "after " last " comes " $2; wrong = 1 }
        if ($2 <= last) { print $2 " comes after " last; wrong = 1 }
        last = $2
        expected = $2 + 1
        count++
      }
      END { print count " samples"; exit wrong || !count }' "$scratch/host"
  }

  cat >"$scratch/scenario" <<'END'
gear attach levis-trucker
after ready every 40ms touch sweep
END
  start_host stream
  start_tag --scenario "$scratch/scenario"
  await_line host 60 '^touch ' >/dev/null

  await_samples() { # COUNT
    await_lines host 120 $(($(grep -c '^touch ' "$scratch/host") + $1)) '^touch ' >/dev/null
  }

  for ((round = 1; round <= kills; round++)); do
    # Alternates between a running stream and a set-up, which takes about a second here.
    if [ $((round % 2)) = 1 ]; then
      await_samples 10
      delay=$((RANDOM % 2000))
    else
      delay=$((RANDOM % 1200))
    fi
    printf -v pause '%d.%03d' $((delay / 1000)) $((delay % 1000))
    sleep "$pause"
    phase=$(grep -E '^(preparing|connecting|initializing|configuring|connected|touch) ' "$scratch/host" | tail -n 1)
    "$here/services" kill bluetoothd
    echo "kill $round after $pause s, at: $phase"
    "$here/services" start bluetoothd
  done

  await_samples 50
  judge || fail "the stream is not what it should be"
  ! grep '^disconnected' "$scratch/host" || fail "the connection has ended"
  expect_exit host 0 TERM
  stop_tag
}

# bluetoothd hangs (SIGSTOP): commands wait, the state reports it; everything continues after SIGCONT.
# Takes up to 200 s.
function bluetoothd-hangs {
  daemon=$(cat /run/vm/bluetoothd.pid)
  trap 'kill -CONT $daemon 2>/dev/null; stop_all; rm -rf "$scratch"' EXIT

  start_host ask
  start_tag
  await_tag 1
  await_line host 30 '^answered 80%$'
  kill -STOP "$daemon"
  await_line host 60 '^adapter resetting : JACQUARD_ERROR_BLUEZ_UNAVAILABLE: .*does not respond'
  answered=$(grep -c '^answered 80%$' "$scratch/host")
  kill -CONT "$daemon"
  await_lines host 60 2 "^adapter powered on $central_address"
  # Commands work again, on this link or on the next: 5.55 has dropped the link, and refuses them until it reports that.
  await_lines host 90 $((answered + 1)) '^answered 80%$' >/dev/null
  ! grep -q '^answered: JACQUARD_ERROR_TIMEOUT: ' "$scratch/host" || fail "a command did not wait for bluetoothd"

  expect_exit host 0 TERM
  stop_tag
}

# bluetoothd hangs (SIGSTOP) during a download, a firmware update and a motion stream, of three tags: the state reports
# it, and all three continue on their links. The stream reports what it has lost. HANG sets the seconds.
# Peer: bumble
# Takes up to 400 s.
function bluetoothd-hangs-during-transfers {
  daemon=$(cat /run/vm/bluetoothd.pid)
  trap 'kill -CONT $daemon 2>/dev/null; stop_all; rm -rf "$scratch"' EXIT
  hang=${HANG:-30} programs=(load update stream) file=$scratch/session.bin

  begin() { # NAME ARGUMENT...; the tag of each program has its name as serial number
    local name=$1
    shift
    TAG=$name background "$name" "$@"
  }

  appear() { # NUMBER LINE...
    local number=$1 line
    shift
    radio tag "$number" new
    for line in "serial ${programs[number - 1]}" "$@"; do radio tag "$number" tell "$line"; done
    radio tag "$number" appear
  }

  head -c 5000 /dev/urandom >"$scratch/image"
  begin load "$built/vm/motion" $central_address download "$file"
  begin update "$built/vm/firmware" $central_address update "$scratch/image" 2.0.0
  begin stream "$built/vm/motion" $central_address stream 50 1200
  appear 1 "session 1627344030 samples 2500" "air-time 100ms"
  appear 2 "next-firmware 2.0.0" "write-time 500ms"
  appear 3
  for name in "${programs[@]}"; do await_line "$name" 60 '^connected$' >/dev/null; done
  await_line update 60 '^stored [1-9]' >/dev/null
  await 60 "a download" test -s "$file"
  sleep 3 # while all three run

  stopped=$SECONDS
  kill -STOP "$daemon"
  for name in "${programs[@]}"; do await_line "$name" 40 '^adapter resetting$' >/dev/null; done
  echo "resetting after $((SECONDS - stopped)) s"
  for name in "${programs[@]}"; do
    kill -0 "${pid_of[$name]}" 2>/dev/null || fail "$name has ended"
  done
  cp "$file" "$scratch/before"
  sleep $((hang - (SECONDS - stopped))) # until it has hung for the given time
  expect_equal "what was downloaded while it was stopped" "" "$(cmp "$scratch/before" "$file")"
  kill -CONT "$daemon"
  radio tag 1 tell "air-time 0s"

  for name in "${programs[@]}"; do
    expect_exit "$name" 0
    # The tag restarts when its firmware is updated.
    links=$(sed '/^phase 3$/q' "$scratch/$name" | grep -c '^connected$')
    expect_equal "the links of $name" 1 "$links"
    expect_equal "adapter states of $name" "unknown, powered on, resetting, powered on" "$(adapter_states "$name")"
  done
  grep '^outcome 2$' "$scratch/update" || fail "the image was not installed"
  expect_equal "the installed image" "$(od -An -v -tx1 "$scratch/image" | tr -d ' \n')" \
    "$(radio tag 2 tell "journal firmware" | sed 's/^ok //' | tr -d ' ' | tr A-F a-f)"
  grep '^downloaded ' "$scratch/load"
  TAG=load background whole "$built/vm/motion" $central_address download "$scratch/whole.bin"
  # "1200 samples, 822 missing (0 uncertain), of 2022; 55.5 a second"
  grep ' samples, ' "$scratch/stream" | sed 's/[,;()]//g' | awk '
    { print "stream: " $0 }
    END { difference = $1 + $3 - $8; exit difference > $5 || -difference > $5 || $3 == 0 }' ||
    fail "what is missing was not reported"
  expect_exit whole 0
  cmp "$file" "$scratch/whole.bin" || fail "the download differs"
  # The first tag had no acknowledgement for all that time.
  for number in 2 3; do
    ended=$(radio tag $number end)
    expect_equal "the status of tag $number" 0 "$ended"
  done
}
