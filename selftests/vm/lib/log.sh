# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The verdict on the kernel's log. What the kernel considers a defect fails the run, whatever the
# command returned.

KERNEL_DEFECTS='\[ cut here \]|WARNING: |BUG: |BUG at |Oops|Internal error: |Kernel panic
Unable to handle kernel|general protection fault|unable to handle page fault
possible circular locking|possible recursive locking|possible irq lock inversion
inconsistent (\{.*\} )?lock state|lock held when returning|held lock freed|bad unlock balance
nested lock was not taken|Invalid wait context|suspicious RCU|DEBUG_LOCKS_WARN_ON
sleeping function called from invalid|scheduling while atomic|Voluntary context switch within RCU
KASAN: |KCSAN: |UBSAN: |KFENCE: |KMSAN: |kmemleak: [1-9][0-9]* new|ODEBUG:
soft lockup|hard LOCKUP|hung_task: |blocked for more than|detected stalls|self-detected stall
rcu_.*kthread starved|refcount_t: |list_(add|del) corruption|nobody cared|page allocation failure
Bad page state|bad: scheduling|stack-protector|corrupted stack end|double fault|Bad mode in
unchecked MSR access|Call [Tt]race:|leaked IRQ state
VFS: Busy inodes|slab-.* overwritten|Redzone|Poison overwritten|Objects remaining in'

# log_defects LOG: the lines that fail a run; fails when there is none.
log_defects() {
	grep -aE "$(printf '%s' "$KERNEL_DEFECTS" | tr '\n' '|')" "$1" | tr -d '\r'
}

LOG_LINES=60

# show_log LOG [PATTERN]: its end, or what begins at the first line that contains PATTERN.
show_log() {
	local first

	first=$(($(wc -l <"$1") - LOG_LINES))
	if [ $# -gt 1 ]; then
		first=$(($(grep -anF -m 1 -e "$2" "$1" | cut -d: -f1) - 5))
	fi
	[ "$first" -gt 1 ] || first=1
	say "---- the guest's kernel log, from line $first of $LOG:"
	# Nobody in this pipe may stop reading: who writes would be ended, and we with it.
	sed -n "$first,$((first + LOG_LINES - 1))p" "$1" | tr -d '\r' >&2
	say "----"
}
