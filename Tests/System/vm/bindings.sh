# Functions for tests with bound tags: . "$(dirname "$0")/../bindings.sh"
. "$(dirname "${BASH_SOURCE[0]}")/cases/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src
export XDG_STATE_HOME=$scratch/state

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
