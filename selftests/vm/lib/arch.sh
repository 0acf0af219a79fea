# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # its variables are for those who source it
# What differs between the guests' architectures.

ARCHES="arm64 x86_64 riscv64"

# set_arch ARCH [KERNEL]: fill in the variables below, for that kernel or the usual one.
set_arch() {
	ARCH=$1
	KERNEL_DEFAULT=6.1
	SUITE=bookworm
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
		# Debian 12 does not know it.
		SUITE=trixie
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
	set_kernel "${2:-$KERNEL_DEFAULT}"
	set_compiler
}

# set_kernel VERSION: the suites that it, and what builds modules for it, come from.
set_kernel() {
	KERNEL=$1
	KERNEL_SUITE=$SUITE
	# Set when this machine cannot run the tools of the kernel's suite by itself.
	TOOLS_SUITE=${SUITE#bookworm}
	case $KERNEL in
	7 | 7.*)
		KERNEL_SUITE=trixie-backports
		TOOLS_SUITE=trixie
		;;
	esac
	TOOL=()
	# Make, which calls it, has another idea of O.
	[ -z "$TOOLS_SUITE" ] || TOOL=(env O="$(realpath -m "${O:-$TOP/build}")"
		"$VM_DIR/vm" tool --arch "$ARCH" --kernel "$KERNEL" --)
}

# The compiler for the guest's programs, whatever its kernel was built with.
set_compiler() {
	COMPILER_PACKAGES=(make gcc)
	COMPILER=("$TUPLE-gcc")
	if [ "$SUITE" = "$TOOLS_SUITE" ]; then
		# An older linker does not know what is in a newer C library.
		COMPILER=("${TOOL[@]}" "$TUPLE-gcc-14")
		COMPILER_PACKAGES=(make "binutils-${TUPLE//_/-}")
	elif [ "$DEB_ARCH" != "$HOST_ARCH" ]; then
		COMPILER_PACKAGES=(make "gcc-${TUPLE//_/-}")
	fi
	# For objtool, which every module goes through.
	[ "$ARCH" != x86_64 ] || COMPILER_PACKAGES+=(libelf1)
}
