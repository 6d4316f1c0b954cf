# As many notifications as the tag can make: all arrive, in order, none twice.
. "$(dirname "$0")/lib.sh"

levels() {
  seq 100 -1 1
  seq 1 100
}

start_host connect
start_tag
await_line host 30 '^connected 14/14, attempt [0-9]+, tag 1$'
await_line host 30 '^battery 80%$'
levels | sed 's/^/battery /' | tell_tag
tell_tag "battery 0"
await_line host 30 '^battery 0%$' >/dev/null

diff <(echo 80; levels; echo 0) <(sed -n 's/^battery \([0-9]*\)%$/\1/p' "$scratch/host") || fail "not what was sent"
! grep '^log: wire' "$scratch/host" || fail "the library has dropped something"
expect_exit host 0 TERM
stop_tag
