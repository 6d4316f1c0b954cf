# bluetoothd calls the library's agent for a device other than the one that is being paired: here the host itself, as
# seen by the tag's adapter, because this tag has no agent. The agent rejects the request.
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
