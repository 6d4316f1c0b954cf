# Two processes use the same tag: the second gets IN_USE, and connects as soon as the first has ended.
# Peer: bumble
# Takes up to 150 s.
. "$(dirname "$0")/../bindings.sh"

begin_bind_and_tag bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0

begin_bind first stay
await_line first 60 '^battery 80%$'
bind connect <<'END'
preparing
disconnected: IN_USE
END
expect_exit first 137 KILL
begin_bind second connect
await_line second 60 '^battery 80%$'
expect_exit second 0
stop_tag
