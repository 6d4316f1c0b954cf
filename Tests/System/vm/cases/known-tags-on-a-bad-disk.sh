# The disk is full, then read-only: binding fails and removes the bond, but a known tag is still connected.
. "$(dirname "$0")/../bindings.sh"
mkdir -p "$XDG_STATE_HOME"
mount -t tmpfs -o size=8k,nr_inodes=8 tmpfs "$XDG_STATE_HOME" || fail "no tmpfs"
trap 'stop_all; umount "$XDG_STATE_HOME"; rm -rf "$scratch"' EXIT
dd if=/dev/zero of="$XDG_STATE_HOME/filler" bs=1k count=8 2>/dev/null

begin_bind_and_tag bind 01ZK
await_line bind 60 '^disconnected: STATE_FILE$'
expect_exit bind 0
expect_equal "what BlueZ has" "" "$(bluez_has)"
tell_tag "bond forget"

rm "$XDG_STATE_HOME/filler"
begin_bind bind bind 01ZK
await_line bind 60 '^battery 80%$'
expect_exit bind 0
cp "$XDG_STATE_HOME/jacquard/state.json" "$scratch/before"

mount -o remount,ro "$XDG_STATE_HOME"
begin_bind bind connect
await_line bind 60 '^battery 80%$'
expect_exit bind 0
bind unbind <<<"error STATE_FILE"
cmp "$scratch/before" "$XDG_STATE_HOME/jacquard/state.json" || fail "the file has changed"
stop_tag
