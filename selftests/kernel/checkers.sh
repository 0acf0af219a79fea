#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# After all the other tests: what the kernel's own checkers say that only tell when they are asked.
# (What they report by themselves is in the kernel's log, and fails the whole run.)

set -euo pipefail

LEAKS=/sys/kernel/debug/kmemleak
TAINT_WARN=$((1 << 9))
TAINT_DIE=$((1 << 7))

n=0
bad=0

# result CODE TEXT
result() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		bad=1
	fi
}

# It switches itself off after its first report, and when its tables are full.
lockdep_is_on() {
	if [ ! -e /proc/lockdep_stats ]; then
		result 0 "lock dependencies # SKIP this kernel does not follow them"
		return
	fi
	grep -E '^ *(debug_locks|lock-classes|direct dependencies|dependency chains):' \
		/proc/lockdep_stats | sed 's/^ */# /'
	grep -q '^ *debug_locks: *1$' /proc/lockdep_stats
	result $? "lock dependencies are still followed"
}

nothing_warned() {
	local taint

	taint=$(cat /proc/sys/kernel/tainted)
	[ $((taint & (TAINT_WARN | TAINT_DIE))) -eq 0 ]
	result $? "nothing warned"
}

# leaks TEXT: what nothing points to any more. A thing may be in a register or on its way between
# lists while they look: only what two scans, long enough after it was made, do not find is lost.
leaks() {
	local found

	if [ ! -e "$LEAKS" ]; then
		result 0 "$1 # SKIP this kernel does not look for leaks"
		return
	fi
	sleep 6
	echo scan >"$LEAKS"
	echo scan >"$LEAKS"
	found=$(cat "$LEAKS")
	[ -z "$found" ] || printf '%s\n' "$found" | sed 's/^/# /'
	[ -z "$found" ]
	result $? "$1"
}

modules_go() {
	! grep -q '^perfmon_sim ' /proc/modules || modprobe -r perfmon_sim
	modprobe -r perfmon
	result $? "the modules can be unloaded"
}

modules_come() {
	modprobe perfmon
	result $? "the module can be loaded again"
}

echo "TAP version 13"
echo "1..6"
# A check that fails is a result, not the end.
set +e
lockdep_is_on
nothing_warned
leaks "nothing leaked"
modules_go
leaks "nothing is left after unloading"
modules_come
exit "$bad"
