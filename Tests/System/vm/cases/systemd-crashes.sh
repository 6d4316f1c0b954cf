# The service is killed and stopped: it is started again, and programs have their tag again by themselves. Ten crashes in a row
# do not close the socket. The same for the service of a user and for that of the system.
# Takes up to 1800 s.
. "$(dirname "$0")/../systemd/lib.sh"
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
  journalctl --quiet --since "@$began" --grep 'Watchdog timeout' | grep -q jacquardd || fail "the watchdog did not end the service"

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
