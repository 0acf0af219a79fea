# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# The libraries, the tools and their unit tests, whatever macros are defined.

prepare_cppcheck() {
	PACKAGES+=(cppcheck)
}

CPPCHECK_OPTIONS=(
	--quiet --std=c11 --platform=unix64 --library=posix --library=gnu
	"--enable=warning,performance,portability,style" -D_GNU_SOURCE --force
	-I include -I include/uapi -I lib/event -I lib/libcpc
	# As in the kernel, what a function uses is declared where it begins.
	--suppress=variableScope
	# glibc says of readdir_r() that it is obsolete, and that readdir() is safe.
	--suppress=readdirCalled
	'--template={file}:{line}: {id}: {message}' --template-location=
)

check_cppcheck() {
	select_files 'lib/*.c' 'tools/*.c' 'selftests/lib/*.c'
	cppcheck -j"$(nproc)" "${CPPCHECK_OPTIONS[@]}" "${SELECTED[@]}" >"$SCRATCH/found" 2>&1
	sort -u "$SCRATCH/found" | judge cppcheck
}

defect_cppcheck() {
	cat >>lib/event/fail.c <<-'C'
		int pme_defect(int n)
		{
			int a[4] = { 0 };

			if (n == n)
				return a[4];
			return a[0];
		}
	C
	FILES=(lib/event/fail.c)
	EXPECTED=('arrayIndexOutOfBounds' 'duplicateExpression')
}
