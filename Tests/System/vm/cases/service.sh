# Programs share a tag through jacquardd.
. "$(dirname "$0")/lib.sh"

# Three programs in C and Python share a tag through jacquardd: each receives every state and value once, and sends
# commands. When one ends, nothing changes for the others. After the last one the link stays for the next program, and
# is dropped for one that wants the tag for itself, or after a while. Core.
# Peer: bumble
# Takes up to 240 s.
function shared-tag {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1 PYTHONPATH=$here/../../../bindings/python/src

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
      diff <(seq -f 'gesture %g' "$last") <(grep '^gesture' "$scratch/$program") ||
        fail "$program did not receive what the tag sent"
    done
  }

  expect_more_answers() { # PROGRAM
    await_lines "$1" 30 $(($(grep -c '^answered 80%' "$scratch/$1") + 2)) '^answered 80%' >/dev/null
  }

  expect_one_link() { # PROGRAM...
    local program
    expect_equal "the number of links" 1 "$(links)"
    for program; do
      expect_equal "the number of times that $program was connected" 1 "$(grep -c '^connected' "$scratch/$program")"
    done
  }

  start_service
  start_host ask
  start_tag
  await_tag 1
  through=", through process ${pid_of[service]}\$"
  await_line host 30 "^connected .*$through"
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

  background apart "$built/vm/host" --adapter $central_address --exclusive connect
  await_line apart 60 '^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_IN_USE: '
  expect_exit apart 0

  expect_exit host 137 KILL
  expect_gestures 40 second third
  expect_more_answers second
  expect_one_link second third
  expect_exit second 137 KILL
  expect_gestures 98 third
  tell_tag "gesture 99"
  expect_exit third 0

  # guest.py has disconnected, which drops the link.
  await_unconnected
  start_host connect
  await_tag 1
  expect_exit host 137 KILL
  start_host connect
  await_line host 60 "^connected 14/14, attempt 1, tag 1$through"
  await_line host 30 '^gear [^n]'
  expect_equal "the number of links" 2 "$(links)"
  expect_exit host 137 KILL
  background apart "$built/vm/host" --adapter $central_address --exclusive connect
  await_line apart 60 '^connected 14/14, attempt 1, tag 1$'
  await_line apart 30 '^gear [^n]'
  expect_equal "the number of links" 3 "$(links)"
  start_host connect
  await_line host 60 "^disconnected 0/14, attempt [0-9]+: JACQUARD_ERROR_IN_USE: .*: host, process ${pid_of[apart]}\\. "
  expect_exit host 0
  expect_exit apart 0 TERM

  start_host connect
  await_tag 1
  expect_exit host 137 KILL
  # The service keeps the link for ten seconds, and BlueZ for two more.
  await_unconnected
  stop_tag
}

# A tag is handed over without a pause, while BlueZ still keeps the link: the second connection waits for it and is
# established, in the same process and in another one, also from and to a program that uses jacquardd.
# Peer: bumble
# Takes up to 240 s.
function hand-over {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1 PYTHONPATH=$here/../../../bindings/python/src

  start_service
  socket=$JACQUARD_SERVICE
  unset JACQUARD_SERVICE
  connect_host
  level=40
  for service in off "$socket" "$socket" off; do
    kill -USR1 "${pid_of[host]}"
    background next env JACQUARD_SERVICE="$service" "$built/vm/host" --adapter $central_address connect
    await_line next 30 '^connected 14/14' >/dev/null
    tell_tag "battery $((level += 1))"
    await_line next 30 "^battery $level%\$"
    expect_exit host 0 TERM
    mv "$scratch/next" "$scratch/host"
    pid_of[host]=${pid_of[next]}
    unset "pid_of[next]"
  done
  expect_exit host 0 TERM

  background program /usr/bin/python3 "$here/programs/managers.py" $central_address at-once
  await_line program 90 "^second $level%" >/dev/null
  tell_tag "gear attach levis-trucker" "at 3s gesture 99"
  expect_exit program 0
  stop_tag
}

# Measures how long programs are without their tag when the service is killed: `Tests/Support/long service`.
# Programs share a tag through jacquardd, play light patterns, receive gestures, and stream. The service is killed at
# random: all have the tag again, after at most twice the time that the successor of a program with its own link needs.
# Nothing comes or is played twice, and each gap is reported. A program that is killed or stopped changes nothing for
# the others. The service stands still (SIGSTOP) as often: every command ends in time, and nothing is sent late. KILLS
# sets the number of each, SEED repeats a run.
# Peer: bumble
# Takes up to 200 s, and 70 s for each kill.
function service-killed {
  seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
  echo "SEED=$seed"
  # A new tag for 20 kills, because its journal has a limit.
  for ((left = ${KILLS:-5}; left > 0; left -= count)); do
    count=$((left < 20 ? left : 20))
    start_tag
    /usr/bin/python3 "$here/programs/endings.py" $count $((seed++)) $central_address $tag_identifier \
      "$built" "$scratch" ||
      fail "see above"
    stop_tag
  done
}

# While the service has a link to a bound tag, bluetoothd exports the tag's battery, and none after the end of the link,
# of the service or of bluetoothd. Before 5.71 bluetoothd takes batteries only with experimental interfaces.
# Peer: bumble
# Takes up to 300 s.
function battery-in-panels {
  battery() {
    dbus-send --system --print-reply=literal --dest=org.bluez "/org/bluez/$central/dev_${tag_address//:/_}" \
      org.freedesktop.DBus.Properties.Get string:org.bluez.Battery1 string:Percentage 2>/dev/null | sed 's/.*byte *//'
  }
  await_battery() { # SECONDS LEVEL
    await "$1" "the battery $2" eval "[ \"\$(battery)\" = '$2' ]"
  }
  use_bindings
  tag=1

  start_service
  bind_tag 01ZK
  start_host connect
  await_tag $tag
  experimental=
  if [ "$bluez" -lt 71 ]; then
    expect_equal "the battery" "" "$(battery)"
    experimental=-E
    BLUETOOTHD_OPTIONS=$experimental "$here/services" restart bluetoothd
    await_tag $((tag += 1))
  fi
  await_battery 30 80
  tell_tag "battery 41"
  await_battery 10 41
  radio tag 1 deaf on
  radio tag 1 lose
  await_battery 5 ""
  radio tag 1 deaf off
  await_tag $((tag += 1))
  await_battery 30 41

  kill -KILL "${pid_of[service]}"
  await_battery 5 ""
  start_service
  await_tag $((tag += 1))
  await_battery 30 41
  "$here/services" kill bluetoothd
  BLUETOOTHD_OPTIONS=$experimental "$here/services" start bluetoothd
  await_tag $((tag += 1))
  await_battery 30 41

  expect_exit host 0 TERM
  bind unbind <<<"unbound"
  expect_equal "the battery" "" "$(battery)"
  ! grep -i battery "$scratch/service" || fail "the service complained"
  stop service
  stop_tag
}
