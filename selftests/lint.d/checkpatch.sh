# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# The kernel's style, for all C of ours and the Kconfig.

prepare_checkpatch() {
	PACKAGES+=(perl)
	KTOOLS=1
}

run_checkpatch() { # FILE...
	perl "$(ktools_dir)/scripts/checkpatch.pl" --no-tree --strict --show-types --terse \
		--no-summary -f "$@"
}

check_checkpatch() {
	local rc=0

	select_files '*.[chS]' Kconfig
	share_out run_checkpatch "${SELECTED[@]}" >"$SCRATCH/found" || rc=$?
	sed -E 's/^([^: ]+:[0-9]+:) (ERROR|WARNING|CHECK):/\1 /' "$SCRATCH/found" | judge checkpatch
	# 1: it has found something
	[ "$rc" -le 1 ]
}

defect_checkpatch() {
	printf 'int pm_defect(int a)\n{\n\treturn a?1:0;\n}\n' >>driver/fault.c
	printf 'static void defect(int Camel)\n{\n\tif(Camel) return;\n}\n' >>lib/event/fail.c
	FILES=(driver/fault.c lib/event/fail.c)
	EXPECTED=("driver/fault.c:$(($(wc -l <driver/fault.c) - 1)): SPACING" 'TRAILING_STATEMENTS'
		'CAMELCASE: Avoid CamelCase: <Camel>')
}
