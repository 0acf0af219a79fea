#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cpustat as a user sees it. Runs as root where the module is loaded; prints KTAP.

set -euo pipefail

readonly SKIP=4
readonly CPU1=/sys/devices/system/cpu/cpu1/online
readonly PARANOID=/proc/sys/kernel/perf_event_paranoid
readonly SOFT=context-switches,page-faults

tests=(
	help_is_usage_and_list help_takes_a_pattern help_without_a_match version
	usage_errors unknown_event_gets_suggestions
	columns totals_are_sums
	stamp_as_number stamp_as_date tick_column rotation period
	fractions_of_a_second own_affinity
	interrupt_prints_totals terminate_prints_totals hangup_prints_totals
	ignored_hangup_stays_ignored rotation_interrupted missed_intervals_are_left_out
	reader_gone full_disk closed_output
	user_without_rights user_whom_perf_refuses
	hardware_counts mode_of_counting load_is_seen_on_its_cpu
	busy_cpu_names_its_holder other_cpu_is_free holder_killed_leaves_nothing
	too_many_events soaker moved_threads_go_back low_file_limit
	cpu_goes_offline cpu_goes_offline_software cpu_is_offline_at_start
	no_counters no_module
)

# ---- what tests are written with ----

tmp=$(mktemp -d)
status=0

fail() {
	echo "# $*"
	sed 's/^/# out: /' "$tmp/out" 2>/dev/null || :
	sed 's/^/# err: /' "$tmp/err" 2>/dev/null || :
	exit 1
}

skip() {
	echo "$*" >"$tmp/skip"
	exit "$SKIP"
}

need_hardware() {
	[ -n "$hardware" ] || skip "no hardware counters"
}

# Some emulated PMUs count an event once only, and in every mode. perf says so, too.
need_good_counters() {
	need_hardware
	perf stat -x, -a -C 0 -e cycles:uD,cycles:kD,cycles:D -o "$tmp/perf" taskset -c 0 true
	awk -F, '$3 ~ /^cycles/ && $1 > 0 { n++ } END { exit n != 3 }' "$tmp/perf" ||
		skip "the counters of this machine cannot do enough"
}

# A simulated PMU counts the time, whatever the CPU does.
need_real_counters() {
	need_good_counters
	! grep -qs perfmon_sim /sys/bus/event_source/devices/cpu/caps/pmu_name ||
		skip "simulated counters do not see a load"
}

need_two_cpus() {
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
}

need_hotplug() {
	[ -w "$CPU1" ] || skip "CPU 1 cannot go offline"
}

