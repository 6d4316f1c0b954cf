# With a wrong code, or a tag that refuses to pair, binding fails and leaves nothing here or in BlueZ.
# Takes up to 150 s.
. "$(dirname "$0")/../bindings.sh"

begin_bind_and_tag bind 1111AAAAA001ZK
finish_bind <<'END'
preparing
connecting
authenticating
connecting
initializing
configuring
disconnected: WRONG_CODE
END
expect_equal "what BlueZ has" "" "$(bluez_has)"
bind known <<<"none"
stop_tag

"$here/services" reset
echo "bond refused" >"$scratch/scenario"
begin_bind_and_tag bind 01ZK --scenario "$scratch/scenario"
finish_bind <<'END'
preparing
connecting
authenticating
disconnected: PAIRING_REFUSED
END
[ "$(bluez_has)" != bonded ] || fail "there is a bond"
bind known <<<"none"
stop_tag
