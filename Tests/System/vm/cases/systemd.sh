# The packaged service in a machine with systemd.
#
# anna and bert are members of the group jacquard, carl is not. Settings of the packaged units that a case changes are
# reset at its end, and all users are logged out.
. "$(dirname "$0")/lib.sh"
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

# Logs a user out, with everything that the case has left.
log_out() { # USER
  loginctl disable-linger "$1"
  loginctl terminate-user "$1" 2>/dev/null
  await 300 "logout of $1" is_logged_out "$1"
}

is_logged_out() { # USER
  ! pgrep --uid "$1" >/dev/null && [ ! -e "/run/user/$(id -u "$1")" ]
}

# A tag with gear, which reports gestures and touch samples.
start_sleeve() { # OPTION...
  start_tag "$@"
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
  setpriv --reuid="$user" --regid="$user" --init-groups \
    env HOME=/home/"$user" XDG_RUNTIME_DIR="/run/user/$(id -u "$user")" "$@"
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

# The socket of each user: the first program after a login starts the service, two sessions and a command share the tag,
# the service ends when it is idle, and the next program starts it again.
# Takes up to 1800 s.
function systemd-user {
  set_service ExecStart= "ExecStart=/usr/bin/jacquardd --idle 2 --linger 2"

  start_sleeve
  log_in idle anna sleep infinity
  await 300 "start of anna's socket" control anna --quiet is-active jacquardd.socket 2>/dev/null
  expect_property anna jacquardd.service ActiveState inactive
  expect_equal "the socket" "anna 600" "$(stat --format '%U %a' /run/user/"$(id -u anna)"/jacquard/socket)"

  start_program first anna
  service=$(service_of first)
  expect_property anna jacquardd.service MainPID "$service"
  expect_property anna jacquardd.service ActiveState active
  expect_equal "the owner of the service" anna "$(ps -o user= "$service")"
  expect_equal "the service" /usr/bin/jacquardd "$(readlink "/proc/$service/exe")"
  start_program second anna
  expect_equal "the service of the second program" "$service" "$(service_of second)"
  expect_gesture 1 first second
  log_in command anna jacquardctl battery 01ZK
  await_line command 300 80 >/dev/null
  expect_exit command 0
  expect_equal "the number of links" 1 "$(links)"

  stop first
  expect_gesture 2 second
  stop second
  await_end_of_service anna
  await_unconnected

  start_program third anna
  [ "$(service_of third)" != "$service" ] || fail "the service is the one that had ended"
  expect_gesture 3 third
  stop_tag
}

# The socket of the system: two users of the group jacquard share a tag through one service; another user can neither
# connect to it, nor take its place, nor lock the tag.
# Takes up to 1800 s.
function systemd-system {
  set_service ExecStart= "ExecStart=/usr/bin/jacquardd --idle 2 --linger 2"
  to_system="env JACQUARD_SERVICE=/run/jacquard/socket"

  systemctl --quiet enable --now jacquardd.socket || fail "the socket cannot be enabled"
  expect_equal "the socket" "root jacquard 660" "$(stat --format '%U %G %a' /run/jacquard/socket)"
  expect_equal "its directory" "root 755" "$(stat --format '%U %a' /run/jacquard)"
  # As the manual says: without the user's socket, programs find the system's.
  systemctl --quiet --global disable jacquardd.socket

  # carl locks the tag before anyone else.
  log_in lock carl python3 /usr/local/bin/lock.py $tag_identifier
  await_line lock 300 '^locked$' >/dev/null

  start_sleeve
  start_program first anna
  service=$(service_of first)
  expect_property system jacquardd.service MainPID "$service"
  # shellcheck disable=SC2086
  start_program second bert $to_system
  expect_equal "the service of the second user" "$service" "$(service_of second)"
  expect_equal "the user of the service" jacquardd "$(stat --format %U "/proc/$service")"
  expect_gesture 1 first second

  # shellcheck disable=SC2086
  start_program outside carl $to_system
  await_line outside 300 'JACQUARD_ERROR_.*/run/jacquard/socket'
  # A program of carl, with a link of its own, receives the error that the tag is in use.
  stop lock
  start_program direct carl
  await_line direct 300 'JACQUARD_ERROR_IN_USE: '
  log_in service carl jacquardd --socket /run/jacquard/socket
  await_line service 300 '^jacquardd: .*/run/jacquard/socket'
  expect_exit service 1
  expect_gesture 2 first second
  expect_equal "the number of links" 1 "$(links)"

  for name in outside direct first second; do stop $name; done
  await_end_of_service system
  await_unconnected
  systemctl --quiet stop jacquardd.socket
  [ ! -e /run/jacquard/socket ] || fail "the socket stays when its unit is stopped"
  stop_tag
}

# The packaged units: they are correct, and neither they nor the service report anything while a program uses a tag.
# Takes up to 1800 s.
function systemd-units {
  start_sleeve
  systemctl --quiet enable --now jacquardd.socket
  for whose in anna system; do
    # shellcheck disable=SC2046
    start_program program anna $([ $whose = anna ] || echo env JACQUARD_SERVICE=/run/jacquard/socket)
    expect_property $whose jacquardd.service MainPID "$(service_of program)"
    control $whose --failed --no-legend >"$scratch/failed"
    expect_equal "the failed units of $whose" "" "$(cat "$scratch/failed")"
    # The machine has no manual pages.
    scope=$([ $whose = system ] || echo --user)
    # shellcheck disable=SC2086
    SYSTEMD_LOG_LEVEL=warning as anna systemd-analyze $scope --man=no verify \
      jacquardd.service jacquardd.socket >"$scratch/verify" 2>&1 ||
      fail "systemd-analyze: $(cat "$scratch/verify")"
    expect_equal "what systemd-analyze says" "" "$(cat "$scratch/verify")"
    stop program
    control $whose stop jacquardd.service
  done
  journalctl --quiet --since "@$began" --priority warning --grep jacquard >"$scratch/warnings"
  expect_equal "warnings" "" "$(cat "$scratch/warnings")"
  journalctl --quiet --since "@$began" --unit jacquardd.service
  journalctl --quiet --since "@$began" _SYSTEMD_USER_UNIT=jacquardd.service
}

# Logout. With lingering, the service and a program of the user continue. Otherwise nothing is left: no process, no
# socket, no lock, no link.
# Takes up to 1800 s.
function systemd-logout {
  has_no_lock() {
    ! grep -q '@jacquard/' /proc/net/unix
  }

  expect_nothing() {
    await 300 "end of anna's processes" is_logged_out anna
    await 300 "end of the lock" has_no_lock
    await_unconnected
  }

  start_sleeve
  start_program program anna
  service=$(service_of program)
  ! has_no_lock || fail "the tag is not locked"
  stop program
  expect_nothing
  kill -0 "$service" 2>/dev/null && fail "the service goes on"

  loginctl enable-linger anna
  : >"$scratch/lingering" && chown anna "$scratch/lingering"
  log_in start anna systemd-run --user --quiet --unit=program --property=StandardOutput=append:"$scratch/lingering" \
    stdbuf -oL host --adapter $central_address connect
  expect_exit start 0
  await 300 "connection" grep -q '^connected' "$scratch/lingering"
  # A manager without lingering ends ten seconds after the last session.
  sleep 15 # nothing ends in this time
  expect_equal "the sessions" "" "$(loginctl --no-legend list-sessions)"
  expect_property anna program.service ActiveState active
  expect_property anna jacquardd.service ActiveState active
  tell_tag "gesture 1"
  await 300 "gesture" grep -qx 'gesture 1' "$scratch/lingering"
  expect_equal "the number of tags" 1 "$(grep -c '^connected' "$scratch/lingering")"

  loginctl disable-linger anna
  expect_nothing
  stop_tag
}
