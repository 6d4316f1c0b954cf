# The packaged service is started again: after crashes, upgrades and reboots. In the same machine as systemd.sh.
. "$(dirname "$0")/systemd.sh"

# The service is killed and stopped: it is started again, and programs have their tag again by themselves. Ten crashes
# in a row do not close the socket. The same for the service of a user and for that of the system.
# Takes up to 1800 s.
function systemd-crashes {
  set_service WatchdogSec=5

  next_service() { # USER|system OLD
    local new
    until new=$(property "$1" jacquardd.service MainPID) && [ "$new" != 0 ] && [ "$new" != "$2" ]; do sleep 0.2; done
    echo "$new"
  }

  for whose in anna system; do
    [ $whose = anna ] || systemctl --quiet start jacquardd.socket
    start_sleeve
    # shellcheck disable=SC2046
    start_program program anna $([ $whose = anna ] || echo env JACQUARD_SERVICE=/run/jacquard/socket)
    service=$(service_of program)

    kill -KILL "$service"
    await_line program 300 '^preparing 0/14, attempt [0-9]+: JACQUARD_ERROR_SERVICE_UNAVAILABLE: '
    killed=$service service=$(service_of program 2)
    [ "$service" != "$killed" ] || fail "the service is the one that was killed"
    expect_gesture 1 program

    kill -STOP "$service"
    stopped=$service service=$(service_of program 3)
    [ "$service" != "$stopped" ] || fail "the service is the one that was stopped"
    expect_gesture 2 program
    control $whose show --property=NRestarts jacquardd.service
    journalctl --quiet --since "@$began" --grep 'Watchdog timeout' | grep -q jacquardd ||
      fail "the watchdog did not end the service"

    for _ in $(seq 10); do
      kill -KILL "$service"
      service=$(next_service $whose "$service")
    done
    expect_property $whose jacquardd.socket ActiveState active
    await_line program 300 "^connected .*, through process $service\$"
    expect_gesture 3 program
    stop program
    stop_tag
  done
}

