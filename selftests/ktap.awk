# SPDX-License-Identifier: GPL-2.0-only
# Read what the kselftest runner prints, as it comes, and record one line per test case in RESULTS:
# "pass|fail|skip TAB target TAB program TAB case TAB remark".
#
# The runner puts "# " before all that a program prints. So the program's own results are comments
# to it, and its result is the summary of them: a summary counts for itself only when there is
# nothing below it, or when it failed although all below it passed.
#
# Variables: target, results (a file), expected (a file: collection:program, one a line).

BEGIN {
	while ((getline line <expected) > 0) {
		sub(/:/, "/", line)
		due[line] = 1
		order[++dues] = line
	}
}

# ---- records

function record(status, name, remark) {
	printf "%s\t%s\t%s\t%s\t%s\n", status, target, program, name, remark >>results
	count[status]++
	if (status == "fail")
		printf "    not ok %s%s\n", name, remark == "" ? "" : ": " remark
}

# The part of a result line after its number, without the directive, and the directive.
function parse_result(text) {
	result = text ~ /^not ok/ ? "fail" : "pass"
	sub(/^(not )?ok +[0-9]+ *(- )?/, "", text)
	directive = remark = ""
	if (match(text, /# *(SKIP|TODO|XFAIL|TIMEOUT|ERROR|exit=)/)) {
		directive = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
		sub(/^# */, "", directive)
		remark = directive
		sub(/^SKIP *:? */, "", remark)
	}
	sub(/ +$/, "", text)
	title = text
	# Cmocka calls a skipped case not ok. A failure that its test expects is none.
	if (directive ~ /^(SKIP|XFAIL|TODO)/)
		result = "skip"
}

# ---- levels: LEVEL -1 is the program, others are the indentation of what it printed

function close_level(level) {
	if (!(level in ran) && !(level in planned))
		return
	if (!(level in planned)) {
		record("fail", "(plan)", "the program announced no number of cases")
		failed[level]++
	} else if (planned[level] != ran[level] + 0) {
		record("fail", "(plan)", \
			planned[level] " cases announced, " (ran[level] + 0) " seen")
		failed[level]++
	}
	total[level] += ran[level]
	delete planned[level]
	delete ran[level]
}

# Add up and forget what was seen below LEVEL: sets below and below_failed.
function fold(level,	l) {
	below = below_failed = 0
	for (l in known) {
		if (l + 0 <= level)
			continue
		close_level(l)
		below += total[l]
		below_failed += failed[l]
		delete known[l]
		delete total[l]
		delete failed[l]
	}
}

function take_result(level, text) {
	parse_result(text)
	if (title == "")
		title = running != "" ? running : remark != "" ? remark : "(unnamed)"
	fold(level)
	if (below == 0)
		record(result, title, remark)
	else if (result == "fail" && below_failed == 0)
		record("fail", title, "failed, though all its cases passed: " remark)
	known[level] = 1
	ran[level]++
	if (result == "fail" || below_failed)
		failed[level]++
	running = ""
}

# ---- programs

# Seconds. The value of srand() is the seed before, and the time is the usual seed.
function now() {
	srand()
	return srand()
}

function begin_program(text) {
	end_program("")
	sub(/^# selftests: /, "", text)
	sub(/: /, "/", text)
	program = text
	printed = 0
	since = now()
	skip_reason = ""
	split("", count)
	printf "  %-8s %s ...\n", target, program
	fflush()
}

# Without TEXT, the runner's result, the program did not end.
function end_program(text,	n, i) {
	if (program == "")
		return
	if (text == "") {
		fold(-1)
		record("fail", "(end)", "it did not end")
	} else {
		parse_result(text)
		title = "(program)"
		if (result == "skip" && remark == "")
			remark = skip_reason
		fold(-1)
		if (below == 0)
			record(result, title, remark)
		else if (result == "fail" && below_failed == 0)
			record("fail", title, "failed, though all its cases passed: " remark)
	}
	if (count["fail"]) {
		n = printed > 60 ? printed - 60 : 0
		for (i = n + 1; i <= printed; i++)
			printf "    | %s\n", output[i]
	}
	printf "  %-8s %s: %d passed, %d failed%s, %d s\n", target, program, count["pass"], \
		count["fail"], count["skip"] ? ", " count["skip"] " skipped" : "", now() - since
	fflush()
	done[program] = 1
	program = ""
}

# ---- lines

{ sub(/\r$/, "") }

/^# selftests: / {
	begin_program($0)
	next
}

/^(not )?ok [0-9]+ selftests: / {
	end_program($0)
	next
}

/^#/ && program != "" {
	line = $0
	sub(/^# ?/, "", line)
	output[++printed] = line
	indent = match(line, /[^ ]/) - 1
	text = substr(line, indent + 1)
	if (text ~ /^(not )?ok [0-9]+/) {
		take_result(indent, text)
	} else if (text ~ /^1\.\.[0-9]+/) {
		# TAP allows the plan at the end, too. A second one begins another group of cases.
		if (indent in planned)
			close_level(indent)
		known[indent] = 1
		planned[indent] = substr(text, 4) + 0
		if (match(text, /# *SKIP */))
			skip_reason = substr(text, RSTART + RLENGTH)
	} else if (text ~ /^# +RUN +/) {
		# The harness of 6.1 does not name the cases that it skips.
		running = text
		sub(/^# +RUN +/, "", running)
		sub(/ \.\.\.$/, "", running)
	}
	next
}

END {
	end_program("")
	for (d = 1; d <= dues; d++) {
		if (!(order[d] in done)) {
			program = order[d]
			record("fail", "(program)", "it did not run")
		}
	}
}
