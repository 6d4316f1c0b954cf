# A program uses a tag, ends its connection and continues to run: the next program receives every value once, even if
# consecutive values are equal, in the same process and in another one. So does a second manager that shares the tag
# through jacquardd.
# Peer: bumble
# Takes up to 300 s. Core.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src

gestures() {
  local number
  for number in {1..20}; do printf 'gesture %d\n' "$number" "$number"; done
  echo "gesture 99"
}

# Checks that each value that the tag has sent was received once.
expect_gestures() { # NAME
  await_line "$1" 30 '^gesture 99$' >/dev/null
  diff <(gestures) <(grep '^gesture' "$scratch/$1") || fail "$1 did not receive what the tag sent"
  ! grep -E '^log: (wire|command)' "$scratch/$1" || fail "something came twice, or was dropped"
}

connect_host
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear [^n]' >/dev/null
kill -USR1 "${pid_of[host]}"
await_line host 30 '^disconnected' >/dev/null
background second "$built/vm/host" --adapter $central_address connect
await_line second 60 '^gear [^n]' >/dev/null
gestures | tell_tag
expect_gestures second
# In the other direction: the first program connects again, in a separate process.
kill -USR1 "${pid_of[second]}"
await_line second 30 '^disconnected' >/dev/null
background third "$built/vm/host" --adapter $central_address connect
await_line third 60 '^gear [^n]' >/dev/null
gestures | tell_tag
expect_gestures third
for name in third second host; do expect_exit $name 0 TERM; done

for when in after together; do
  [ $when = after ] || start_service
  background program /usr/bin/python3 "$here/programs/managers.py" $central_address $when
  await_line program 90 '^second 80%' >/dev/null
  gestures | tell_tag
  expect_gestures program
  expect_exit program 0
done
stop_tag
