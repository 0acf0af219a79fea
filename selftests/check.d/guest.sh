# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The targets that are guests: the module and the tools there.

# install_tests DIRECTORY: the programs of selftests/driver and its like for the guest, with the
# kernel's runner, laid out as "make install" of the kernel's own tree does it.
install_tests() {
	local dir=$1 collection list=$1/kselftest-list.txt collections=(driver tools)

	! is_variant sim || collections+=(sim)
	# Last: it unloads the module.
	! kernel_is_own || collections+=(kernel)

	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$(kselftest_dir)/run_kselftest.sh" "$dir/"
	cp -r "$(kselftest_dir)/kselftest" "$dir/"
	for collection in "${collections[@]}"; do
		[ -e "$TOP/selftests/$collection/Makefile" ] || continue
		test_make "$collection" INSTALL_PATH="$dir/$collection" install
		test_make "$collection" COLLECTION="$collection" emit_tests >>"$list"
	done
	select_tests "$list"
}

test_make() { # COLLECTION ARGUMENT...
	local output=$BUILD/selftests/$1

	mkdir -p "$output"
	make -s --no-print-directory -j"$(nproc)" -C "$TOP/selftests/$1" KSFT="$(kselftest_dir)" \
		OUTPUT="$output" CC="${COMPILER[*]} --sysroot=$(sysroot_dir)" \
		CC32="${COMPILER_32[*]}" \
		CROSS_COMPILE="$TUPLE-" ARCH="$KARCH" O="$BUILD" TOP="$TOP" \
		KHDR_INCLUDES="-isystem $TOP/include/uapi" \
		USERCFLAGS="-I$TOP/include" USERLDFLAGS="-L$BUILD/lib" "${@:2}"
}

# In the kernels that look for defects everything takes many times as long.
in_short() {
	kernel_is_own && [ -z "$LONG" ]
}

# The runner could select, too, but the reader of its output must know what to expect.
select_tests() { # LIST
	local test

	if [ ${#TESTS[@]} -eq 0 ]; then
		# What these guests show, they show of programs of 64 bits.
		! { is_variant icount || in_short; } || sed -i '/_32$/d' "$1"
		# Of the module the tools use nothing that the other programs do not.
		! in_short || sed -i '/^tools:/d' "$1"
		return
	fi
	for test in "${TESTS[@]}"; do
		grep -E "^$test(:|\$)" "$1" || say "check: there is no test $test"
	done >"$1.selected"
	mv "$1.selected" "$1"
}

# Of the guest that set_target has chosen. What fails here fails again when it is to run, and is a
# result then.
prepare_guest() {
	plan_kselftest
	plan_packages rsync "${COMPILER_32_PACKAGES[@]}"
	run_plan
	run_child "$VM_DIR/vm" prepare --arch "$ARCH" --kernel "$KERNEL" || true
}

check_guest() { # TARGET
	local target=$1 dir list rc=0

	heading "the $target guest"
	run_child "$VM_DIR/vm" build --arch "$ARCH" --kernel "$KERNEL" || {
		record fail "$target" build "(build)" "the guest's software did not build"
		return 0
	}
	dir=$BUILD/kselftest-$target
	list=$dir/kselftest-list.txt
	# What differs in its tests alone has the same directory.
	lock_build
	# Not as a condition: there bash would run on after the first error.
	start_child install_tests "$dir" >"$OUT/$target.build.log" 2>&1
	wait_child "$CHILD" || rc=$?
	unlock_build
	if [ "$rc" -ne 0 ]; then
		cat "$OUT/$target.build.log"
		record fail "$target" build "(build)" "the tests did not build"
		return 0
	fi
	pipe_to_reader "$target" "$list" "$VM_DIR/vm" run --arch "$ARCH" --kernel "$KERNEL" \
		--no-build "${GUEST_OPTIONS[@]}" --log "$OUT/$target.kernel.log" \
		--add "$dir:/opt/kselftest" -- "${GUEST_COMMAND[@]}" || rc=$?
	judge_guest "$target" "$rc"
	expect_counters "$target"
}

# The runner itself always succeeds.
judge_guest() { # TARGET VM-STATUS
	case $2 in
	0) record pass "$1" guest "its kernel reported nothing" "" ;;
	124) record fail "$1" guest "(time)" "the guest did not end in time" ;;
	125) record fail "$1" guest "(kernel)" "the guest broke, or its kernel reported a defect" ;;
	*) record fail "$1" guest "(runner)" "the test runner ended with status $2" ;;
	esac
}

# Tests are skipped where there are no counters. Where there must be some, that hides a failure.
expect_counters() { # TARGET
	[ "$ARCH" = arm64 ] || is_variant sim || return 0
	! awk -F '\t' -v target="$1" '$1 == "skip" && $2 == target &&
			$5 ~ /no hardware counters/ { found = 1 } END { exit !found }' "$RESULTS" ||
		record fail "$1" guest "(counters)" "no counters were found where there must be some"
}

# ---- which guest, and how

# Files of debugfs have no size, with which no archive can be made.
# shellcheck disable=SC2016 # expanded there
GATHER='cd /sys/kernel/debug/gcov && find . -name "*.gcda" | while read -r file; do
	mkdir -p "/root/gcov/${file%/*}" && cat "$file" >"/root/gcov/$file"
done'

keep_coverage() { # FILE
	local command

	printf -v command '%q ' "${GUEST_COMMAND[@]}"
	GUEST_OPTIONS+=(--get "/root/gcov:$1")
	GUEST_COMMAND=(bash -c "$command; rc=\$?; $GATHER; exit \$rc")
}

is_variant() { # WORD
	[[ "-$VARIANT-" = *"-$1-"* ]]
}

use_own_kernel() { # NAME
	KERNEL=$1
	GUEST_OPTIONS=(--timeout 2400 --memory 2048 --append panic_on_warn=1)
	[ -n "$LONG" ] || return 0
	# What finds the more the longer it runs, and the more CPUs there are.
	GUEST_OPTIONS+=(--timeout 3600 --smp 4)
	GUEST_COMMAND=(env STORM_SECONDS=60 "${GUEST_COMMAND[@]}")
}

set_target() { # TARGET[@KERNEL]
	local name=${1%@*} kernel=

	[ "$name" = "$1" ] || kernel=${1#*@}
	set_arch "${name%%-*}" "$kernel"
	VARIANT=${name#"$ARCH"}
	VARIANT=${VARIANT#-}
	GUEST_OPTIONS=(--timeout 600)
	# Its emulation is slow.
	[ "$ARCH" != riscv64 ] || GUEST_OPTIONS=(--timeout 1800)
	GUEST_COMMAND=(/opt/kselftest/run_kselftest.sh)
	! is_variant icount || GUEST_OPTIONS+=(--icount)
	# In the place of the PMU that this machine has not.
	! is_variant sim ||
		GUEST_COMMAND=(sh -c "modprobe perfmon_sim && exec ${GUEST_COMMAND[*]}")
	for kernel in debug kcsan; do
		! is_variant "$kernel" || use_own_kernel "$kernel"
	done
	[ -z "$COVERAGE" ] || [ "$KERNEL" != debug ] || keep_coverage "$COVERAGE/$name.tar"
	BUILD=$(build_dir)
}
