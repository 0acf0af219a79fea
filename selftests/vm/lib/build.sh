# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Our own software, built for the guest and installed into a directory the guest gets.

# Each kernel needs a build of its own.
build_dir() {
	local dir

	dir=$(realpath -m "${O:-$TOP/build}")/$ARCH
	[ "$KERNEL" = "$KERNEL_DEFAULT" ] || dir+=-$KERNEL
	printf '%s\n' "$dir"
}

# What is installed for a guest is replaced as a whole, and must not change while it is copied.
lock_build() {
	lock_file "$BUILD/.lock" BUILD_LOCK
}

unlock_build() {
	exec {BUILD_LOCK}>&-
}

# What the kernel can record of the driver alone: which lines ran, and where each request went.
instruments() {
	[ "$KERNEL" != debug ] || printf '%s\n' GCOV_PROFILE=y KCOV_INSTRUMENT=y
}

# guest_make ARGUMENT...: make for the guest's architecture, against its sysroot and its kernel.
# A warning about the module, of which W=1 gives more, is an error.
guest_make() {
	local instruments

	mapfile -t instruments < <(instruments)
	make --no-print-directory -C "$TOP" O="$BUILD" ARCH="$KARCH" CROSS_COMPILE="$TUPLE-" \
		CC="${COMPILER[*]}" SYSROOT="$(sysroot_dir)" KDIR="$(kernel_dir)/kdir" \
		KVER="$(cat "$(kernel_dir)/version")" PREFIX=/usr W=1 KCFLAGS=-Werror \
		"${instruments[@]}" \
		${TOOLS_SUITE:+KMAKE="${TOOL[*]} make CONFIG_DEBUG_INFO_BTF_MODULES="} "$@"
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
