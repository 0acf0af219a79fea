# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The targets of this machine: static checks and unit tests.

check_lint() {
	heading "static checks"
	echo lint:lint >"$OUT/lint.list"
	pipe_to_reader lint "$OUT/lint.list" run_host_programs lint 1200 "$TOP/selftests/lint"
}

prepare_host() { # COMPILER
	plan_packages make "$1" libc6-dev libcmocka-dev libpfm4-dev libcap-dev
	run_plan
}

check_host() { # TARGET COMPILER
	local target=$1 list=$OUT/$1.list build=$BUILD_ROOT/$1 program programs

	heading "unit tests on this machine, with $2"
	[ -e "$TOP/selftests/lib/Makefile" ] || die "selftests/lib has no Makefile"
	if ! run_child host_make "$build" "$2" >"$OUT/$target.build.log" 2>&1; then
		cat "$OUT/$target.build.log"
		record fail "$target" selftests/lib build "the unit tests did not build"
		return
	fi
	mapfile -t programs < <(make -s -C "$TOP/selftests/lib" O="$build" list)
	programs+=("$TOP/selftests/check.d/test_harness")
	for program in "${programs[@]}"; do
		printf 'lib:%s\n' "${program##*/}"
	done >"$list"
	pipe_to_reader "$target" "$list" run_host_programs lib 120 "${programs[@]}"
}

host_make() { # OUTPUT-DIRECTORY COMPILER
	local variables=(O="$1" CC="$2" CFLAGS="-O2 -g -Werror")

	make -s -C "$TOP" "${variables[@]}" user &&
		make -s -C "$TOP/selftests/lib" "${variables[@]}" all
}

# As the kselftest runner does it, so that one reader serves for both.
run_host_programs() { # COLLECTION SECONDS PROGRAM...
	local collection=$1 seconds=$2 program name n=0 rc
	shift 2

	printf 'TAP version 13\n1..%d\n' $#
	for program; do
		n=$((n + 1))
		rc=0
		name="selftests: $collection: ${program##*/}"
		printf '# %s\n' "$name"
		CMOCKA_MESSAGE_OUTPUT=TAP timeout "$seconds" "$program" </dev/null 2>&1 |
			sed -u 's/^/# /' || rc=$?
		if [ "$rc" -eq 0 ]; then
			printf 'ok %d %s\n' "$n" "$name"
		else
			printf 'not ok %d %s # exit=%d\n' "$n" "$name" "$rc"
		fi
	done
}
