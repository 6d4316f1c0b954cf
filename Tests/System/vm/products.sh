# The files that `setup` creates and `run` boots.
# shellcheck disable=SC2034

products=${XDG_CACHE_HOME:-$HOME/.cache}/libjacquard-vm
kernel=$products/vmlinux
packed_kernel=$products/vmlinuz
kernel_package=$products/kernel-package
modules=$products/modules
initramfs=$products/initramfs.img
dbus_broker=$products/dbus-broker
# The tag's radio, from PyPI, in a separate environment.
bumble_version=0.0.236
bumble=$products/bumble-$bumble_version

# BlueZ of another Debian release, below root/; created by `bluez`.
bluez_of() { # RELEASE
  echo "$products/bluez/$1"
}
