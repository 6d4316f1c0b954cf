# Where the cases are, for `check` and `run-cases`. A case is a function of a file in cases/, and the comment above it
# is its head.
folder_of_cases=$(cd "$(dirname "${BASH_SOURCE[0]}")/cases" && pwd)

every_case() {
  sed -n 's/^function \(.*\) {$/\1/p' "$folder_of_cases"/*.sh | LC_ALL=C sort
}

file_of() { # CASE
  grep -lx "function $1 {" "$folder_of_cases"/*.sh
}

head_of() { # CASE
  awk -v line="function $1 {" '$0 == line { printf "%s", head } { head = /^#/ ? head $0 "\n" : "" }' \
    "$folder_of_cases"/*.sh
}

# Prints the time limit of a case in seconds: 100, unless its head says "Takes up to N s". With "and M s for each
# interruption", INTERRUPTIONS adds to it; likewise KILLS with "kill", FAILURES with "failure", LOSSES with "loss",
# EARLY_ENDS with "early end", RETURNS with "return", UPDATES with "update", and GESTURES with "gesture".
limit_of() { # CASE
  local head seconds interruption kill failure loss early return update gesture
  head=$(head_of "$1")
  number() { sed -n "s/.*$1 \([0-9]*\) s${2:-}.*/\1/p" <<<"$head"; }
  each() { number and " for each $1"; }
  seconds=$(number "Takes up to") interruption=$(each interruption) kill=$(each kill) failure=$(each failure)
  loss=$(each loss) early=$(each "early end") return=$(each return) update=$(each update) gesture=$(each gesture)
  echo $((${seconds:-100} + ${interruption:-0} * ${INTERRUPTIONS:-4} + ${kill:-0} * ${KILLS:-5} +
    ${failure:-0} * ${FAILURES:-4} + ${loss:-0} * ${LOSSES:-1} + ${early:-0} * ${EARLY_ENDS:-1} +
    ${return:-0} * ${RETURNS:-4} + ${update:-0} * ${UPDATES:-2} + ${gesture:-0} * ${GESTURES:-20}))
}
