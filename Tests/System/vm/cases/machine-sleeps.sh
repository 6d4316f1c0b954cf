# The machine is suspended to memory and woken by its clock: the link is lost with that reason and re-established,
# events are delivered as before, a scan continues, and the suspend does not count towards time limits.
# Takes up to 250 s, in a machine that can sleep.
. "$(dirname "$0")/lib.sh"

sleep_for() { # SECONDS
  local before
  before=$(asleep)
  echo "+$1" >/sys/class/rtc/rtc0/wakealarm
  echo deep >/sys/power/mem_sleep
  echo mem >/sys/power/state || fail "this machine is not suspended"
  # The clock counts whole seconds.
  [ $(($(asleep) - before)) -ge $(($1 - 2)) ] || fail "the machine has not slept"
}

# Prints the seconds of suspend that CLOCK_MONOTONIC excludes.
asleep() {
  awk '/^now at/ { now = $3 / 1e9 } FNR == 1 && FILENAME ~ /uptime/ { up = $1 } END { printf "%d", up - now + 0.5 }' \
    /proc/timer_list /proc/uptime
}

connect_host
tell_tag "gear attach levis-trucker"
await_line host 30 '^gear Trucker Jacket$'
sleep_for 10
await_line host 60 '^preparing 0/14, attempt 1: JACQUARD_ERROR_CONNECTION_LOST: '
await_line host 60 '^the link ended: suspend$'
await_tag 2
await_lines host 30 2 '^gear Trucker Jacket$' >/dev/null
tell_tag "battery 31" "gesture 13"
await_line host 30 '^battery 31%$'
await_line host 30 '^gesture 13$'
expect_exit host 0 TERM
stop_tag

start_host --scan-for 25 scan
await_discovery
sleep_for 30
start_tag
await_line host 30 '^found 01ZK Jacquard-01ZK$'
expect_exit host 0 TERM
stop_tag
