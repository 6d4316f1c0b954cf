# Links are found, lost and established again, and carry what differing tags send.
. "$(dirname "$0")/lib.sh"

# A tag that is connected to this machine does not advertise; a scan of another program reports it first.
function connected-tags-are-listed {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1 PYTHONPATH=$here/../../../bindings/python/src

  background program /usr/bin/python3 "$here/programs/second_scan.py"
  await_line program 60 "^looking\$" >/dev/null
  start_tag
  expect_exit program 0
  expect_output program <<'END'
looking
first 01ZK connected False
second 01ZK connected True
END
  stop_tag
}

# The tag goes out of range and returns, later the radio loses it briefly: the connection reports why it waits, and
# reconnects, with a new tag each time. Core.
# Peer: bumble
function reconnect-after-link-loss {
  lost='JACQUARD_ERROR_CONNECTION_LOST: '

  connect_host
  await_line host 30 '^battery 80%$'

  tell_tag "gear attach levis-trucker"
  await_line host 30 '^gear Trucker Jacket$'

  tell_tag out-of-range
  await_line host 30 "^preparing 0/14, attempt 1: $lost"
  await_line host 30 "^preparing 2/14, attempt 1: $lost"
  tell_tag "battery 57" in-range
  await_tag 2
  await_line host 30 '^battery 57%$'
  await_line host 30 '^the tag before is of no use: JACQUARD_ERROR_STALE_TAG: '
  await_lines host 30 2 '^gear Trucker Jacket$' >/dev/null
  tell_tag "battery 56 charging" "gesture 13"
  await_line host 30 '^battery 56%, charging$'
  await_line host 30 '^gesture 13$'

  radio tag 1 lose
  await_tag 3
  tell_tag "battery 55"
  await_line host 30 '^battery 55%, charging$'
  expect_equal "the number of losses" 2 "$(grep -c "^preparing 0/14, attempt 1: $lost" "$scratch/host")"

  expect_exit host 0 TERM
  stop_tag
}

# From 5.83 on BlueZ reports why a link ended, and the connection passes the reason on; before that it is unknown. Core.
# Peer: bumble
function end-of-a-link {
  # The first reason that the host received for the end of a link.
  end_of() { # LINK
    sed -n "/^connected .*, tag $1\$/,\$ s/^the link ended: //p" "$scratch/host" | head -n 1
  }

  start_host connect
  start_tag
  await_line host 30 '^connected 14/14, attempt [0-9]+, tag 1$'
  link=1
  for ending in "8 timeout" "19 remote" "22 local"; do
    read -r reason expected <<<"$ending"
    [ "$bluez" -ge 83 ] || expected=unknown
    radio tag 1 lose "$reason"
    await_line host 60 "^connected 14/14, attempt [0-9]+, tag $((link + 1))\$"
    expect_equal "the end of a link with reason $reason" "$expected" "$(end_of "$link")"
    link=$((link + 1))
  done

  # The library knows the reason itself if it dropped the link.
  expect_exit host 0 TERM
  stop_tag
}

# The tag's services are removed and added again during a link (Service Changed): there is a new tag on a new link.
# Core.
function services-change-while-connected {
  connect_host
  # Its bluetoothd removes the services of a killed program and notifies the central; the link stays.
  kill -KILL "${pid_of[tag]}"
  wait "${pid_of[tag]}" 2>/dev/null
  unset "pid_of[tag]"
  await_line host 60 '^preparing 0/14, attempt 1: JACQUARD_ERROR_DEVICE_GONE: The tag.s services have changed'
  start_tag
  await_tag 2
  tell_tag "battery 33"
  await_line host 30 '^battery 33%$'

  expect_exit host 0 TERM
  stop_tag
}

# For cases in a machine that can sleep: suspends it to memory, from which its clock wakes it.
sleep_for() { # SECONDS
  local before
  before=$(asleep)
  echo "+$1" >/sys/class/rtc/rtc0/wakealarm
  echo deep >/sys/power/mem_sleep
  echo mem >/sys/power/state || fail "this machine is not suspended"
  # The clock counts whole seconds.
  [ $(($(asleep) - before)) -ge $(($1 - 2)) ] || fail "the machine has not slept"
}

# Prints the seconds of suspend that CLOCK_MONOTONIC excludes.
asleep() {
  awk '/^now at/ { now = $3 / 1e9 } FNR == 1 && FILENAME ~ /uptime/ { up = $1 } END { printf "%d", up - now + 0.5 }' \
    /proc/timer_list /proc/uptime
}

