# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What was found: a line for each case in RESULTS, "pass|fail|skip TAB target TAB program TAB case TAB
# remark", from what programs print and from ourselves.

# record STATUS TARGET PROGRAM CASE REMARK: a result of our own.
record() {
	printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$RESULTS"
	[ "$1" != fail ] || printf '    not ok %s: %s\n' "$4" "$5"
}

# pipe_to_reader TARGET LIST COMMAND...: record the results that COMMAND prints; its exit status.
pipe_to_reader() {
	local fd pid rc=0

	exec {fd}> >(read_ktap "$1" "$2")
	pid=$!
	run_child "${@:3}" >&"$fd" || rc=$?
	exec {fd}>&-
	wait "$pid"
	return "$rc"
}

read_ktap() { # TARGET LIST
	local options=()

	# Else it waits until its buffer is full.
	[[ $(readlink -f "$(command -v awk)") != */mawk ]] || options=(-W interactive)
	tee "$OUT/$1.ktap" |
		awk "${options[@]}" -v target="$1" -v results="$RESULTS" -v expected="$2" \
			-f "$TOP/selftests/ktap.awk"
}

print_list() { # STATUS TITLE
	local n

	n=$(count "$1")
	[ "$n" -gt 0 ] || return 0
	printf '\n%s:\n' "$2"
	awk -F '\t' -v status="$1" '$1 == status {
		printf "  %s %s %s%s\n", $2, $3, $4, $5 == "" ? "" : ": " $5 }' "$RESULTS"
}

count() { # STATUS
	awk -F '\t' -v status="$1" '$1 == status { n++ } END { print n + 0 }' "$RESULTS"
}

summary() {
	local passed failed skipped

	print_list skip "skipped"
	print_list fail "FAILED"
	passed=$(count pass) failed=$(count fail) skipped=$(count skip)
	printf '\n%d passed, %d failed%s\n' "$passed" "$failed" \
		"$([ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped")"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
