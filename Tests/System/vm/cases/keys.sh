# Rules of jacquardctl run press keys.
. "$(dirname "$0")/lib.sh"

# Before the two cases with keys: a bound tag with gear, a reader of the keyboard, and rules of jacquardctl run.
prepare_keys() {
  use_bindings
  PYTHONPATH=$PYTHONPATH:$(echo "$here"/../../../apps/*/src | tr ' ' :)
  export PYTHONPATH
  /usr/bin/python3 -c 'import evdev' || skip "python3-evdev is not installed"
  cat >"$scratch/automations.toml" <<'END'
[[on]]
gesture = "brush-in"
do = { key = "ctrl+shift+m" }

[[on]]
gesture = "brush-out"
do = { key = "space", hold = 1.5 }

[[on]]
gesture = "cover"
do = { key = "alt+f5", hold = 10 }

[[on]]
away_for = 0
do = { key = "f6" }

[[on]]
connected_for = 0
do = { run = ["true"] }
END
  bind_tag 0000AAAAA001ZK
  tell_tag "gear attach levis-trucker"
  background keys /usr/bin/python3 -u "$here/programs/keys.py"
  await_line keys 60 '^ready$' >/dev/null
}

# Starts the rules for the first, second … time. A rule that runs at the connection says that it is established.
start_rules() { # NUMBER
  background rules /usr/bin/python3 -u -m jacquardctl run "$scratch/automations.toml" --adapter $central_address
  await_lines keys 90 "$1" '^device$' >/dev/null
  await_line rules 90 ' connected for 0 s: ' >/dev/null
}

# Rules of jacquardctl run press keys on a real uinput: a combination in the order in which it is written, and released
# in reverse order; a key that is held for a time; and keys that are released when the link is lost, before the rule for
# a lost link runs.
# Peer: bumble
# Takes up to 200 s.
function keys-are-pressed {
  prepare_keys
  start_rules 1

  tell_tag "gesture brush-in"
  await_lines keys 30 2 '^sync$' >/dev/null
  tell_tag "gesture brush-out"
  await_lines keys 30 4 '^sync$' >/dev/null
  tell_tag "gesture cover"
  await_lines keys 30 5 '^sync$' >/dev/null
  radio tag 1 lose
  await_lines keys 30 8 '^sync$' >/dev/null
  expect_exit rules 143 TERM
  await_line keys 30 '^removed$' >/dev/null
  # The time at the end of each line is not compared.
  diff <(sed 's/ [0-9.]*$//' "$scratch/keys") - <<'END' || fail "other keys were pressed"
ready
device
KEY_LEFTCTRL down
KEY_LEFTSHIFT down
KEY_M down
sync
KEY_M up
KEY_LEFTSHIFT up
KEY_LEFTCTRL up
sync
KEY_SPACE down
sync
KEY_SPACE up
sync
KEY_LEFTALT down
KEY_F5 down
sync
KEY_F5 up
KEY_LEFTALT up
sync
KEY_F6 down
sync
KEY_F6 up
sync
removed
END
  awk '$1 == "KEY_SPACE" { print $2, held = $3 - began; began = $3 } END { exit held < 1.49 }' "$scratch/keys" ||
    fail "the key was not held"
  stop_tag
}

# The program is killed while it holds keys: the kernel removes its keyboard, which releases them, and the next program
# has a new one. KILLS sets the number of kills.
# Peer: bumble
# Takes up to 100 s, and 20 s for each kill.
function keys-end-with-the-program {
  prepare_keys
  for ((kill = 1; kill <= ${KILLS:-5}; kill++)); do
    start_rules $kill
    tell_tag "gesture cover"
    await_lines keys 30 $kill '^KEY_F5 down' >/dev/null
    expect_exit rules 137 KILL
    await_lines keys 30 $kill '^removed$' >/dev/null
    ! grep 'Jacquard keys' /proc/bus/input/devices || fail "the keyboard of a program that was killed exists"
  done
  stop_tag
}
