# The Python package, asyncio and blocking: finds the tag, connects step by step, reads the battery and receives its
# notifications.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src

background program /usr/bin/python3 "$here/programs/battery.py" $central_address
await_line program 60 "^looking\$" >/dev/null
start_tag
expect_exit program 0
expect_output program <<'END'
looking
found 01ZK Jacquard-01ZK None
preparing 0/14, preparing 1/14, preparing 2/14, connecting 3/14, connecting 4/14, connecting 5/14, connecting 6/14, connecting 7/14, initializing 8/14, initializing 9/14, initializing 10/14, initializing 11/14, configuring 12/14, configuring 13/14, connected 14/14
(1, 96, 0) battery 80%
told 80%
again, battery 80%
END
stop_tag
