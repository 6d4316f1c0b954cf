# The functions of the guest tests: . "$(dirname "$0")/lib.sh"
#
# central and peripheral are the two adapters, which are within range of each other; bluez is the release without "5.".
# With Bumble's radio (head "Peer: bumble", or a machine with systemd) there is no peripheral adapter, and `radio` sends
# lines to programs/radio.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
central=hci0 central_address=00:AA:01:00:00:00
peripheral=hci1 peripheral_address=00:AA:01:01:00:01
bluez=${BLUEZ_RELEASE:-$("$here/services" version)}
bluez=${bluez#5.}
tag_address=$peripheral_address
[ -z "${VM_RADIO:-}" ] || tag_address=C0:1A:DA:00:00:01
# The library's identifier for that address.
# shellcheck disable=SC2034
tag_identifier=44e1de1a-18a7-5b23-b72f-f88fb1fc71ac
scratch=$(mktemp -d)
began=$(date +%s)
built=$(cd "$here/../../.." && pwd)/build
declare -A pid_of=()
trap 'stop_all; rm -rf "$scratch"' EXIT

# The message is shown even if the output of the failing function is redirected.
exec {output}>&1
fail() {
  local name
  {
    echo "failed: $*"
    for name in "${!pid_of[@]}"; do
      echo "--- output of $name"
      cat "$scratch/$name"
    done
    [ -z "${VM_SYSTEMD:-}" ] || journalctl --no-pager --output short-monotonic --since "@$began"
    [ -z "${VM_RADIO:-}" ] || radio reset
  } >&$output
  exit 1
}

skip() {
  echo "$*"
  exit 77
}

# Starts a program under a name. Its output is used by `await_line`, and printed if the case fails.
background() { # NAME COMMAND...
  local name=$1
  shift
  : >"$scratch/$name"
  "$@" >"$scratch/$name" 2>&1 </dev/null &
  pid_of[$name]=$!
}

# The variable `period` sets the time between two attempts.
await() { # SECONDS WHAT COMMAND...
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "$what did not happen in time, answers: $(cat "$scratch/answers" 2>&1)"
    sleep "${period:-0.2}"
  done
}

# Waits for a line anywhere in the output of a program in the background, and prints it.
await_line() { # NAME SECONDS EXTENDED-REGEX
  await_lines "$1" "$2" 1 "$3"
}

await_lines() { # NAME SECONDS COUNT EXTENDED-REGEX
  timeout "$2" grep -m "$3" -E -- "$4" < <(tail -n +1 -s 0.1 -f --pid="${pid_of[$1]}" "$scratch/$1") |
    awk -v count="$3" '{ print } END { exit NR < count }' || fail "$1 did not say /$4/ $3 times within $2 s"
}

stop() { # NAME
  kill "${pid_of[$1]}" 2>/dev/null
  wait "${pid_of[$1]}" 2>/dev/null
  unset "pid_of[$1]"
}

stop_all() {
  local name
  for name in "${!pid_of[@]}"; do
    stop "$name"
  done
}

expect_equal() { # WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] || fail "$1 is \"$3\", expected \"$2\""
}

adapter_property() { # ADAPTER PROPERTY
  dbus-send --system --print-reply=literal --dest=org.bluez "/org/bluez/$1" \
    org.freedesktop.DBus.Properties.Get string:org.bluez.Adapter1 "string:$2" |
    tr -s ' \n' ' ' | sed 's/^ variant //; s/ $//'
}

# Sends a line to the radio, which must execute it; prints its reply.
radio() { # WORD...
  local answer
  answer=$("$here/services" tell-radio "$*")
  case $answer in
    ok*) echo "${answer#ok}" | sed 's/^ //; /^$/d' ;;
    *) fail "the radio: $*: $answer" ;;
  esac
}

[ -z "${VM_RADIO:-}" ] || [ -z "${INTERVAL:-}" ] || radio interval "$INTERVAL"

# A tag with an external radio. Scenario lines take effect before it advertises.
start_tag_on_radio() { # [--scenario FILE] [--agent] [--private]
  local line
  radio tag 1 new
  while [ $# -gt 0 ]; do
    case $1 in
      --scenario)
        while read -r line; do radio "tag 1 tell $line"; done <"$2"
        shift 2
        ;;
      # This tag has a separate agent.
      --agent) shift ;;
      --private)
        radio tag 1 private
        shift
        ;;
      *) fail "a tag with its own radio does not support $1" ;;
    esac
  done
  radio tag 1 appear
}

# Turns the peripheral adapter into a tag that reads scenario lines. Advertising begins here: a running scan finds the
# tag immediately, a later one after 10 s (see docs/bluez-observed.md).
start_tag() { # OPTION...
  [ -z "${VM_RADIO:-}" ] || { start_tag_on_radio "$@"; return; }
  background tag "$built/bin/jacquard-sim" peripheral --adapter $peripheral --control "$scratch/control" "$@"
  await_line tag 20 '^ready$' >/dev/null
  # 5.55 reads beyond a notification with two values, which BlueZ sends for values in quick succession.
  [ "$bluez" != 55 ] || tell_tag "air-time 200ms"
}

# Scenario lines, as arguments or on standard input.
tell_tag() { # [LINE...]
  local lines
  if [ -n "${VM_RADIO:-}" ]; then
    mapfile -t lines < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else cat; fi)
    "$here/services" tell-radio "${lines[@]/#/tag 1 tell }" >"$scratch/answers" ||
      fail "the tag does not do that: $(tail -n 1 "$scratch/answers")"
    return
  fi
  if [ $# -gt 0 ]; then printf '%s\n' "$@"; else cat; fi |
    "$built/vm/tell" "$scratch/control" || fail "the tag does not do that"
}

