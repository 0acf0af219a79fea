# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The tools to build for a newer suite than this machine's: its compiler and its C library in a
# directory, entered with chroot.

# For what a kernel is built with, of which its own tools need libelf.
TOOLS_PACKAGES=(bash binutils coreutils dash findutils gawk grep libc-bin libc6 libelf1t64 make perl
	sed)

tools_packages() {
	printf '%s\n' "${TOOLS_PACKAGES[@]}" "gcc-14-${TUPLE//_/-}"
}

tools_item() {
	printf 'tools-%s-%s-%s\n' "$TOOLS_SUITE" "$ARCH" \
		"$(key_of "$(declare -f build_tools)" "$(tools_packages)")"
}

build_tools() { # DIRECTORY
	local packages

	mapfile -t packages < <(tools_packages)
	use_apt "$TOOLS_SUITE" "$HOST_ARCH"
	fetch_closure "tools-$ARCH" "${packages[@]}"
	unpack_into "$1" "tools-$ARCH"
	ln -sf dash "$1/usr/bin/sh"
	ln -sf gawk "$1/usr/bin/awk"
	mkdir -p "$1"/{dev,proc,tmp}
}

# Runs in a mount namespace of its own, which ends with it.
# shellcheck disable=SC2016 # expanded there
CHROOT_SCRIPT='
set -eu
root=$1 cwd=$2
shift 2
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do
	mkdir -p "$root$1"
	mount --rbind "$1" "$root$1"
	shift
done
shift
exec chroot "$root" /bin/sh -c '\''cd "$0" && exec "$@"'\'' "$cwd" "$@"'

# tools_run COMMAND...: here, with those tools.
tools_run() {
	local flags=(--mount)

	[ "$(id -u)" -eq 0 ] || flags+=(--map-root-user)
	exec unshare "${flags[@]}" sh -c "$CHROOT_SCRIPT" sh "$CACHE/$(tools_item)" "$PWD" \
		/dev /proc "$TOP" "$BUILD" "$CACHE" -- env PATH=/usr/bin:/usr/sbin LC_ALL=C "$@"
}
