# A newer release of the packages is installed while a program streams touch samples: the service is started again, its
# socket stays, and the program, which still has the former library, receives samples again by itself. The same with the
# former release, for the service of the system.
# Takes up to 1800 s.
. "$(dirname "$0")/../systemd/lib.sh"

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
