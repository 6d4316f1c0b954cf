# The command-line tool with a real bluetoothd: doctor, scan, battery, info, watch, and a recording; without rich.
# Finding a tag that is already advertising takes 10 s each time. Takes up to 240 s.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src:$here/../../../tools/jacquardctl/src
export XDG_STATE_HOME=$scratch

# -S: only with Python's standard library.
jacquardctl() { # COMMAND WORD...
  exec /usr/bin/python3 -S -m jacquardctl "$@" --adapter $central_address
}

expect_line() { # NAME EXTENDED-REGEX, of a program that has ended
  grep -Eq -- "$2" "$scratch/$1" || fail "$1 did not say /$2/"
}

background doctor jacquardctl doctor --timeout 1
expect_exit doctor 0
expect_line doctor "^✓ adapter    $central_address .*, powered on\$"
expect_line doctor '^✓ bluetoothd .* is installed'

background scan jacquardctl scan --timeout 8 --json
await_discovery
start_tag
expect_exit scan 0
expect_line scan '"serial": "01ZK", "name": "Jacquard-01ZK"'
identifier=$(sed -n 's/.*"identifier": "\([^"]*\)".*/\1/p' "$scratch/scan")

background battery jacquardctl battery 01ZK
expect_exit battery 0
expect_equal "the battery" "80%" "$(cat "$scratch/battery")"

tell_tag "gear attach levis-trucker"
background info jacquardctl info "$identifier"
expect_exit info 0
expect_line info '^firmware +1\.96\.0$'
expect_line info "^gear +Levi's Trucker Jacket\$"

background watch jacquardctl watch "$identifier" --json --on brush-in "echo \$JACQUARD_GESTURE >$scratch/gesture"
await_line watch 60 '"event": "gear"' >/dev/null
tell_tag "gesture cover" "gesture brush-in"
await_line watch 30 '"event": "gesture", "number": 2, "name": "brush-in"' >/dev/null
timeout 30 sh -c "until grep -qx brush-in $scratch/gesture; do sleep 0.1; done" || fail "the command was not run"
expect_exit watch 143 TERM

background record jacquardctl record "$identifier" "$scratch/session"
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
background doctor jacquardctl doctor --json
expect_exit doctor 4
expect_line doctor '"cause": "powered-off"'
