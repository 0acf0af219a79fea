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

# Only the harness: the tests of the kernel itself are not ours to run.
build_kselftest() { # DIRECTORY
	local dir=tools/testing/selftests

	unpack_source "$1" "$KSELFTEST_KERNEL" scripts/subarch.include "$dir/*.mk" "$dir/*.h" \
		"$dir/*.sh" "$dir/kselftest/*"
}

plan_kselftest() {
	[ ! -e "$CACHE/$(kselftest_item)" ] || return 0
	plan_source "$KSELFTEST_KERNEL"
	plan_item "unpacking the kernel's test harness" "$(kselftest_item)" build_kselftest
}