# A program that uses the library on the central adapter and prints events: see programs/host.c.
start_host() { # OPTION... adapter|scan|connect
  background host "$built/vm/host" --adapter $central_address "$@"
}

# A program that is connected to a tag.
connect_host() { # OPTION...
  start_host "$@" connect
  start_tag
  await_tag 1
}

# A service for the programs that are started afterwards. Without it, no program of a case finds one.
start_service() { # OPTION...
  export JACQUARD_SERVICE=$scratch/service.socket
  background service "$built/bin/jacquardd" --socket "$JACQUARD_SERVICE" "$@"
  timeout 30 sh -c "until test -S '$JACQUARD_SERVICE'; do sleep 0.05; done" || fail "the service does not start"
}

# BlueZ keeps a link for two seconds after the last program has used it.
await_unconnected() {
  timeout 30 sh -c "while bluetoothctl info $tag_address | grep -q 'Connected: yes'; do sleep 0.2; done" ||
    fail "the link stays"
}

# Waits until the host is connected for the first, second … time.
await_tag() { # NUMBER
  await_line host 60 "^connected 14/14, attempt [0-9]+, tag $1(, through process [0-9]+)?\$"
}

# Checks that the host has not violated the protocol; otherwise the tag exits with 70.
stop_tag() {
  local ended
  [ -n "${VM_RADIO:-}" ] || { expect_exit tag 0 TERM; return; }
  ended=$(radio tag 1 end)
  [ "$ended" = 0 ] || fail "the tag ended with status $ended"
}

# Waits until a program in the background ends with this status; if a signal is given, sends it first.
expect_exit() { # NAME STATUS [SIGNAL]
  local pid=${pid_of[$1]} status
  [ $# -lt 3 ] || kill "-$3" "$pid"
  tail --pid="$pid" -s 0.05 -f /dev/null
  wait "$pid"
  status=$?
  [ $status = "$2" ] || fail "$1 exited with status $status, expected $2"
  unset "pid_of[$1]"
}

expect_output() { # NAME; the expected output is on standard input (spaces at the end of lines are ignored)
  diff -uZ --label "expected of $1" --label "$1 wrote" - "$scratch/$1" || fail "$1 wrote something else"
}

# Waits until the central is discovering, for any program. Starting Python alone takes ten seconds here.
await_discovery() {
  await 90 "discovery by $central" is_discovering
}

is_discovering() {
  [ "$(adapter_property $central Discovering)" = "boolean true" ]
}

set_powered() { # ADAPTER true|false
  dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" org.freedesktop.DBus.Properties.Set \
    string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null || fail "$1 cannot be powered"
}

# The adapter states that a host has received, without repetitions.
adapter_states() { # NAME
  sed -n 's/^adapter \(unknown\|resetting\|un[a-z]*\|powered o[nf]*\).*/\1/p' "$scratch/$1" |
    uniq | paste -sd, | sed 's/,/, /g'
}

# The complete output of the battery example.
expect_battery_read() { # NAME
  expect_exit "$1" 0
  expect_output "$1" <<END
adapter unknown
adapter $central_address powered on
found 01ZK Jacquard-01ZK
preparing 0/14
preparing 1/14
preparing 2/14
connecting 3/14
connecting 4/14
connecting 5/14
connecting 6/14
connecting 7/14
initializing 8/14
initializing 9/14
initializing 10/14
initializing 11/14
configuring 12/14
configuring 13/14
connected 14/14
battery 80%
END
}

# Starts programs/host.c as another user, who may not have access to the build directory.
background_as_other() { # NAME USER OPTION... adapter|scan|connect
  local name=$1 user=$2
  shift 2
  if [ ! -e "$scratch/open" ]; then
    mkdir -p "$scratch/open/vm" "$scratch/open/lib"
    cp "$built/vm/host" "$scratch/open/vm"
    cp -L "$built/lib/libjacquard.so.1" "$scratch/open/lib"
    chmod 755 "$scratch"
  fi
  background "$name" setpriv --reuid="$user" --regid=nogroup --clear-groups "$scratch/open/vm/host" "$@"
}

# Must precede the functions below, which are for cases with bound tags.
use_bindings() {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1 PYTHONPATH=$here/../../../bindings/python/src
  export XDG_STATE_HOME=$scratch/state
}

# Runs programs/bind.py in the background, under a name.
begin_bind() { # NAME VERB [CODE]
  background "$1" /usr/bin/python3 "$here/programs/bind.py" $central_address "${@:2}"
}

# Runs it until it ends, and compares its output with standard input.
bind() { # VERB [CODE]
  begin_bind bind "$@"
  tail --pid="${pid_of[bind]}" -s 0.05 -f /dev/null
  expect_output bind
}

# Starts a tag while a program is already scanning, so that the tag is found immediately.
begin_bind_and_tag() { # VERB CODE [OPTION OF THE TAG...]
  begin_bind bind "$1" "$2"
  await_discovery
  start_tag --agent "${@:3}"
}

bind_tag() { # CODE [OPTION OF THE TAG...]
  begin_bind_and_tag bind "$@"
  await_line bind 60 '^battery 80%$' >/dev/null
  expect_exit bind 0
}

finish_bind() { # the expected output on standard input
  tail --pid="${pid_of[bind]}" -s 0.05 -f /dev/null
  expect_output bind
}

# Prints the state of the tag in BlueZ: "bonded", "known", or nothing.
bluez_has() {
  local info
  info=$(bluetoothctl info $tag_address 2>&1)
  case $info in
    *"Bonded: yes"*) echo bonded ;;
    *"Bonded: no"*) echo known ;;
    # Before 5.65 there is only one property for both.
    *"Paired: yes"*) echo bonded ;;
    *"Paired: no"*) echo known ;;
  esac
}
