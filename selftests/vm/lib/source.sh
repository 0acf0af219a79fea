# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian's package of a kernel's source, of which each user unpacks what it needs.

source_item() { # VERSION
	printf 'source-%s-%s\n' "$1" "$(key_of "$(declare -f build_source)")"
}

build_source() { # DIRECTORY VERSION
	local tree=linux-source-$2

	use_apt bookworm "$HOST_ARCH"
	fetch_exactly "source-$2" "$tree"
	unpack_into "$1/package" "source-$2"
	mv "$1/package/usr/src/$tree.tar.xz" "$1/source.tar.xz"
	rm -rf "$1/package"
}

plan_source() { # VERSION
	plan_packages xz-utils
	plan_item "fetching the source of Linux $1" "$(source_item "$1")" build_source "$1"
}

# unpack_source DIRECTORY VERSION [PATTERN]...: all of it, or what matches.
unpack_source() {
	local patterns=("${@:3}")

	run_child tar -xJf "$CACHE/$(source_item "$2")/source.tar.xz" -C "$1" --strip-components=1 \
		--wildcards --no-wildcards-match-slash "${patterns[@]/#/linux-source-$2/}"
}
