# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for ../lint
# All scripts.

prepare_shellcheck() {
	PACKAGES+=(shellcheck)
}

is_script() {
	local first=

	[[ $1 != *.sh ]] || return 0
	read -r first <"$1" || true
	[[ $first =~ ^'#!'.*[/\ ](ba)?sh(\ |$) ]]
}

check_shellcheck() {
	local file scripts=()

	for file in "${FILES[@]}"; do
		! is_script "$file" || scripts+=("$file")
	done
	shellcheck -x -P SCRIPTDIR "${scripts[@]}"
}

defect_shellcheck() {
	# shellcheck disable=SC2016 # it is the defect
	printf 'rm -rf $1/*\n' >>.ci/run
	FILES=(.ci/run)
	EXPECTED=('SC2086')
}
