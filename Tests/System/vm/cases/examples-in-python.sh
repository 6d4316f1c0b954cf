# The unmodified examples of the Python package, asyncio and blocking.
. "$(dirname "$0")/lib.sh"
export JACQUARD_LIBRARY=$built/lib/libjacquard.so.0 PYTHONPATH=$here/../../../bindings/python/src
examples=$here/../../../bindings/python/examples

background battery /usr/bin/python3 "$examples/battery.py" 01ZK
start_tag
expect_exit battery 0
expect_equal "what battery.py prints" "80%" "$(cat "$scratch/battery")"
stop_tag
"$here/services" reset

background events /usr/bin/python3 "$examples/events.py"
start_tag
await_line events 60 '^80%$' >/dev/null
tell_tag "gear attach levis-trucker"
await_line events 30 'Trucker Jacket' >/dev/null
tell_tag "gesture cover"
await_line events 30 '^cover$' >/dev/null
# Ctrl-C is ignored in the background.
expect_exit events 143 TERM
stop_tag
