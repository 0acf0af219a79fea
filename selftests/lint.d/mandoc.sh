# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# Manual pages.

prepare_mandoc() {
	PACKAGES+=(mandoc)
}

check_mandoc() {
	select_files 'driver/*.[1-9]' 'lib/*.[1-9]' 'tools/*.[1-9]'
	mandoc -T lint -W warning "${SELECTED[@]}"
}

defect_mandoc() {
	printf '.Xx defect\n' >>driver/perfmon.4
	FILES=(driver/perfmon.4)
	EXPECTED=('unknown macro: .Xx defect')
}
