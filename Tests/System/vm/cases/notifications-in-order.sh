# Two hundred notifications of two kinds, as fast as possible: all arrive, in order, without duplicates. Core.
. "$(dirname "$0")/lib.sh"
[ "$bluez" != 55 ] || skip "BlueZ 5.55 dies of values that another BlueZ sends in one notification; tags never do that"

events() {
  local number
  for number in {1..100}; do
    printf 'gesture %d\nbattery %d\n' "$number" $((100 - number))
  done
}

connect_host
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear [^n]'
events | tell_tag
await_line host 60 '^battery 0%$' >/dev/null

diff <(events) <(sed -n '/^gear [^n]/,$ s/^\(gesture [0-9]*\|battery [0-9]*\)%*$/\1/p' "$scratch/host") ||
  fail "the received values differ from the sent ones"
! grep '^log: wire' "$scratch/host" || fail "the library has dropped something"
expect_exit host 0 TERM
stop_tag
