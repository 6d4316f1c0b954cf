# The adapters are unplugged: a running manager waits, a new one reports that there is none; both detect the return.
. "$(dirname "$0")/lib.sh"

background before "$built/vm/host" adapter
await_line before 30 "^adapter powered on"
"$here/services" stop btvirt
await_line before 30 '^adapter resetting : JACQUARD_ERROR_NO_ADAPTER: '
background after "$built/vm/host" adapter
await_line after 30 '^adapter unsupported : JACQUARD_ERROR_NO_ADAPTER: '
background scan "$built/vm/host" scan
await_line scan 30 '^scan ended, adapter gone: JACQUARD_ERROR_NO_ADAPTER: '
expect_exit scan 0

"$here/services" start btvirt
await_line after 30 "^adapter powered on"
await_lines before 30 2 "^adapter powered on"
expect_exit before 0 TERM
expect_exit after 0 TERM
