# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Our own software, built for the guest and installed into a directory the guest gets.

# What is installed for a guest is replaced as a whole, and must not change while it is copied.
lock_build() {
	lock_file "$BUILD/.lock" BUILD_LOCK
}

unlock_build() {
	exec {BUILD_LOCK}>&-
}

# guest_make ARGUMENT...: make for the guest's architecture, against its sysroot and its kernel.
# A warning about the module, of which W=1 gives more, is an error.
guest_make() {
	make --no-print-directory -C "$TOP" O="$BUILD" ARCH="$KARCH" CROSS_COMPILE="$TUPLE-" \
		CC="${COMPILER[*]}" SYSROOT="$(sysroot_dir)" KDIR="$(kernel_dir)/kdir" \
		KVER="$(cat "$(kernel_dir)/version")" PREFIX=/usr W=1 KCFLAGS=-Werror \
		${FOREIGN_TOOLS:+KMAKE="$VM_DIR/vm tool --arch $ARCH -- make"} "$@"
}

# build_guest: bring everything up to date; quiet unless it fails. Needs the lock.
build_guest() {
	local rc=0 output=$BUILD/make.log

	# Anew each time: a file that is no longer installed must not live on here.
	rm -rf "$BUILD/root"
	run_child guest_make -s -j"$(nproc)" all install install-sim DESTDIR="$BUILD/root" \
		>"$output" 2>&1 </dev/null || rc=$?
	[ "$rc" -eq 0 ] || {
		rm -rf "$BUILD/root"
		cat "$output" >&2
		die "building for $ARCH failed; what you see above is in $output"
	}
}
