# Every feature from C: the programs of Tests/features as they are, each with a tag of its own on the air.
# Arguments, when run by hand: those programs alone. Takes up to 400 s.
. "$(dirname "$0")/lib.sh"
export JACQUARD_CONTROL=$scratch/control

programs=("$@")
[ $# -gt 0 ] || for program in "$built"/features/*; do programs+=("$(basename "$program")"); done
[ $# -gt 0 ] || [ ${#programs[@]} -ge 14 ] || fail "the programs are not built"
for program in "${programs[@]}"; do
  began=$SECONDS
  # A scan under way finds the tag at once.
  background "$program" "$built/features/$program"
  # Its own agent answers for the tag; the library's is on another connection.
  start_tag --agent
  expect_exit "$program" 0
  echo "$program: $(tail -n 1 "$scratch/$program") ($((SECONDS - began)) s)"
  stop_tag
  # A link that ends after its peripheral leaves a device without the Jacquard service behind.
  "$here/services" reset
done
