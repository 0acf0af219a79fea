# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Several things at once: as many as there are CPUs for. What one of them prints is shown in one
# piece, when it ended.

CPUS=$(nproc)

# queue_job NAME CPUS COMMAND...: to be run, for which it keeps so many busy.
JOB_NAMES=() JOB_WIDTHS=() JOB_COMMANDS=()

queue_job() {
	JOB_NAMES+=("$1")
	# None needs more than there are.
	JOB_WIDTHS+=("$(($2 < CPUS ? $2 : CPUS))")
	JOB_COMMANDS+=("$(printf '%q ' "${@:3}")")
}

# run_jobs DIRECTORY REPORT: all that is queued, what each prints going to DIRECTORY/NAME.log. Calls
# REPORT NAME STATUS SECONDS when one has ended. The first that fits is next, so that no CPU is idle
# for the sake of a wide one; those come last.
run_jobs() {
	local dir=$1 report=$2 free=$CPUS i pid rc
	local -A running=() since=()

	while [ ${#JOB_NAMES[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
		for i in "${!JOB_NAMES[@]}"; do
			[ "${JOB_WIDTHS[i]}" -le "$free" ] || continue
			eval "start_child ${JOB_COMMANDS[i]}" >"$dir/${JOB_NAMES[i]}.log" 2>&1 \
				</dev/null
			running[$CHILD]="${JOB_WIDTHS[i]} ${JOB_NAMES[i]}"
			since[$CHILD]=$SECONDS
			free=$((free - JOB_WIDTHS[i]))
			unset "JOB_NAMES[i]" "JOB_WIDTHS[i]" "JOB_COMMANDS[i]"
		done
		rc=0
		wait -n -p pid "${!running[@]}" || rc=$?
		forget_child "$pid"
		free=$((free + ${running[$pid]%% *}))
		"$report" "${running[$pid]#* }" "$rc" "$((SECONDS - since[$pid]))"
		unset "running[$pid]"
	done
}
