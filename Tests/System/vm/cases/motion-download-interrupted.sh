# A download is interrupted at random: the link is lost, bluetoothd is killed, the bus is killed, or the program, whose
# successor continues its file. The file is complete and right in the end. INTERRUPTIONS sets their number, SEED repeats a
# run. Takes up to 300 s, and 30 s for each interruption.
# Peer: bumble
. "$(dirname "$0")/lib.sh"
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
  local wanted=$(($(received) + $1)) deadline=$((SECONDS + 120))
  until [ "$(received)" -ge "$wanted" ]; do
    [ $SECONDS -lt $deadline ] || fail "no further bytes arrive"
    kill -0 "${pid_of[download]}" 2>/dev/null || fail "the download ended"
    sleep 0.02
  done
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
