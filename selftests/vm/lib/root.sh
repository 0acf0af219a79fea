# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest's userland: a Debian root, complete, so that it serves as the compiler's sysroot too.

# Real udev, kmod and systemd-modules-load, as they run on a real installation; libraries and their
# headers; perf to compare with; what test scripts call.
ROOT_PACKAGES=(
	base-passwd bash busybox-static coreutils dash diffutils findutils grep gawk hostname
	kmod libc-bin libc6 libcap2 libpfm4 login mount passwd perl-base procps psmisc sed
	strace systemd udev util-linux linux-perf
	libc6-dev libcap-dev libpfm4-dev libcmocka-dev)

root_item() {
	printf 'root-%s-%s-%s\n' "$SUITE" "$ARCH" \
		"$(key_of "$(declare -f build_root settle_root)" "${ROOT_PACKAGES[@]}")"
}

sysroot_dir() {
	printf '%s/%s\n' "$CACHE" "$(root_item)"
}

build_root() { # DIRECTORY
	use_apt "$SUITE" "$DEB_ARCH"
	fetch_closure root "${ROOT_PACKAGES[@]}"
	unpack_into "$1" root
	settle_root "$1"
}

# What the packages' installation scripts would have done, as far as a test machine needs it.
settle_root() { # DIRECTORY
	local etc=$1/etc link target

	cp "$1/usr/share/base-passwd/passwd.master" "$etc/passwd"
	cp "$1/usr/share/base-passwd/group.master" "$etc/group"
	sed -i 's|^root:\*:|root:x:|' "$etc/passwd"
	printf '%s\n' 'user:x:1000:1000:an ordinary user:/home/user:/bin/bash' >>"$etc/passwd"
	printf '%s\n' 'user:x:1000:' >>"$etc/group"
	# udev's own rules name these.
	printf '%s\n' 'input:x:101:' 'kvm:x:102:' 'render:x:103:' 'sgx:x:104:' >>"$etc/group"
	printf '%s\n' 'root:*:19000::::::' 'user:*:19000::::::' >"$etc/shadow"
	printf '127.0.0.1 localhost\n' >"$etc/hosts"
	printf '%s\n' "passwd: files" "group: files" "hosts: files" >"$etc/nsswitch.conf"
	ln -sf dash "$1/usr/bin/sh"
	ln -sf gawk "$1/usr/bin/awk"
	# A sysroot must not name the host's files: make the absolute links relative.
	find "$1/usr/lib" "$1/usr/include" -type l -lname '/*' -printf '%p %l\n' |
		while read -r link target; do
			ln -sfn -r "$1$target" "$link"
		done
}
