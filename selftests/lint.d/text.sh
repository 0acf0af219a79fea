# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# What holds for every file.

prepare_text() {
	:
}

# Whose machine this was made on, and where that gets its packages from, is nobody's business.
MIRRORS='\b(deb|ftp|security|snapshot|archive)(\.[a-z]+)*\.(debian|ubuntu)\.(org|com)\b'

# flag FILE PATTERN TEXT: what a line must not have.
flag() {
	grep -HnE -e "$2" "$1" | sed "s/\$/ <- $3/" || true
}

check_text() {
	local file here

	here=$(printf '%s' "$TOP" | sed 's/[^[:alnum:]/_-]/\\&/g')
	for file in "${FILES[@]}"; do
		[ "$file" != LICENSE ] || continue
		grep -q SPDX-License-Identifier "$file" || printf '%s: no SPDX line\n' "$file"
		flag "$file" '[[:blank:]]+$' 'blanks at the end'
		flag "$file" "$MIRRORS" "somebody's mirror"
		flag "$file" "(^|[^[:alnum:]/])$here\\b" "this machine's directory"
	done
}

defect_text() {
	printf 'no license\n' >defect
	printf '# blank \n# %s/perfmon\n# http://de%s.debian.org\n' "$TOP" b >>Kconfig
	FILES=(defect Kconfig)
	EXPECTED=('defect: no SPDX line' '# blank  <- blanks' "perfmon <- this machine's directory"
		"debian.org <- somebody's mirror")
}
