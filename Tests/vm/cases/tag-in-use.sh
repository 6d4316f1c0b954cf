# Two programs use the same tag together. A program that does not share it and a program of another user get IN_USE; so do
# all others while a program that does not share it has it. They connect as soon as that one has ended.
# Peer: bumble
# Takes up to 150 s.
. "$(dirname "$0")/lib.sh"

# A tag that does not advertise is found by its link.
refused() { # NAME PROCESS
  await_line "$1" 60 "^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_IN_USE: Another program is using this tag: host, process $2\\. "
  expect_exit "$1" 0
}

connect_host
first=${pid_of[host]}
background second "$built/vm/host" --adapter $central_address connect
await_line second 60 "^connected 14/14, attempt 1, tag 1, through process $first\$"
background apart "$built/vm/host" --adapter $central_address --exclusive connect
refused apart "$first"
background_as_other stranger daemon --adapter $central_address connect
refused stranger "$first"
tell_tag "battery 41"
for program in host second; do await_line $program 30 '^battery 41%$'; done
for program in host second; do ! grep 'tag 2$' "$scratch/$program" || fail "$program has lost its link"; done
expect_exit second 0 TERM
expect_exit host 0 TERM

background apart "$built/vm/host" --adapter $central_address --exclusive connect
await_line apart 60 '^connected' >/dev/null
start_host connect
refused host "${pid_of[apart]}"
expect_exit apart 137 KILL
start_host connect
await_tag 1
expect_exit host 0 TERM
stop_tag
