# A tag is bound with its code, connected without one, also by another process and after a restart of bluetoothd, and
# unbound, which removes it from BlueZ.
# Peer: bumble
# Takes up to 200 s. Core.
. "$(dirname "$0")/../bindings.sh"
without_code='preparing
connecting
initializing
configuring
connected
battery 80%'

begin_bind_and_tag bind 0000AAAAA001ZK
finish_bind <<'END'
preparing
connecting
authenticating
connecting
initializing
configuring
connected
battery 80%
END
expect_equal "what BlueZ has" bonded "$(bluez_has)"
bind known <<'END'
0000AAAAA001ZK of me, {'colour': 'blue'}
END

bind connect <<<"$without_code"
"$here/services" restart bluetoothd
bind connect <<<"$without_code"

bind unbind <<<"unbound"
expect_equal "what BlueZ has" "" "$(bluez_has)"
bind known <<<"none"
stop_tag
