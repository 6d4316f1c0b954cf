# bluetoothd is killed ten times, during a set-up or during a stream of numbered touch samples: the stream resumes
# each time automatically, without duplicated samples and without unreported losses.
# SEED repeats a run. Takes up to 500 s.
. "$(dirname "$0")/lib.sh"
[ "$bluez" != 55 ] || skip "BlueZ 5.55 dies of values that another BlueZ sends in one notification; tags never do that"
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
