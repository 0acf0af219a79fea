# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # its variables are for those who source it
# What differs between the guests' architectures.

ARCHES="arm64 x86_64 riscv64"

# set_arch ARCH: fill in the variables below.
set_arch() {
	ARCH=$1
	KERNEL_DEFAULT=6.1
	SUITE=bookworm
	# Set when this machine cannot run the tools of the guest's suite by itself.
	FOREIGN_TOOLS=
	QEMU_PACKAGES=()
	# For programs that test the compat system calls.
	COMPILER_32=()
	COMPILER_32_PACKAGES=()
	case $1 in
	arm64)
		DEB_ARCH=arm64
		KARCH=arm64
		TUPLE=aarch64-linux-gnu
		FLAVOUR=cloud-arm64
		QEMU=(qemu-system-aarch64 -M virt -cpu cortex-a57)
		QEMU_PACKAGES=(qemu-system-arm)
		CONSOLE=ttyAMA0
		COMPILER_32=(arm-linux-gnueabihf-gcc)
		COMPILER_32_PACKAGES=(gcc-arm-linux-gnueabihf libc6-dev-armhf-cross)
		;;
	x86_64)
		DEB_ARCH=amd64
		KARCH=x86_64
		TUPLE=x86_64-linux-gnu
		FLAVOUR=cloud-amd64
		# With a thread for each CPU the emulation now and then loses itself when the kernel
		# patches its own code, as it does for each kind of software event: the guest hangs,
		# or is reset.
		QEMU=(qemu-system-x86_64 -M q35 -cpu max -accel "tcg,thread=single")
		QEMU_PACKAGES=(qemu-system-x86)
		CONSOLE=ttyS0
		COMPILER_32=(i686-linux-gnu-gcc)
		COMPILER_32_PACKAGES=(gcc-i686-linux-gnu libc6-dev-i386-cross)
		;;
	riscv64)
		DEB_ARCH=riscv64
		KARCH=riscv
		TUPLE=riscv64-linux-gnu
		FLAVOUR=riscv64
		# Debian 12 has no kernel for it.
		SUITE=trixie
		FOREIGN_TOOLS=1
		KERNEL_DEFAULT=6.12
		QEMU=(qemu-system-riscv64 -M virt -cpu "rv64,sscofpmf=true")
		QEMU_PACKAGES=(qemu-system-misc opensbi)
		CONSOLE=ttyS0
		;;
	*)
		die "unknown architecture '$1'; there are: $ARCHES"
		;;
	esac
	HOST_ARCH=$(dpkg --print-architecture 2>/dev/null || uname -m)
	COMPILER_PACKAGES=(make gcc)
	COMPILER=("$TUPLE-gcc")
	if [ -n "$FOREIGN_TOOLS" ]; then
		# An older linker does not know what is in a newer C library.
		COMPILER=("$VM_DIR/vm" tool --arch "$ARCH" -- "$TUPLE-gcc-14")
		COMPILER_PACKAGES=(make "binutils-${TUPLE//_/-}")
	elif [ "$DEB_ARCH" != "$HOST_ARCH" ]; then
		COMPILER_PACKAGES=(make "gcc-${TUPLE//_/-}")
	fi
}
