# bluetoothd asks the library's agent about another device than the one that is being paired: here the host itself, as the
# tag's adapter sees it, since this tag has no agent of its own. The answer is no.
. "$(dirname "$0")/../bindings.sh"

begin_bind bind bind 01ZK
await_discovery
start_tag
finish_bind <<'END'
preparing
connecting
authenticating
disconnected: PAIRING_REFUSED
END
stop_tag
