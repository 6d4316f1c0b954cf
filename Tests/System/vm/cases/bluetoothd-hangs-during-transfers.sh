# bluetoothd hangs (SIGSTOP) during a download, a firmware update and a motion stream, of three tags: the state reports it,
# and all three continue on their links. The stream reports what it has lost. HANG sets the seconds.
# Peer: bumble
# Takes up to 400 s.
. "$(dirname "$0")/lib.sh"
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
deadline=$((SECONDS + 60))
until [ -s "$file" ]; do
  [ $SECONDS -lt $deadline ] || fail "nothing is downloaded"
  sleep 0.1
done
sleep 3

stopped=$SECONDS
kill -STOP "$daemon"
for name in "${programs[@]}"; do await_line "$name" 40 '^adapter resetting$' >/dev/null; done
echo "resetting after $((SECONDS - stopped)) s"
for name in "${programs[@]}"; do
  kill -0 "${pid_of[$name]}" 2>/dev/null || fail "$name has ended"
done
cp "$file" "$scratch/before"
sleep $((hang - (SECONDS - stopped)))
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
grep ' samples, ' "$scratch/stream" | sed 's/[,;]//g' | awk '
  { print "stream: " $0 }
  END { exit $1 + $3 != $6 || $3 == 0 }' || fail "what is missing was not reported"
expect_exit whole 0
cmp "$file" "$scratch/whole.bin" || fail "the download differs"
# The first tag had no acknowledgement for all that time.
for number in 2 3; do
  ended=$(radio tag $number end)
  expect_equal "the status of tag $number" 0 "$ended"
done