# run COMMAND...: leaves $status, and what was printed in $tmp/out and $tmp/err.
run() {
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# start COMMAND...: the same in the background, without the shell's ignoring of SIGINT.
start() {
	set -m
	"$@" >"$tmp/out" 2>"$tmp/err" &
	job=$!
	set +m
}

finish() {
	status=0
	{ wait "$job" || status=$?; } 2>/dev/null
}

# Waits until what was started has printed a sample, or anything at all.
await_line() {
	local i

	for ((i = 0; i < 100; i++)); do
		! grep -q "${1:-tick}" "$tmp/out" || return 0
		sleep 0.1
	done
	fail "nothing was printed for 10 seconds"
}

# Waits until it has printed so many samples.
await_lines() {
	local i

	for ((i = 0; i < 200; i++)); do
		[ "$(grep -c tick "$tmp/out")" -lt "$1" ] || return 0
		sleep 0.1
	done
	fail "not $1 samples were printed within 20 seconds"
}

expect_status() {
	[ "$status" -eq "$1" ] || fail "status is $status, not $1"
}

expect_out() {
	grep -Eq -- "$1" "$tmp/out" || fail "the output has no line like '$1'"
}

expect_no_out() {
	! grep -Eq -- "$1" "$tmp/out" || fail "the output has a line like '$1'"
}

expect_lines() { # REGEX COUNT
	local n

	n=$(grep -Ec -- "$1" "$tmp/out" || :)
	[ "$n" -eq "$2" ] || fail "$n lines like '$1', not $2"
}

# One line on stderr that begins as it should and has all of these in it.
expect_message() {
	local part

	[ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "not one message"
	grep -q '^cpustat: ' "$tmp/err" || fail "the message does not begin with cpustat:"
	for part in "$@"; do
		grep -Eq -- "$part" "$tmp/err" || fail "the message has no '$part'"
	done
}

expect_silence() {
	[ ! -s "$tmp/err" ] || fail "there is a message"
}

as_user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# ---- help ----

test_help_is_usage_and_list() {
	run cpustat -h
	expect_status 0
	expect_silence
	expect_out '^usage: cpustat -c SPEC'
	expect_out '^software events:$'
	expect_out '^  context-switches +[a-z]'
	awk 'length > 90 { exit 1 }' "$tmp/out" || fail "a line is longer than a page is wide"
	mv "$tmp/out" "$tmp/short"
	run cpustat --help
	cmp -s "$tmp/out" "$tmp/short" || fail "--help is not -h"
}

test_help_takes_a_pattern() {
	run cpustat -h FAULT
	expect_status 0
	expect_out '^  page-faults'
	expect_no_out 'usage'
	expect_no_out '^  context-switches'
}

test_help_without_a_match() {
	run cpustat -h no-such-thing
	expect_status 1
	expect_message 'no-such-thing'
}

test_version() {
	run cpustat --version
	expect_status 0
	expect_out '^cpustat .* [0-9]+\.[0-9]+$'
}

# ---- bad usage ----

test_usage_errors() {
	local line
	local -a words

	while read -r line; do
		read -ra words <<<"$line"
		run cpustat "${words[@]}"
		[ "$status" -eq 2 ] || fail "cpustat $line: status is $status, not 2"
		[ ! -s "$tmp/out" ] || fail "cpustat $line: something is on stdout"
		expect_message 'cpustat -h'
	done <<-END
		1 1
		-z
		--colour
		-c
		-T x
		-p x
		-h one two
		-c $SOFT 0
		-c $SOFT 1 many
	END
}

test_unknown_event_gets_suggestions() {
	run cpustat -c context-switch,page-faults 1 1
	expect_status 2
	expect_message 'context-switch"' 'did you mean' 'context-switches'
	run cpustat -D -c context-switch 1 1
	expect_message '^cpustat: pme_spec_parse: '
}

# ---- columns ----

test_columns() {
	local cpu

	run cpustat -c "$SOFT" 0.2 3
	expect_status 0
	expect_silence
	[ "$(head -n 1 "$tmp/out")" = "   time cpu event      pic0      pic1 " ] || fail "the title"
	sed 1d "$tmp/out" >"$tmp/rest"
	if grep -Ev '^ *[0-9]+\.[0-9]{3} +[0-9]+ ( tick|total)( [ 0-9]{8}[0-9]){2} $' "$tmp/rest"; then
		fail "a line is not as wide as it should be"
	fi
	expect_lines tick $((3 * $(nproc)))
	expect_lines total 1
	for cpu in $(taskset -cp $$ | sed 's/.*: //' | expand_list); do
		expect_lines "^ *[0-9.]+ +$cpu +tick" 3
	done
	expect_out "^ *[0-9.]+ +$(nproc) total"
}

# "0-2,5" on stdin, one number a line on stdout.
expand_list() {
	local part last

	tr , '\n' | while IFS=- read -r part last; do
		seq "$part" "${last:-$part}"
	done
}

test_totals_are_sums() {
	run cpustat -n -t -c "$SOFT" 0.2 2
	awk '$3 == "tick" { for (i = 4; i <= 6; i++) sum[i] += $i }
		$3 == "total" { for (i = 4; i <= 6; i++) if ($i != sum[i]) exit 1 }' "$tmp/out" ||
		fail "the totals are not the sums of the samples"
	expect_no_out time
}

test_stamp_as_number() {
	local now

	now=$(date +%s)
	run cpustat -T u -c "$SOFT" 0.2 2
	expect_lines '^[0-9]{10,}$' $((2 * $(nproc)))
	awk -v now="$now" '/^[0-9]+$/ && ($1 < now || $1 > now + 60) { exit 1 }' "$tmp/out" ||
		fail "that is not the time"
	awk '/^[0-9]+$/ { stamp = 1; next } /tick/ && !stamp { exit 1 } { stamp = 0 }' "$tmp/out" ||
		fail "a sample has no stamp before it"
}

test_stamp_as_date() {
	local stamp

	run env TZ=UTC0 cpustat -T d -c "$SOFT" 0.2 1
	stamp=$(sed -n 2p "$tmp/out")
	[ "$(date -u -d "$stamp" '+%a %b %e %H:%M:%S UTC %Y')" = "$stamp" ] ||
		fail "'$stamp' is not as date(1) prints it"
}

test_tick_column() {
	local name=%tick

	case $(uname -m) in
	x86_64 | i?86) name=tsc ;;
	esac
	run cpustat -t -c "$SOFT" 0.3 1
	expect_out "^   time cpu event +$name      pic0      pic1 \$"
	awk '/tick  / && $4 == 0 { exit 1 }' "$tmp/out" || fail "no ticks went by"
}

# ---- several sets, time ----

test_rotation() {
	run cpustat -c page-faults -c context-switches,cpu-clock 0.2 4
	expect_status 0
	expect_out '^   time cpu event      pic0 $'
	expect_lines 'tick .*  # page-faults$' $((2 * $(nproc)))
	expect_lines 'tick .*  # context-switches,cpu-clock$' $((2 * $(nproc)))
	expect_lines 'total .*  # page-faults$' 1
	expect_lines 'total .*  # context-switches,cpu-clock$' 1
}

# The count is in rounds, and a round begins with each period.
test_period() {
	run cpustat -n -p 2 -c page-faults -c context-switches 0.2 2
	expect_status 0
	expect_lines tick $((2 * 2 * $(nproc)))
	awk '$3 == "tick" && $1 > 1.5 && ($1 < 2.2 || $1 > 4) { exit 1 }' "$tmp/out" ||
		fail "the second round does not begin at 2 seconds"
}

# Samples are due at multiples of the interval: being late does not add up.
test_fractions_of_a_second() {
	run cpustat -n -c "$SOFT" 0.25 8
	awk '$3 == "tick" && $2 == 0 { last = $1 } END { exit !(last >= 2 && last < 4) }' \
		"$tmp/out" || fail "eight quarters of a second are not two seconds"
}

test_own_affinity() {
	need_two_cpus
	run taskset -c 1 cpustat -c "$SOFT" 0.1 1
	expect_status 0
	expect_lines tick 1
	expect_out '^ *[0-9.]+ +1 +tick'
	expect_out '^ *[0-9.]+ +1 +total'
}

# ---- the end ----

stop_with() { # SIGNAL
	start cpustat -c "$SOFT" 60
	await_line time
	sleep 0.3
	kill -"$1" "$job"
	kill -"$1" "$job" 2>/dev/null || :	# as sudo passes it on
	finish
	expect_status 0
	expect_silence
	expect_lines tick "$(nproc)"
	expect_lines total 1
}

test_interrupt_prints_totals() {
	stop_with INT
}

test_terminate_prints_totals() {
	stop_with TERM
}

test_hangup_prints_totals() {
	stop_with HUP
}

test_ignored_hangup_stays_ignored() {
	local lines

	start sh -c "trap '' HUP; exec cpustat -c $SOFT 0.5"
	await_line
	kill -HUP "$job"
	lines=$(grep -c tick "$tmp/out")
	# The end of one that does not ignore it prints less.
	await_lines $((lines + 3 * $(nproc)))
	kill -INT "$job"
	finish
	expect_status 0
	expect_lines total 1
}

test_rotation_interrupted() {
	start cpustat -c page-faults -c context-switches 60
	await_line time
	kill -INT "$job"
	finish
	expect_status 0
	expect_lines 'total .*# page-faults' 1
	expect_lines 'total .*# context-switches' 0
	expect_message 'context-switches was not counted'
}

test_missed_intervals_are_left_out() {
	start cpustat -n -c "$SOFT" 0.5 15
	await_line
	kill -STOP "$job"
	sleep 2
	kill -CONT "$job"
	finish
	expect_status 0
	expect_lines tick $((15 * $(nproc)))
	awk '$3 == "tick" && $2 == 0 { last = $1 } END { exit !(last >= 8.5) }' "$tmp/out" ||
		fail "the intervals of the pause were not left out"
}

test_reader_gone() {
	local rc

	cpustat -c "$SOFT" 0.1 2>"$tmp/err" | head -n 2 >"$tmp/out" && rc=0 || rc=${PIPESTATUS[0]}
	[ "$rc" -eq 0 ] || fail "status is $rc"
	expect_silence
}

test_full_disk() {
	status=0
	cpustat -c "$SOFT" 0.1 >/dev/full 2>"$tmp/err" || status=$?
	expect_status 1
	expect_message 'cannot write'
	status=0
	cpustat -h >/dev/full 2>"$tmp/err" || status=$?
	expect_status 1
	expect_message 'cannot write'
}

test_closed_output() {
	status=0
	cpustat -c "$SOFT" 0.1 2 >&- 2>"$tmp/err" || status=$?
	expect_status 1
	expect_message 'cannot write'
	status=0
	cpustat -c "$SOFT" 0.1 2 <&- >&- 2>&- || status=$?
	expect_status 1
}

# ---- rights ----

test_user_without_rights() {
	run as_user cpustat -c "$SOFT" 0.1 1
	expect_status 1
	expect_message /dev/perfmon 'Permission denied' sudo
	run as_user cpustat -h fault
	expect_status 0
}

test_user_whom_perf_refuses() {
	local was

	was=$(cat "$PARANOID")
	echo 2 >"$PARANOID"
	chmod 666 /dev/perfmon
	run as_user cpustat -c "$SOFT" 0.1 1
	chmod 600 /dev/perfmon
	echo "$was" >"$PARANOID"
	expect_status 1
	expect_message sudo
}

# ---- hardware ----

test_hardware_counts() {
	need_hardware
	run cpustat -c cycles,sys 0.3 2
	expect_status 0
	expect_silence
	awk '$3 == "tick" && $4 == 0 { exit 1 }' "$tmp/out" || fail "a CPU counted no cycle"
}

# In system mode alone, and in both, there is more to count than in user mode alone.
test_mode_of_counting() {
	need_good_counters
	run cpustat -n -c cycles,cycles,cycles,sys1,nouser1,sys2 0.3 1
	expect_status 0
	awk '$3 == "total" { exit !($6 >= $4 && $6 >= $5 && $5 > 0) }' "$tmp/out" ||
		fail "user, system and both do not go together"
}

test_load_is_seen_on_its_cpu() {
	local load

	need_real_counters
	need_two_cpus
	taskset -c 1 bash -c 'while :; do :; done' &
	load=$!
	run cpustat -n -c cycles 0.5 2
	kill "$load"
	wait "$load" 2>/dev/null || :
	expect_status 0
	awk '$3 == "tick" { sum[$2] += $4 } END { exit !(sum[1] > 10 * sum[0]) }' "$tmp/out" ||
		fail "CPU 1 was kept busy, and did not count more than CPU 0"
}

test_busy_cpu_names_its_holder() {
	local holder

	need_hardware
	cpustat -c cycles 60 >"$tmp/first" 2>&1 &
	holder=$!
	until grep -q time "$tmp/first"; do sleep 0.1; done
	run cpustat -c cycles 0.1 1
	kill "$holder"
	wait "$holder"
	expect_status 1
	expect_message 'busy' "pid $holder \(cpustat\)"
	[ ! -s "$tmp/out" ] || fail "something was printed"
}

test_other_cpu_is_free() {
	local holder

	need_hardware
	need_two_cpus
	taskset -c 1 cpustat -c cycles 60 >"$tmp/first" 2>&1 &
	holder=$!
	until grep -q time "$tmp/first"; do sleep 0.1; done
	run taskset -c 0 cpustat -c cycles 0.1 1
	expect_status 0
	run taskset -c 0,1 cpustat -c cycles 0.1 1
	kill "$holder"
	wait "$holder"
	expect_status 1
	expect_message 'CPU 1: busy'
	expect_out '^ *[0-9.]+ +0 +tick'
	expect_out '^ *[0-9.]+ +1 +total'
}

test_holder_killed_leaves_nothing() {
	need_hardware
	start cpustat -c cycles 60
	await_line time
	kill -KILL "$job"
	finish
	run cpustat -c cycles 0.1 1
	expect_status 0
}

test_too_many_events() {
	need_hardware
	run cpustat -c cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles 0.1 1
	[ "$status" -ne 0 ] || skip "this CPU has eight counters"
	expect_status 1
	expect_message 'no free counter for cycles' '[1-7] of 8 events'
}

test_soaker() {
	need_hardware
	run cpustat -n -s -c cycles,nouser,sys 0.3 2
	expect_status 0
	expect_silence
	expect_lines tick $((2 * $(nproc)))
	run cpustat -n -s -c cycles,nouser,sys -c cycles 0.3 4
	expect_status 0
	expect_lines tick $((4 * $(nproc)))
}

test_moved_threads_go_back() {
	need_hardware
	need_two_cpus
	start cpustat -n -c cycles 0.5 4
	await_line
	taskset -a -p 3 "$job" >/dev/null
	finish
	expect_status 0
	expect_silence
	expect_lines tick $((4 * $(nproc)))
}

# Room for one file, which the loader needs: cpustat must make itself more.
test_low_file_limit() {
	need_hardware
	run bash -c 'fds=(/proc/self/fd/*)
		ulimit -Sn $((${#fds[@]} + 1))
		exec cpustat -c cycles 0.1 1'
	expect_status 0
}

# ---- CPUs that come and go ----

offline_while_running() { # EVENT
	need_two_cpus
	need_hotplug
	start cpustat -n -c "$1" 0.5 4
	await_line
	echo 0 >"$CPU1"
	finish
	echo 1 >"$CPU1"
	expect_status 1
	expect_message 'CPU 1: went offline'
	expect_lines '^ *[0-9.]+ +0 +tick' 4
	expect_out "^ *[0-9.]+ +$(nproc) +total"
}

test_cpu_goes_offline() {
	need_hardware
	offline_while_running cycles
}

test_cpu_goes_offline_software() {
	offline_while_running context-switches
}

test_cpu_is_offline_at_start() {
	need_two_cpus
	need_hotplug
	echo 0 >"$CPU1"
	run cpustat -n -c "$SOFT" 0.1 1
	echo 1 >"$CPU1"
	expect_status 0
	expect_lines '^ *[0-9.]+ +1 +tick' 0
}

# ---- what is not there ----

test_no_counters() {
	[ -z "$hardware" ] || skip "there are hardware counters"
	run cpustat -c cycles 0.1 1
	expect_status 1
	expect_message 'context-switches'
	[ ! -s "$tmp/out" ] || fail "something was counted"
}

test_no_module() {
	rmmod perfmon 2>/dev/null || skip "the module cannot be removed"
	run cpustat -c "$SOFT" 0.1 1
	load_module
	expect_status 1
	expect_message /dev/perfmon 'modprobe perfmon'
}

# ---- the run ----

load_module() {
	modprobe perfmon 2>/dev/null || insmod "$module_file"
	udevadm settle 2>/dev/null || :
}

cleanup() {
	local rc=$?

	rm -rf "$tmp"
	case $rc in
	0 | 1 | "$SKIP") ;;
	*) rc=1 ;;
	esac
	exit "$rc"
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit "$SKIP"
}

main() {
	local i rc failed=0 name

	echo "TAP version 13"
	[ "$(id -u)" -eq 0 ] || skip_all "must be root"
	[ -c /dev/perfmon ] || skip_all "there is no /dev/perfmon"
	command -v cpustat >/dev/null || skip_all "cpustat is not installed"
	if cpustat -n -c cycles 0.01 1 >/dev/null 2>&1; then hardware=yes; else hardware=''; fi

	echo "1..${#tests[@]}"
	for ((i = 0; i < ${#tests[@]}; i++)); do
		name=${tests[i]}
		rm -f "$tmp"/*
		set +e
		(
			trap - EXIT
			set -e
			"test_$name"
		)
		rc=$?
		set -e
		case $rc in
		0) echo "ok $((i + 1)) $name" ;;
		"$SKIP") echo "ok $((i + 1)) $name # SKIP $(cat "$tmp/skip")" ;;
		*)
			echo "not ok $((i + 1)) $name"
			failed=1
			;;
		esac
	done
	return "$failed"
}

trap cleanup EXIT
module_file=${PERFMON_KO:-perfmon.ko}
main "$@"
