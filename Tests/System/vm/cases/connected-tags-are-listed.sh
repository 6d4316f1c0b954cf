# A tag that is connected to this machine does not advertise; a scan of another program reports it first.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src

background program /usr/bin/python3 "$here/programs/second_scan.py"
await_line program 60 "^looking\$" >/dev/null
start_tag
expect_exit program 0
expect_output program <<'END'
looking
first 01ZK connected False
second 01ZK connected True
END
stop_tag
