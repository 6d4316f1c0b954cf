# C with the blocking layer and with other loops: finds the tag, connects, reads the battery, and exits successfully.
. "$(dirname "$0")/lib.sh"

for example in blocking-battery loop-glib loop-uv; do
  background $example "$built/examples/$example"
  await_discovery
  start_tag
  expect_exit $example 0
  expect_equal "the last line of $example" "battery 80%" "$(tail -n 1 "$scratch/$example")"
  stop_tag
  "$here/services" reset
done

# Events are fetched, including a lost link.
background example "$built/examples/blocking-gestures"
await_discovery
start_tag
await_line example 60 '^connected$' >/dev/null
tell_tag "gear attach levis-trucker"
tell_tag "at 1s gesture brush-in"
await_line example 30 '^brush-in$' >/dev/null
tell_tag "drop link"
await_lines example 60 2 '^connected$' >/dev/null
expect_exit example 0 INT
stop_tag
