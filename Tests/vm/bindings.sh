# Words for tests of tags that are bound: . "$(dirname "$0")/../bindings.sh"
. "$(dirname "${BASH_SOURCE[0]}")/cases/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../bindings/python/src
export XDG_STATE_HOME=$scratch/state

# programs/bind.py in the background, under a name.
begin_bind() { # NAME VERB [CODE]
  background "$1" /usr/bin/python3 "$here/programs/bind.py" $central_address "${@:2}"
}

# The same to its end; what it said must be what is on standard input.
bind() { # VERB [CODE]
  begin_bind bind "$@"
  tail --pid="${pid_of[bind]}" -s 0.05 -f /dev/null
  expect_output bind
}

# A tag that is found at once by a program that is looking already.
begin_bind_and_tag() { # VERB CODE [OPTION OF THE TAG...]
  begin_bind bind "$1" "$2"
  await_discovery
  start_tag --agent "${@:3}"
}

finish_bind() { # and what it should have said on standard input
  tail --pid="${pid_of[bind]}" -s 0.05 -f /dev/null
  expect_output bind
}

# What BlueZ has of the tag: "bonded", "known", or nothing.
bluez_has() {
  local info
  info=$(bluetoothctl info $tag_address 2>&1)
  case $info in
    *"Bonded: yes"*) echo bonded ;;
    *"Bonded: no"*) echo known ;;
    # Before 5.65 there is only one word for both.
    *"Paired: yes"*) echo bonded ;;
    *"Paired: no"*) echo known ;;
  esac
}
