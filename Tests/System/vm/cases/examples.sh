# The examples, the programs for each feature, and the command-line tool.
. "$(dirname "$0")/lib.sh"

# The unmodified C example: finds the tag, connects step by step, reads the battery, and exits successfully. Core.
function battery-from-c {
  background example "$built/examples/battery"
  start_tag
  expect_battery_read example
  stop_tag
}

# The Python package, asyncio and blocking: finds the tag, connects step by step, reads the battery and receives its
# notifications.
function battery-from-python {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1
  export PYTHONPATH=$here/../../../bindings/python/src

  background program /usr/bin/python3 "$here/programs/battery.py" $central_address
  await_line program 60 "^looking\$" >/dev/null
  start_tag
  expect_exit program 0
  expect_output program <<END
looking
found 01ZK Jacquard-01ZK None
preparing 0/14, preparing 1/14, preparing 2/14, connecting 3/14, connecting 4/14, connecting 5/14, connecting 6/14, \
connecting 7/14, initializing 8/14, initializing 9/14, initializing 10/14, initializing 11/14, \
configuring 12/14, configuring 13/14, connected 14/14
(1, 96, 0) battery 80%
told 80%
again, battery 80%
END
  stop_tag
}

# C with the blocking layer and with other loops: finds the tag, connects, reads the battery, and exits successfully.
function examples-in-c {
  for example in blocking-battery loop-glib loop-uv; do
    background $example "$built/examples/$example"
    await_discovery
    start_tag
    expect_exit $example 0
    expect_equal "the last line of $example" "battery 80%" "$(tail -n 1 "$scratch/$example")"
    stop_tag
    "$here/services" reset
  done

  # Events are fetched, including a lost link.
  background example "$built/examples/blocking-gestures"
  await_discovery
  start_tag
  await_line example 60 '^connected$' >/dev/null
  tell_tag "gear attach levis-trucker"
  tell_tag "at 1s gesture brush-in"
  await_line example 30 '^brush-in$' >/dev/null
  tell_tag "drop link"
  await_lines example 60 2 '^connected$' >/dev/null
  expect_exit example 0 INT
  stop_tag
}

# The unmodified examples of the Python package, asyncio and blocking.
function examples-in-python {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1
  export PYTHONPATH=$here/../../../bindings/python/src
  examples=$here/../../../bindings/python/examples

  background battery /usr/bin/python3 "$examples/battery.py" 01ZK
  start_tag
  expect_exit battery 0
  expect_equal "what battery.py prints" "80%" "$(cat "$scratch/battery")"
  stop_tag
  "$here/services" reset

  background events /usr/bin/python3 "$examples/events.py"
  start_tag
  await_line events 60 '^80%$' >/dev/null
  tell_tag "gear attach levis-trucker"
  await_line events 30 'Trucker Jacket' >/dev/null
  tell_tag "gesture cover"
  await_line events 30 '^cover$' >/dev/null
  # Ctrl-C is ignored in the background.
  expect_exit events 143 TERM
  stop_tag
}

