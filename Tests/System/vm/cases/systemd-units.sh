# The packaged units: they are correct, and neither they nor the service report anything while a program uses a tag.
# Takes up to 1800 s.
. "$(dirname "$0")/../systemd/lib.sh"

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
  SYSTEMD_LOG_LEVEL=warning as anna systemd-analyze $scope --man=no verify jacquardd.service jacquardd.socket >"$scratch/verify" 2>&1 ||
    fail "systemd-analyze: $(cat "$scratch/verify")"
  expect_equal "what systemd-analyze says" "" "$(cat "$scratch/verify")"
  stop program
  control $whose stop jacquardd.service
done
journalctl --quiet --since "@$began" --priority warning --grep jacquard >"$scratch/warnings"
expect_equal "warnings" "" "$(cat "$scratch/warnings")"
journalctl --quiet --since "@$began" --unit jacquardd.service
journalctl --quiet --since "@$began" _SYSTEMD_USER_UNIT=jacquardd.service
