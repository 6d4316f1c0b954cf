# What `setup` makes and `run` boots.
products=${XDG_CACHE_HOME:-$HOME/.cache}/libjacquard-vm
kernel=$products/vmlinux
kernel_package=$products/kernel-package
modules=$products/modules
initramfs=$products/initramfs.img
