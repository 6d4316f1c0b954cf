# Several programs with the same tag.
. "$(dirname "$0")/lib.sh"

# BlueZ keeps a link for two seconds after the Disconnect of a program that has ended: the next program waits until that
# link has ended, and its first attempt succeeds.
# Peer: bumble
# Takes up to 150 s.
function one-program-after-another {
  use_bindings
  begin_bind_and_tag bind 0000AAAAA001ZK
  await_line bind 60 '^battery' >/dev/null
  tail --pid="${pid_of[bind]}" -s 0.05 -f /dev/null

  for round in 1 2 3; do
    start_host connect
    await_line host 60 '^connected' >/dev/null
    grep -q 'attempt 2' "$scratch/host" && fail "a second attempt was needed in round $round"
    # Ends like a program that does not wait for its link.
    kill -KILL "${pid_of[host]}"
    dbus-send --system --type=method_call --dest=org.bluez "/org/bluez/$central/dev_${tag_address//:/_}" \
      org.bluez.Device1.Disconnect
  done
  stop host
  stop_tag
}

# Without a service one program has the link: all others, and programs of other users, get IN_USE, which names it and
# says how to share. If it is killed, the next program drops the link that BlueZ kept, and establishes its own.
# Peer: bumble
# Takes up to 150 s.
function tag-in-use {
  # A tag that does not advertise is found by its link.
  refused() { # NAME PROCESS
    local reason="JACQUARD_ERROR_IN_USE: Another program is using this tag: host, process $2\\. "
    await_line "$1" 60 "^disconnected 0/14, attempt [0-9]+: $reason"
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
}

# A program uses a tag, ends its connection and continues to run: the next program receives every value once, even if
# consecutive values are equal, in the same process and in another one. A second manager that shares the tag through
# jacquardd receives them, too.
# Peer: bumble
# Takes up to 300 s. Core.
function two-managers {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1 PYTHONPATH=$here/../../../bindings/python/src

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
}

# Programs that do not use this library subscribe to the tag's notifications, later or earlier than this one, and
# unsubscribe or leave the bus. BlueZ then signals a value once for each of them. No gesture is lost, and none comes
# twice without being marked as a possible copy. The log reports such programs.
# GESTURES sets the number of gestures.
# Peer: bumble
# Takes up to 200 s and 3 s for each gesture. Core.
function foreign-client {
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

  # Equal consecutive values, each of which is received once. A marked one may be received as well, but does not
  # replace the value.
  hear() { # WHEN
    local from last line received certain
    from=$(($(wc -l <"$scratch/host") + 1))
    # Sent one at a time, because equal values that arrive together may be marked.
    while read -r line; do tell_tag "$line"; done < <(gestures)
    last=$((100 + (hearings += 1)))
    tell_tag "gesture $last"
    await_line host 30 "^gesture $last\$" >/dev/null
    sleep 1 # duplicates arrive in this time
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
  await_line host 30 '^log: link: [0-9a-f-]*: another program is subscribed' >/dev/null
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
}
