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

# Other users may not have access to the build directory.
mkdir -p "$scratch/open/vm" "$scratch/open/lib"
cp "$built/vm/host" "$scratch/open/vm"
cp -L "$built/lib/libjacquard.so.0" "$scratch/open/lib"
chmod 755 "$scratch"
background adapter setpriv --reuid=nobody --regid=nogroup --clear-groups "$scratch/open/vm/host" adapter
await_line adapter 30 "^adapter unauthorized : $denied"
background scan setpriv --reuid=nobody --regid=nogroup --clear-groups "$scratch/open/vm/host" scan
await_line scan 30 "^scan ended, permission denied: $denied"
expect_exit scan 0
expect_exit adapter 0 TERM

rm $policy
reload_policy
background allowed setpriv --reuid=nobody --regid=nogroup --clear-groups "$scratch/open/vm/host" adapter
await_line allowed 30 "^adapter powered on"
expect_exit allowed 0 TERM