# Every feature from C: the unmodified programs of Tests/Interface/features, each with its own tag.
# Arguments, for manual runs: only these programs. Takes up to 520 s.
function every-feature {
  export JACQUARD_CONTROL=$scratch/control

  programs=("$@")
  [ $# -gt 0 ] || for program in "$built"/features/*; do programs+=("$(basename "$program")"); done
  [ $# -gt 0 ] || [ ${#programs[@]} -ge 14 ] || fail "the programs are not built"
  for program in "${programs[@]}"; do
    began=$SECONDS
    # A running scan finds the tag immediately.
    background "$program" "$built/features/$program"
    # The tag has its own agent; the library's agent is on another connection.
    start_tag --agent
    expect_exit "$program" 0
    echo "$program: $(tail -n 1 "$scratch/$program") ($((SECONDS - began)) s)"
    stop_tag
    # If a link ends after its peripheral, a device without the Jacquard service remains.
    "$here/services" reset
  done
}

# The command-line tool with a real bluetoothd: doctor, scan, battery, info, watch, and a recording; without rich.
# Finding a tag that is already advertising takes 10 s each time. Takes up to 240 s.
function jacquardctl {
  export JACQUARD_LIBRARY=$built/lib/libjacquard.so.1
  PYTHONPATH=$here/../../../bindings/python/src:$(echo "$here"/../../../apps/*/src | tr ' ' :)
  export PYTHONPATH
  export XDG_STATE_HOME=$scratch

  # -S: only with Python's standard library.
  start() { # NAME COMMAND WORD...
    background "$1" /usr/bin/python3 -S -m jacquardctl "${@:2}" --adapter $central_address
  }

  expect_line() { # NAME EXTENDED-REGEX, of a program that has ended
    grep -Eq -- "$2" "$scratch/$1" || fail "$1 did not say /$2/"
  }

  start doctor doctor --timeout 1
  expect_exit doctor 0
  expect_line doctor "^✓ adapter    $central_address .*, powered on\$"
  expect_line doctor '^✓ bluetoothd .* is installed'

  start scan scan --timeout 8 --json
  await_discovery
  start_tag
  expect_exit scan 0
  expect_line scan '"serial": "01ZK", "name": "Jacquard-01ZK"'
  identifier=$(sed -n 's/.*"identifier": "\([^"]*\)".*/\1/p' "$scratch/scan")

  start battery battery 01ZK
  expect_exit battery 0
  expect_equal "the battery" "80%" "$(cat "$scratch/battery")"

  tell_tag "gear attach levis-trucker"
  start info info "$identifier"
  expect_exit info 0
  expect_line info '^firmware +1\.96\.0$'
  expect_line info "^gear +Levi's Trucker Jacket\$"

  start watch watch "$identifier" --json --on brush-in "echo \$JACQUARD_GESTURE >$scratch/gesture"
  await_line watch 60 '"event": "gear"' >/dev/null
  tell_tag "gesture cover" "gesture brush-in"
  await_line watch 30 '"event": "gesture", "number": 2, "name": "brush-in"' >/dev/null
  timeout 30 sh -c "until grep -qx brush-in $scratch/gesture; do sleep 0.1; done" || fail "the command was not run"
  expect_exit watch 143 TERM

  start record record "$identifier" "$scratch/session"
  timeout 60 sh -c "until grep -qs '\"gear\"' $scratch/session; do sleep 0.1; done" || fail "nothing was recorded"
  tell_tag "gesture cover"
  timeout 30 sh -c "until grep -qs '\"gesture\"' $scratch/session; do sleep 0.1; done" || fail "no gesture was recorded"
  expect_exit record 143 TERM
  # Checks both the recording and the recording of its replay by a software tag.
  JACQUARD_SIM=$built/bin/jacquard-sim /usr/bin/python3 -S -m jacquardctl replay "$scratch/session" -- \
    /usr/bin/python3 -S -m jacquardctl record 01ZK "$scratch/again" --for 10 || fail "the recording cannot be played"
  expect_equal "what was played" \
    "$(grep -o '"notification": "[^"]*"' "$scratch/session")" "$(grep -o '"notification": "[^"]*"' "$scratch/again")"
  stop_tag

  set_powered $central false
  start doctor doctor --json
  expect_exit doctor 4
  expect_line doctor '"cause": "powered-off"'
}

has_touch_mode() {
  tell_tag "journal requests"
  [ "$(grep -o touch-mode "$scratch/answers" | wc -l)" -ge 2 ]
}

# jacquardctl play sends MIDI through the ALSA sequencer, and aseqdump receives it in the right order. Each touch is one
# sample, so it ends a quarter of a second later.
# Peer: bumble
# Takes up to 200 s.
function midi-is-played {
  use_bindings
  PYTHONPATH=$PYTHONPATH:$(echo "$here"/../../../apps/*/src | tr ' ' :)
  export PYTHONPATH PATH=$PATH:$built/packages/usr/bin
  /usr/bin/python3 -c 'import rtmidi' || skip "python3-rtmidi is not installed"
  command -v aseqdump >/dev/null || skip "alsa-utils is not there"
  # Without bends and pressure, which depend on time and strength.
  cat >"$scratch/sleeve.toml" <<'END'
[strings]
lines = [0, 3]
notes = ["C4", "E4"]
strum = true
aftertouch = false
full_strength = 20

[[fader]]
lines = [5, 8]
cc = 7
channel = 2
touch_note = 104

[[pad]]
lines = [10, 11]
tap = { mmc = "play" }
END
  start_tag
  tell_tag "gear attach levis-trucker"
  background play /usr/bin/python3 -u -m jacquardctl play 01ZK --map "$scratch/sleeve.toml" --midi \
    --adapter $central_address
  await_line play 60 'playing' >/dev/null
  background midi stdbuf --output=L aseqdump --port=jacquard
  await_line midi 30 '^Source' >/dev/null
  # The first one is the library's, which asks for gestures.
  await 60 "touch mode" has_touch_mode

  touch_line() { # LINE, then the number and the name of the event that ends the touch
    tell_tag "$(awk -v place="$1" 'BEGIN {
      printf "touch 64"
      for (line = 0; line < 12; line++) printf " %d", 86 * exp(-(line - place) ^ 2 / 1.8) + 0.5
    }')" "touch lift"
    await_lines midi 30 "$2" "$3" >/dev/null
  }
  touch_line 0 1 'Note off'
  touch_line 3 2 'Note off'
  touch_line 5 3 'Note off'
  touch_line 8 4 'Note off'
  touch_line 10 1 'System exclusive'
  expect_exit play 143 TERM
  sed -n 's/^ *[0-9]*:0 *//p' "$scratch/midi" | tr -s ' ' | sed 's/ $//' >"$scratch/received"
  diff "$scratch/received" - <<'END' || fail "other messages were sent"
Note on 0, note 60, velocity 127
Note off 0, note 60, velocity 0
Note on 0, note 64, velocity 127
Note off 0, note 64, velocity 0
Note on 1, note 104, velocity 127
Control change 1, controller 7, value 0
Note off 1, note 104, velocity 0
Note on 1, note 104, velocity 127
Control change 1, controller 7, value 127
Note off 1, note 104, velocity 0
System exclusive F0 7F 7F 06 02 F7
END
  stop_tag
}