# A newer release of the packages is installed while a program streams touch samples: the service is started again, its
# socket stays, and the program, which still has the former library, receives samples again by itself. The same with the
# former release, for the service of the system.
# Takes up to 1800 s.
function systemd-upgrade {
  cat >"$scratch/scenario" <<'END'
gear attach levis-trucker
after ready every 100ms touch sweep
END
  start_tag --scenario "$scratch/scenario"

  samples() { grep -c '^touch ' "$scratch/program"; }

  await_samples() { # COUNT
    await_lines program 300 $(($(samples) + $1)) '^touch ' >/dev/null
  }

  upgrade() { # USER|system FOLDER COMMAND...
    local whose=$1 release=$2 service upgraded socket
    shift 2
    what=stream start_program program anna "$@"
    service=$(service_of program)
    await_samples 10
    socket=$(property "$whose" jacquardd.socket ActiveEnterTimestampMonotonic)
    dpkg --install "$release"/*.deb >"$scratch/dpkg" 2>&1 || fail "dpkg: $(tail -n 20 "$scratch/dpkg")"
    await_line program 300 '^preparing 0/14, attempt [0-9]+: JACQUARD_ERROR_SERVICE_UNAVAILABLE: ' >/dev/null
    upgraded=$(service_of program 2)
    [ "$upgraded" != "$service" ] || fail "the service was not started again"
    expect_equal "the service" /usr/bin/jacquardd "$(readlink "/proc/$upgraded/exe")"
    expect_property "$whose" jacquardd.service MainPID "$upgraded"
    expect_property "$whose" jacquardd.service NRestarts 0
    expect_property "$whose" jacquardd.socket ActiveState active
    expect_property "$whose" jacquardd.socket ActiveEnterTimestampMonotonic "$socket"
    await_samples 10
    stop program
  }

  upgrade anna "$packages/newer"
  systemctl --quiet enable --now jacquardd.socket
  upgrade system "$packages" env JACQUARD_SERVICE=/run/jacquard/socket
  stop_tag
}

# Rules of anna have a unit from `jacquardctl run --enable`. They run again after the machine has started without
# anyone's command, after a restart of bluetoothd, and after one of the service. As long as she is not at the screen,
# the package jacquard-uinput gives her no access to /dev/uinput: the rule with a key reports it, once, and works when
# she is there. The tag has another private address for each link, and stays one device with one record.
# Takes up to 1800 s; reboots its machine.
function systemd-automations {
  ran=/home/anna/ran

  await_rule() { # COUNT LINE
    await 300 "$2, for the $1. time," has_lines "$1" "$2"
  }

  # shellcheck disable=SC2329
  has_lines() { # COUNT LINE
    [ -e "$ran" ] && [ "$(grep -cxF "$2" "$ran")" -ge "$1" ]
  }

  expect_complaint() {
    local advice="Only the user who has logged in at the screen can press keys"
    journalctl --quiet _SYSTEMD_USER_UNIT=jacquard-automations.service --output cat | tee "$scratch/said"
    expect_equal "the number of complaints" 1 \
      "$(grep -c "^/dev/uinput cannot be opened: Permission denied. $advice" "$scratch/said")"
  }

  # Like a loss of power. The case begins again in the next boot.
  reboot_machine() {
    find / -xdev -cnewer /run/vm/booted -not -path '/tmp/*' -not -path '/var/log/*' -print0 |
      tar --create --no-recursion --absolute-names --file /run/vm/job/changes.new --null --files-from - || fail "tar"
    mv /run/vm/job/changes.new /run/vm/job/changes.tar
    sync
    echo b >/proc/sysrq-trigger
    sleep infinity
  }

  if [ ! -e /run/vm/job/changes.tar ]; then
    start_sleeve --private
    log_in idle anna sleep infinity
    log_in bind anna jacquardctl bind 01ZK
    await_line bind 300 '01ZK'
    expect_exit bind 0
    as anna mkdir -p /home/anna/.config/jacquard
    as anna tee /home/anna/.config/jacquard/automations.toml >/dev/null <<END
[[on]]
gesture = "any"
do = [{ key = "space" }, { shell = 'echo "\$JACQUARD_GESTURE" >>$ran' }]

[[on]]
connected_for = 0
do = { shell = 'echo connected >>$ran' }
END
    log_in enable anna jacquardctl run --enable
    expect_exit enable 0
    await_rule 1 connected
    tell_tag "gesture brush-in"
    await_rule 1 brush-in
    expect_complaint
    loginctl enable-linger anna
    reboot_machine
  fi

  await_rule 2 connected
  tell_tag "gesture brush-out"
  await_rule 1 brush-out
  systemctl restart bluetooth.service
  await_rule 3 connected
  tell_tag "gesture cover"
  await_rule 1 cover
  control anna restart jacquardd.service
  await_rule 4 connected
  tell_tag "gesture double-tap"
  await_rule 1 double-tap
  diff - "$ran" <<'END' || fail "the rules ran at other events"
connected
brush-in
connected
brush-out
connected
cover
connected
double-tap
END
  expect_complaint
  expect_equal "the tags that BlueZ has" "Device $tag_address" "$(bluetoothctl devices | cut -d ' ' -f 1-2)"
  expect_equal "the recorded tags" "$tag_identifier" "$(python3 -c '
import json, sys
print(*(tag["identifier"] for tag in json.load(sys.stdin)["tags"]))' </home/anna/.local/state/jacquard/state.json)"

  systemctl --quiet stop getty@tty1.service
  systemd-run --quiet --unit=screen --property=PAMName=login --property=User=anna --property=TTYPath=/dev/tty1 \
    --property=StandardInput=tty sleep infinity
  await 300 "access for the user at the screen" as anna test -w /dev/uinput
  tell_tag "gesture brush-up"
  await 300 "the keyboard" grep -q 'Jacquard keys' /proc/bus/input/devices
  ! as bert test -w /dev/uinput || fail "another user has access"
  systemctl stop screen.service
  dpkg --purge jacquard-uinput
  ! as anna test -w /dev/uinput || fail "the access is left after purging"
  stop_tag
}
