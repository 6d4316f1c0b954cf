# A tag is handed over without a pause, while BlueZ still keeps the link: the second connection waits for it and is
# established, in the same process and in another one, also from and to a program that uses jacquardd.
# Peer: bumble
# Takes up to 240 s.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src

start_service
socket=$JACQUARD_SERVICE
unset JACQUARD_SERVICE
connect_host
level=40
for service in off "$socket" "$socket" off; do
  kill -USR1 "${pid_of[host]}"
  background next env JACQUARD_SERVICE="$service" "$built/vm/host" --adapter $central_address connect
  await_line next 30 '^connected 14/14' >/dev/null
  tell_tag "battery $((level += 1))"
  await_line next 30 "^battery $level%\$"
  expect_exit host 0 TERM
  mv "$scratch/next" "$scratch/host"
  pid_of[host]=${pid_of[next]}
  unset "pid_of[next]"
done
expect_exit host 0 TERM

background program /usr/bin/python3 "$here/programs/managers.py" $central_address at-once
await_line program 90 "^second $level%" >/dev/null
tell_tag "gear attach levis-trucker" "at 3s gesture 99"
expect_exit program 0
stop_tag
