# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The kernel's own test harness and runner, unmodified, from Debian's source package.

KSELFTEST_KERNEL=6.1

kselftest_item() {
	printf 'kselftest-%s-%s\n' "$KSELFTEST_KERNEL" "$(key_of "$(declare -f build_kselftest)")"
}

# Where lib.mk and run_kselftest.sh are.
kselftest_dir() {
	printf '%s/%s/tools/testing/selftests\n' "$CACHE" "$(kselftest_item)"
}

build_kselftest() { # DIRECTORY
	local tree=linux-source-$KSELFTEST_KERNEL parts='tools/testing/selftests'

	use_apt bookworm "$HOST_ARCH"
	fetch_exactly kselftest "$tree"
	unpack_into "$1/package" kselftest
	# Only the harness: the tests of the kernel itself are not ours to run.
	run_child tar -xJf "$1/package/usr/src/$tree.tar.xz" -C "$1" --strip-components=1 \
		--wildcards --no-wildcards-match-slash "$tree/scripts/subarch.include" \
		"$tree/$parts/*.mk" "$tree/$parts/*.h" "$tree/$parts/*.sh" \
		"$tree/$parts/kselftest/*"
	rm -rf "$1/package"
}

plan_kselftest() {
	plan_packages xz-utils
	plan_item "fetching the kernel's test harness" "$(kselftest_item)" build_kselftest
}
