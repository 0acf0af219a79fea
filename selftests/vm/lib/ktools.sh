# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The kernel's own checkers, unmodified, from the newest source package that Debian has for this
# machine's release.

KTOOLS_PARTS=(scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch
	Documentation/dev-tools/checkpatch.rst scripts/kernel-doc scripts/coccinelle)

ktools_item() {
	printf 'ktools-%s-%s\n' "$(host_codename)" \
		"$(key_of "$(declare -f build_ktools newest_source)" "${KTOOLS_PARTS[@]}")"
}

# Where the kernel's scripts/ is.
ktools_dir() {
	printf '%s/%s\n' "$CACHE" "$(ktools_item)"
}

newest_source() {
	local name

	name=$(apt_names linux-source- | sed -n '/^linux-source-[0-9.]*$/p' | sort -V | tail -n 1)
	[ -n "$name" ] || die "$(host_codename) has no package linux-source-*"
	printf '%s\n' "$name"
}

build_ktools() { # DIRECTORY
	local tree

	use_apt "$(host_codename)" "$HOST_ARCH"
	tree=$(newest_source)
	fetch_exactly ktools "$tree"
	unpack_into "$1/package" ktools
	run_child tar -xJf "$1/package/usr/src/$tree.tar.xz" -C "$1" --strip-components=1 \
		"${KTOOLS_PARTS[@]/#/$tree/}"
	rm -rf "$1/package"
}

plan_ktools() {
	plan_packages xz-utils
	plan_item "fetching the kernel's checkers" "$(ktools_item)" build_ktools
}
