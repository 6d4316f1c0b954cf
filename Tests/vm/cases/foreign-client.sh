# Another program that does not use this library subscribes to the tag's notifications. BlueZ then signals a value once
# for each of the two. A subscriber from before the link has no effect. If one subscribes later, the log reports it, and
# after at most four values, which may be duplicated, each value is delivered once. The same applies when it ends.
# Peer: bumble
# Takes up to 150 s. Core.
. "$(dirname "$0")/lib.sh"
hearings=0
notification=d2f2b8d1-d165-445c-b0e1-2d6b642ec57b

gestures() {
  local number
  for number in {1..12}; do printf 'gesture %d\n' "$number" "$number"; done
}

# Equal consecutive values, each of which the host receives once.
hear() { # WHEN
  local from last line
  from=$(($(wc -l <"$scratch/host") + 1))
  # Sent one at a time, because BlueZ signals values that arrive together as one run, in which equal values look like
  # copies.
  while read -r line; do tell_tag "$line"; done < <(gestures)
  last=$((100 + (hearings += 1)))
  tell_tag "gesture $last"
  await_line host 30 "^gesture $last\$" >/dev/null
  # Duplicates arrive soon.
  sleep 1
  diff <(gestures; echo "gesture $last") <(tail -n +$from "$scratch/host" | grep '^gesture') || fail "$1, a value was not received once"
}

connect_host
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear [^n]' >/dev/null
background other "$built/vm/gatt" $tag_address notify $notification ping
await_line other 30 '^StartNotify .* answered' >/dev/null
for number in 40 41 42 43; do tell_tag "gesture $number"; done
await_line host 30 '^gesture 43$' >/dev/null
await_line host 30 '^log: link: another program is subscribed' >/dev/null
hear "beside a program that has joined"
# Data for docs/bluez-observed.md: the serial numbers of the signals and of the replies to the probes.
grep -A 7 -m 1 '^value' "$scratch/other"

kill -USR1 "${pid_of[host]}"
await_line host 30 '^disconnected' >/dev/null
expect_exit host 0 TERM
start_host connect
await_line host 60 '^gear [^n]' >/dev/null
hear "beside a program that was there before"
stop other
tell_tag "gesture 44" "gesture 45"
await_line host 30 '^gesture 45$' >/dev/null
hear "after the end of that program"
expect_exit host 0 TERM
stop_tag
