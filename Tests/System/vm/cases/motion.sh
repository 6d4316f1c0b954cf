# Recordings are downloaded, and motion is streamed.
. "$(dirname "$0")/lib.sh"

# Measures: a recording is downloaded at 90 % or more of the rate of a program that uses only libdbus, checks nothing
# and ignores replies. Each downloads it four times; the highest rates count, because they were disturbed least.
# Peer: bumble
# Takes up to 300 s.
function motion-download-rate {
  times=2

  best_rate() { # NAME
    sed -n 's/^downloaded .* \([0-9.]*\) kB\/s$/\1/p' "$scratch/$1"[12] | sort -n | tail -n 1
  }

  echo "session 1627344030 samples 1500" >"$scratch/scenario"
  for round in 1 2; do
    background library$round timeout 120 "$built/vm/motion" $central_address download "$scratch/library.bin" $times
    [ $round = 2 ] || { await_discovery; start_tag --scenario "$scratch/scenario"; }
    expect_exit library$round 0
    await_unconnected
    size=$(stat -c %s "$scratch/library.bin")
    background bare$round timeout 120 "$built/vm/bare" $tag_address "$size" "$scratch/bare.bin" $times
    expect_exit bare$round 0
    await_unconnected
  done
  cmp "$scratch/library.bin" "$scratch/bare.bin" || fail "the files differ"
  library=$(best_rate library) bare=$(best_rate bare)
  echo "$library kB/s, and $bare kB/s with libdbus alone"
  awk "BEGIN { exit !($library >= 0.9 * $bare) }" || fail "$library kB/s is less than 90 % of $bare kB/s"
  stop_tag
}

has_received() { # BYTES
  [ "$(received)" -ge "$1" ] && return
  kill -0 "${pid_of[download]}" 2>/dev/null || fail "the download ended"
  false
}

# A download is interrupted at random: the link is lost, bluetoothd is killed, the bus is killed, or the program is
# killed and the next one continues its file. The file is complete and right in the end. INTERRUPTIONS sets their
# number, SEED repeats a run. Takes up to 300 s, and 30 s for each interruption.
# Peer: bumble
function motion-download-interrupted {
  interruptions=${INTERRUPTIONS:-4}
  seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
  echo "SEED=$seed"
  RANDOM=$seed
  file=$scratch/session.bin
  samples=$((2000 + 1500 * interruptions))

  start_download() {
    background download "$built/vm/motion" $central_address download "$file"
  }

  received() { stat -c %s "$file" 2>/dev/null || echo 0; }

  await_bytes() { # COUNT, of further ones
    period=0.02 await 120 "a download of $1 further bytes" has_received $(($(received) + $1))
  }

  interrupt() { # KIND
    case $1 in
      link) radio tag 1 lose 0x08 ;;
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
        kill -KILL "${pid_of[download]}"
        wait "${pid_of[download]}" 2>/dev/null
        start_download
        ;;
    esac
  }

  kinds=(link bluetoothd bus program)
  begun=$SECONDS
  echo "session 1627344030 samples $samples" >"$scratch/scenario"
  start_download
  start_tag --scenario "$scratch/scenario"
  for ((round = 0; round < interruptions; round++)); do
    await_bytes $((1 + RANDOM % 4000))
    kind=${kinds[round < 4 ? round : RANDOM % 4]}
    echo "at $(received): $kind ($((SECONDS - begun)) s)"
    interrupt "$kind"
  done
  expect_exit download 0
  grep -q '^downloaded ' "$scratch/download" || fail "the download was not completed"
  # The same recording without interruptions.
  background whole "$built/vm/motion" $central_address download "$scratch/whole.bin"
  expect_exit whole 0
  expect_equal "the SHA-256" "$(sha256sum <"$scratch/whole.bin")" "$(sha256sum <"$file")"
  sha256sum <"$file"
}

has_stops() { # COUNT, in total
  tell_tag "journal requests"
  count=$(grep -o recording-stop "$scratch/answers" | wc -l)
  [ "$count" -ge "$1" ]
}

# Motion is streamed at 100 and 200 Hz by C, Python and the command-line tool: every sample arrives, in order, and the
# end of each program stops the stream on the tag.
# Peer: bumble
# Takes up to 400 s.
function motion-streams {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1
  PYTHONPATH=$here/../../../bindings/python/src:$(echo "$here"/../../../apps/*/src | tr ' ' :)
  export PYTHONPATH
  export XDG_STATE_HOME=$scratch
  seconds=3 stops=0 shell_seconds=8

  expect_all() { # NAME, of programs/motion or programs/motion.py
    local samples missing of
    while read -r samples _ missing _ _ _ _ of _; do
      [ $((samples + missing)) = "$of" ] || fail "$1: $samples samples and $missing missing, but the tag took $of"
      echo "$1: $samples of $of samples"
      expect_equal "the number of missing samples" 0 "$missing"
    done < <(grep ' samples, ' "$scratch/$1" | sed 's/[,;()]//g')
  }

  # Each program stops each of its streams on the tag, perhaps twice. It may have ended before bluetoothd has written
  # that.
  expect_stops() { # COUNT, since the last time
    local count
    await 15 "$1 stops" has_stops $((stops + $1))
    stops=$count
  }

  start_tag
  for rate in 100 200; do
    background c "$built/vm/motion" $central_address stream $rate $((seconds * rate))
    expect_exit c 0
    expect_all c
    expect_stops 1
  done

  background python /usr/bin/python3 "$here/programs/motion.py" $central_address $((seconds * 100)) 100 200
  expect_exit python 0
  expect_all python
  expect_stops 2

  for rate in 100 200; do
    background shell /usr/bin/python3 -S -m jacquardctl motion stream 01ZK --adapter $central_address \
      --rate $rate --for $shell_seconds --json
    expect_exit shell 0
    # The time includes setting up the stream.
    sed -n 's/.*"type": "sample".*"ticks": \([0-9]*\).*/\1/p' "$scratch/shell" |
      awk -v rate=$rate -v wanted=$rate '
        NR == 1 { first = $1 }
        { last = $1 }
        END {
          of = int((last - first) * rate / 31250 + 1.5)
          print "shell: " NR " of " of " samples"
          exit NR != of || NR < wanted
        }' || fail "samples are missing"
    ! grep '"type": "gap"' "$scratch/shell" || fail "there are gaps"
    expect_stops 1
  done
  stop_tag
}
