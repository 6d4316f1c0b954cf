# Three programs in C and Python share a tag: each receives every state and value once, and sends commands. When the
# first one ends, another one continues with the same link, which ends with the last program. Core.
# Peer: bumble
# Takes up to 240 s.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../bindings/python/src

links() {
  tell_tag stats
  sed -n 's/.* links=\([0-9]*\).*/\1/p' "$scratch/answers"
}

# Sends the gestures after the last ones, and checks that each program has received all of them once.
sent=0
expect_gestures() { # LAST PROGRAM...
  local last=$1 program number
  shift
  for ((number = sent + 1; number <= last; number++)); do echo "gesture $number"; done | tell_tag
  sent=$last
  for program; do
    await_line "$program" 30 "^gesture $last\$" >/dev/null
    diff <(seq -f 'gesture %g' "$last") <(grep '^gesture' "$scratch/$program") || fail "$program did not receive what the tag sent"
  done
}

expect_more_answers() { # PROGRAM
  await_lines "$1" 30 $(($(grep -c '^answered 80%' "$scratch/$1") + 2)) '^answered 80%' >/dev/null
}

start_host ask
start_tag
await_tag 1
through=", through process ${pid_of[host]}\$"
background second "$built/vm/host" --adapter $central_address ask
await_line second 60 "^connected 14/14, attempt 1, tag 1$through"
background third /usr/bin/python3 "$here/programs/guest.py" $central_address
await_line third 90 "^connected$through"
await_line third 30 '^answered 80%' >/dev/null

tell_tag "gear attach levis-trucker"
for program in host second; do await_line $program 30 '^gear [^n]' >/dev/null; done
expect_gestures 20 host second third
expect_more_answers host
expect_more_answers second

expect_exit host 0 TERM
await_line second 30 '^connected 14/14, attempt [0-9]+, tag 2' >/dev/null
await_lines third 30 2 '^connected' >/dev/null
expect_equal "the number of links" 1 "$(links)"
expect_gestures 40 second third
expect_more_answers second
await_lines third 30 2 '^answered 80%' >/dev/null

expect_exit second 0 TERM
await_line third 30 '^connected$' >/dev/null
expect_gestures 98 third
expect_equal "the number of links" 1 "$(links)"
tell_tag "gesture 99"
expect_exit third 0
await_unconnected
stop_tag
