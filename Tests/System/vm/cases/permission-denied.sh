# If the bus policy denies a user access to bluetoothd, the library reports this with advice; changing the policy is sufficient.
. "$(dirname "$0")/lib.sh"
policy=/etc/dbus-1/system.d/keep-nobody-out.conf
denied='JACQUARD_ERROR_PERMISSION_DENIED: .*group bluetooth'

reload_policy() {
  dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null ||
    fail "the bus does not take its policy"
}
trap 'rm -f $policy; reload_policy; stop_all; rm -rf "$scratch"' EXIT

cat >$policy <<END
<busconfig>
  <policy user="nobody"><deny send_destination="org.bluez"/></policy>
</busconfig>
END
reload_policy

background_as_other adapter nobody adapter
await_line adapter 30 "^adapter unauthorized : $denied"
background_as_other scan nobody scan
await_line scan 30 "^scan ended, permission denied: $denied"
expect_exit scan 0
expect_exit adapter 0 TERM

rm $policy
reload_policy
background_as_other allowed nobody adapter
await_line allowed 30 "^adapter powered on"
expect_exit allowed 0 TERM
