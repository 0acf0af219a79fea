# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# Comments that are kernel-doc describe what they stand before, and all of it.

prepare_kernel_doc() {
	PACKAGES+=(perl)
	KTOOLS=1
}

check_kernel_doc() {
	select_files 'driver/*.[ch]' 'include/*.h' 'lib/*.[ch]' 'tools/*.[ch]'
	perl "$(ktools_dir)/scripts/kernel-doc" -none -Wall -Werror "${SELECTED[@]}" 2>&1
}

defect_kernel_doc() {
	printf '/**\n * pm_defect - none\n */\nint pm_defect(int forgotten);\n' >>driver/fault.h
	FILES=(driver/fault.h)
	EXPECTED=("'forgotten' not described in 'pm_defect'"
		"No description found for return value")
}
