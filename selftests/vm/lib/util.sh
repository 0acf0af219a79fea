# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # its variables are for those who source it
# Messages, steps, temporary files: what every other file of this directory needs.

# Exit codes of our own, out of the way of most commands' codes (those of timeout(1) and xargs(1)).
EXIT_TIMEOUT=124
EXIT_BROKEN=125

say() {
	printf '%s\n' "$*" >&2
}

die() {
	say "vm: $*"
	exit "$EXIT_BROKEN"
}

# What must not outlive this process: directories and children. AT_EXIT may rescue something first.
TEMP_PATHS=()
CHILDREN=()
AT_EXIT=true

clean_up() {
	local pid

	trap '' INT TERM HUP
	for pid in "${CHILDREN[@]}"; do
		kill -TERM -- "-$pid" 2>/dev/null || true
	done
	for pid in "${CHILDREN[@]}"; do
		wait "$pid" 2>/dev/null || true
	done
	"$AT_EXIT"
	[ ${#TEMP_PATHS[@]} -eq 0 ] || rm -rf -- "${TEMP_PATHS[@]}"
}

# Bash runs a trap only after its foreground child ended, so anything long runs in the background
# under run_child, whose wait a signal interrupts at once. Each child leads a process group, so that
# its own children end with it.
set_traps() {
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
}

# start_child COMMAND...: in the background; CHILD is its process id.
start_child() {
	set -m
	"$@" &
	CHILD=$!
	set +m
	CHILDREN+=("$CHILD")
}

# wait_child PID: its exit status.
wait_child() {
	local rc=0

	wait "$1" || rc=$?
	forget_child "$1"
	return "$rc"
}

# run_child COMMAND...: like COMMAND, but a signal to this shell ends both. As a condition only for
# a program: bash runs a function on after its first error when somebody looks at the result.
run_child() {
	start_child "$@"
	wait_child "$CHILD"
}

forget_child() {
	local pid kept=()

	for pid in "${CHILDREN[@]}"; do
		[ "$pid" = "$1" ] || kept+=("$pid")
	done
	CHILDREN=("${kept[@]}")
}

# A plan is a list of steps, known before the first one starts, so that each can say how far we are.
PLAN_TEXT=()
PLAN_CALL=()

plan() { # TEXT COMMAND [ARG...]
	PLAN_TEXT+=("$1")
	shift
	PLAN_CALL+=("$(printf '%q ' "$@")")
}

run_plan() {
	local i

	for i in "${!PLAN_TEXT[@]}"; do
		say "[$((i + 1))/${#PLAN_TEXT[@]}] ${PLAN_TEXT[i]} ..."
		eval "${PLAN_CALL[i]}"
	done
	PLAN_TEXT=()
	PLAN_CALL=()
}
