# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# The description for syzkaller says what the headers say.

prepare_syzkaller() {
	PACKAGES+=(gcc libc6-dev)
}

# It has a word to say when all is right.
check_syzkaller() {
	local rc=0

	CC=gcc selftests/fuzz/check-syzkaller >"$SCRATCH/found" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] || cat "$SCRATCH/found"
	return "$rc"
}

defect_syzkaller() {
	printf '#define PERFMON_IOC_DEFECT\t_IOW(PERFMON_IOC_MAGIC, 0x7f, __u32)\n' \
		>>include/uapi/linux/perfmon.h
	EXPECTED=('request PERFMON_IOC_DEFECT is missing')
}
