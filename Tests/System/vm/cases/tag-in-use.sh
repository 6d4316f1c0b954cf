# Without a service one program has the link: all others, and programs of other users, get IN_USE, which names it and says how
# to share. If it is killed, the next program drops the link that BlueZ kept, and establishes its own.
# Peer: bumble
# Takes up to 150 s.
. "$(dirname "$0")/lib.sh"

# A tag that does not advertise is found by its link.
refused() { # NAME PROCESS
  await_line "$1" 60 "^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_IN_USE: Another program is using this tag: host, process $2\\. "
  expect_exit "$1" 0
}

connect_host
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear [^n]'
first=${pid_of[host]}
background second "$built/vm/host" --adapter $central_address connect
background apart "$built/vm/host" --adapter $central_address --exclusive connect
background_as_other stranger daemon --adapter $central_address connect
for program in second apart stranger; do refused $program "$first"; done
tell_tag "battery 41"
await_line host 30 '^battery 41%$'
! grep 'tag 2$' "$scratch/host" || fail "the host has lost its link"

for round in 2 3 4; do
  expect_exit host 137 KILL
  start_host connect
  await_tag 1
  await_line host 30 '^gear [^n]'
  tell_tag stats
  expect_equal "the number of links" $round "$(sed -n 's/.* links=\([0-9]*\).*/\1/p' "$scratch/answers")"
  tell_tag "journal requests"
  expect_equal "the number of begin requests" $round "$(grep -o begin "$scratch/answers" | wc -l)"
done
expect_exit host 0 TERM
stop_tag
