# Motion is streamed at 100 and 200 Hz by C, Python and the command-line tool: every sample arrives, in order, and the end
# of each program stops the stream on the tag.
# Peer: bumble
# Takes up to 400 s.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src:$here/../../../tools/jacquardctl/src
export XDG_STATE_HOME=$scratch
seconds=3 stops=0 shell_seconds=8

expect_all() { # NAME, of programs/motion or programs/motion.py
  local samples missing of
  while IFS=' ,;' read -r samples _ missing _ _ of _; do
    [ $((samples + missing)) = "$of" ] || fail "$1: $samples samples and $missing missing, but the tag took $of"
    echo "$1: $samples of $of samples"
    expect_equal "the number of missing samples" 0 "$missing"
  done < <(grep ' samples, ' "$scratch/$1")
}

# Each program stops each of its streams on the tag, perhaps twice. It may have ended before bluetoothd has written that.
expect_stops() { # COUNT, since the last time
  local deadline=$((SECONDS + 15)) count=0
  until [ "$count" -ge $((stops + $1)) ]; do
    [ $SECONDS -lt $deadline ] || fail "the requests are $(cat "$scratch/answers")"
    sleep 0.2
    tell_tag "journal requests"
    count=$(grep -o recording-stop "$scratch/answers" | wc -l)
  done
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
  background shell /usr/bin/python3 -S -m jacquardctl motion stream 01ZK --adapter $central_address --rate $rate --for $shell_seconds --json
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
