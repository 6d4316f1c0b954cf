# Programs that do not use this library subscribe to the tag's notifications, later or earlier than this one, and
# unsubscribe or leave the bus. BlueZ then signals a value once for each of them. No gesture is lost, and none comes twice
# without being marked as a possible copy. The log reports such programs.
# GESTURES sets the number of gestures.
# Peer: bumble
# Takes up to 200 s and 3 s for each gesture. Core.
. "$(dirname "$0")/lib.sh"
situations=5
pairs=$(((${GESTURES:-20} + 2 * situations - 1) / (2 * situations)))
hearings=0 sent=0 marked=0
notification=d2f2b8d1-d165-445c-b0e1-2d6b642ec57b

gestures() {
  local number
  for ((number = 1; number <= pairs; number++)); do printf 'gesture %d\n' "$((number % 90))" "$((number % 90))"; done
}

subscribe() { # NAME [ping]
  # shellcheck disable=SC2086
  background "$1" "$built/vm/gatt" $tag_address notify $notification ${2:-}
  await_line "$1" 30 '^StartNotify .* answered' >/dev/null
}

# Equal consecutive values, each of which is received once. A marked one may be received as well; it is missed only if a
# value is.
hear() { # WHEN
  local from last line received certain
  from=$(($(wc -l <"$scratch/host") + 1))
  # Sent one at a time, because equal values that arrive together may be marked.
  while read -r line; do tell_tag "$line"; done < <(gestures)
  last=$((100 + (hearings += 1)))
  tell_tag "gesture $last"
  await_line host 30 "^gesture $last\$" >/dev/null
  # Duplicates arrive soon.
  sleep 1
  received=$(tail -n +$from "$scratch/host" | grep '^gesture')
  certain=$(grep -v copy <<<"$received")
  sent=$((sent + 2 * pairs + 1))
  marked=$((marked + $(grep -c copy <<<"$received")))
  echo "$1: $((2 * pairs + 1)) sent, $(wc -l <<<"$certain") certain, $(grep -c copy <<<"$received") marked"
  diff <(gestures; echo "gesture $last") <(echo "$certain") || fail "$1, a value was not received once"
}

connect_host
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear [^n]' >/dev/null
subscribe first ping
hear "beside a program that has joined"
await_line host 30 '^log: link: another program is subscribed' >/dev/null
# Data for docs/bluez-observed.md: the serial numbers of the signals and of the replies to the probes.
grep -A 7 -m 1 '^value' "$scratch/first"
subscribe second
hear "beside a second one"
expect_exit second 0 INT
hear "after the second one has unsubscribed"

kill -USR1 "${pid_of[host]}"
await_line host 30 '^disconnected' >/dev/null
expect_exit host 0 TERM
start_host connect
await_line host 60 '^gear [^n]' >/dev/null
hear "beside a program that was there before"
stop first
hear "after it has left the bus"
expect_exit host 0 TERM
stop_tag
echo "$sent gestures, each once; $marked marked as possible copies"
