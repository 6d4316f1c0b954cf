# Every feature from C: the programs of Tests/features as they are, each with a tag of its own on the air.
. "$(dirname "$0")/lib.sh"
export JACQUARD_CONTROL=$scratch/control

programs=("$built"/features/*)
[ ${#programs[@]} -ge 14 ] || fail "the programs are not built"
for program in "${programs[@]}"; do
  name=$(basename "$program")
  began=$SECONDS
  # A scan under way finds the tag at once.
  background "$name" "$program"
  start_tag
  expect_exit "$name" 0
  tail -n 1 "$scratch/$name" | sed "s/^/$name: /; s/\$/ ($((SECONDS - began)) s)/"
  stop_tag
done