# The machine is suspended to memory and woken by its clock: the link is lost with that reason and re-established,
# events are delivered as before, a scan continues, and the suspend does not count towards time limits.
# Takes up to 250 s, in a machine that can sleep.
function machine-sleeps {
  connect_host
  tell_tag "gear attach levis-trucker"
  await_line host 30 '^gear Trucker Jacket$'
  sleep_for 10
  await_line host 60 '^preparing 0/14, attempt 1: JACQUARD_ERROR_CONNECTION_LOST: '
  await_line host 60 '^the link ended: suspend$'
  await_tag 2
  await_lines host 30 2 '^gear Trucker Jacket$' >/dev/null
  tell_tag "battery 31" "gesture 13"
  await_line host 30 '^battery 31%$'
  await_line host 30 '^gesture 13$'
  expect_exit host 0 TERM
  stop_tag

  start_host --scan-for 25 scan
  await_discovery
  sleep_for 30
  start_tag
  await_line host 30 '^found 01ZK Jacquard-01ZK$'
  expect_exit host 0 TERM
  stop_tag
}

has_run() { # NAME
  grep -q " $1: " "$scratch/rules" && return
  tell_tag "gesture $1"
  false
}

# Rules of jacquardctl run continue after suspend: the link is lost and re-established, and gestures run their rule.
# Takes up to 200 s, in a machine that can sleep.
function rules-after-suspend {
  # Gear reports gestures some time after the link is established.
  repeat_gesture() { # NAME
    period=1 await 30 "a rule at $1" has_run "$1"
  }

  use_bindings
  PYTHONPATH=$PYTHONPATH:$(echo "$here"/../../../apps/*/src | tr ' ' :)
  export PYTHONPATH
  cat >"$scratch/automations.toml" <<'END'
[[on]]
gesture = "any"
do = { run = ["true"] }

[[on]]
away_for = 0
do = { run = ["true"] }

[[on]]
connected_for = 0
do = { run = ["true"] }
END
  bind_tag 0000AAAAA001ZK
  await_unconnected
  # bluetoothd restores the subscriptions of a bonded host before that host listens: gear is reported later.
  tell_tag "greeting configured" "gear attach levis-trucker"
  background rules /usr/bin/python3 -u -S -m jacquardctl run "$scratch/automations.toml" --adapter $central_address
  await_line rules 90 ' connected for 0 s: ' >/dev/null
  repeat_gesture brush-in
  sleep_for 10
  await_lines rules 90 2 ' connected for 0 s: ' >/dev/null
  repeat_gesture brush-out
  expect_exit rules 143 TERM
  sed -nE 's/^[0-9:]+ 0000AAAAA001ZK ([^:]*): .*/\1/p' "$scratch/rules" | uniq >"$scratch/ran"
  diff "$scratch/ran" - <<'END' || fail "the rules ran at other events"
connected for 0 s
brush-in
away for 0 s
connected for 0 s
brush-out
END
  stop_tag
}

# A tag whose firmware does not support write requests: the library writes commands. Core.
function older-firmware {
  echo "firmware 1.42.0" >"$scratch/scenario"
  background example "$built/examples/battery"
  start_tag --scenario "$scratch/scenario"
  expect_battery_read example
  stop_tag
}

# Measures: 20,000 touch samples are sent much faster than gear sends them, and faster than this machine delivers them.
# The link and bluetoothd's state stay, and the next value arrives as soon as the remaining ones have been delivered.
# Peer: bumble
# Takes up to 400 s.
function touches-at-full-rate {
  touches() { grep -c '^touch ' "$scratch/host"; }

  start_host stream
  start_tag
  await_tag 1
  tell_tag "gear attach levis-trucker"
  await_line host 30 '^gear '
  sleep 3 # the set-up of the gear ends
  tell_tag "touch sweep"
  await_line host 30 '^touch '
  for milliseconds in 4 1; do
    before=$(touches)
    tell_tag "every ${milliseconds}ms touch sweep for $((10 * milliseconds))s"
    sleep $((10 * milliseconds + 1)) # until all are sent
    sent=$SECONDS level=$((40 + milliseconds))
    tell_tag "battery $level"
    await_line host 120 "^battery $level%\$"
    echo "every $milliseconds ms: $(($(touches) - before)) touches, the next value after $((SECONDS - sent)) s"
  done
  ! grep -E '^adapter resetting|, attempt 2' "$scratch/host" || fail "the link or bluetoothd did not stay"
  expect_exit host 0 TERM
  stop_tag
}
