# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# Spelling, everywhere.

prepare_codespell() {
	PACKAGES+=(codespell)
}

# Macros of manual pages; what syzkaller calls an argument that goes both ways; and what the tests
# of suggestions spell wrong.
CODESPELL_IGNORED='^\.[A-Z][a-z]\b|\binout\b|\binstuctions\b'

check_codespell() {
	codespell --ignore-regex="$CODESPELL_IGNORED" "${FILES[@]}" 2>&1
}

defect_codespell() {
	# In two parts, else it would be found here.
	printf '# re%s\n' cieve >>Kconfig
	FILES=(Kconfig)
	EXPECTED=('==> receive')
}
