# The functions of the cases in a machine with systemd, with those of all cases: . "$(dirname "$0")/../systemd/lib.sh"
#
# anna and bert are members of the group jacquard, carl is not. Settings of the packaged units that a case changes are reset at
# its end, and all users are logged out.
. "$(dirname "${BASH_SOURCE[0]}")/../cases/lib.sh"
# shellcheck disable=SC2034
packages=$built/vm/packages
users="anna bert carl"

clean_up() {
  local user
  stop_all
  [ ! -e /run/jacquard/socket ] || systemctl --quiet disable --now jacquardd.socket jacquardd.service
  systemctl --quiet --global enable jacquardd.socket
  for user in $users; do
    is_logged_out "$user" || log_out "$user"
  done
  if [ -e /etc/systemd/user/jacquardd.service.d ]; then
    rm -r /etc/systemd/{user,system}/jacquardd.service.d
    systemctl daemon-reload
  fi
  rm -rf "$scratch"
}
trap clean_up EXIT
chmod 755 "$scratch"

# Settings of the service of each user and of the system, before the users log in.
set_service() { # LINE...
  local folder
  for folder in /etc/systemd/{user,system}/jacquardd.service.d; do
    mkdir -p "$folder"
    { echo "[Service]"; printf '%s\n' "$@"; } >"$folder/test.conf"
  done
  systemctl daemon-reload
}

# Whatever the case has left.
log_out() { # USER
  loginctl disable-linger "$1"
  loginctl terminate-user "$1" 2>/dev/null
  await 300 "logout of $1" is_logged_out "$1"
}

is_logged_out() { # USER
  ! pgrep --uid "$1" >/dev/null && [ ! -e "/run/user/$(id -u "$1")" ]
}

await() { # SECONDS WHAT COMMAND...
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "$what did not happen within its time"
    sleep 0.2
  done
}

# A tag with gear, which reports gestures and touch samples.
start_sleeve() {
  start_tag
  tell_tag "gear attach levis-trucker"
}

# A program in a new login session of a user, which ends with it.
log_in() { # NAME USER COMMAND...
  local name=$1 user=$2
  shift 2
  background "$name" su --login "$user" --command "exec $*"
}

# Receives gestures, or with what=stream touch samples instead.
start_program() { # NAME USER [COMMAND...]; the command runs the program
  local name=$1 user=$2
  shift 2
  log_in "$name" "$user" "$@" host --adapter $central_address "${what:-connect}"
}

# Prints the process of the service through which a program is connected, for the first, second … time.
service_of() { # NAME [NUMBER]
  await_line "$1" 300 "^connected 14/14, attempt [0-9]+, tag ${2:-1}, through process [0-9]+\$" | sed 's/.* //'
}

# A command of a user who has logged in, in that session's environment.
as() { # USER COMMAND...
  local user=$1
  shift
  setpriv --reuid="$user" --regid="$user" --init-groups env HOME=/home/"$user" XDG_RUNTIME_DIR="/run/user/$(id -u "$user")" "$@"
}

# systemctl for the service of a user, or for the system's.
control() { # USER|system COMMAND...
  local whose=$1
  shift
  if [ "$whose" = system ]; then systemctl "$@"; else as "$whose" systemctl --user "$@"; fi
}

property() { # USER|system UNIT PROPERTY
  control "$1" show --property="$3" --value "$2"
}

expect_property() { # USER|system UNIT PROPERTY VALUE
  expect_equal "$3 of $2 ($1)" "$4" "$(property "$1" "$2" "$3")"
}

has_property() { # USER|system UNIT PROPERTY VALUE
  [ "$(property "$1" "$2" "$3")" = "$4" ]
}

# The service ends by itself a while after its last program, and its socket remains.
await_end_of_service() { # USER|system
  await 300 "end of the idle service" has_property "$1" jacquardd.service ActiveState inactive
  expect_property "$1" jacquardd.service Result success
  expect_property "$1" jacquardd.service NRestarts 0
  expect_property "$1" jacquardd.socket ActiveState active
}

has_no_link() {
  ! bluetoothctl info $tag_address | grep -q 'Connected: yes'
}

links() {
  tell_tag stats
  sed -n 's/.* links=\([0-9]*\).*/\1/p' "$scratch/answers"
}

expect_gesture() { # NUMBER NAME...
  local number=$1 name
  shift
  tell_tag "gesture $number"
  for name; do
    await_line "$name" 300 "^gesture $number\$" >/dev/null
  done
}
