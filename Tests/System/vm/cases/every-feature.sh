# Every feature from C: the unmodified programs of Tests/Interface/features, each with its own tag.
# Arguments, for manual runs: only these programs. Takes up to 520 s.
. "$(dirname "$0")/lib.sh"
export JACQUARD_CONTROL=$scratch/control

programs=("$@")
[ $# -gt 0 ] || for program in "$built"/features/*; do programs+=("$(basename "$program")"); done
[ $# -gt 0 ] || [ ${#programs[@]} -ge 14 ] || fail "the programs are not built"
for program in "${programs[@]}"; do
  began=$SECONDS
  # A running scan finds the tag immediately.
  background "$program" "$built/features/$program"
  # The tag has its own agent; the library's agent is on another connection.
  start_tag --agent
  expect_exit "$program" 0
  echo "$program: $(tail -n 1 "$scratch/$program") ($((SECONDS - began)) s)"
  stop_tag
  # If a link ends after its peripheral, a device without the Jacquard service remains.
  "$here/services" reset
done
