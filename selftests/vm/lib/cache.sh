# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The cache: items which are there whole or not at all, and built by one process at a time.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/perfmon

# key_of TEXT...: a name for what TEXT describes; when the recipe changes, so does the item's name.
key_of() {
	local sum

	sum=$(printf '%s\n' "$@" | sha256sum)
	printf '%.10s\n' "$sum"
}

# lock_file PATH FD-VARIABLE
lock_file() {
	mkdir -p "$(dirname "$1")"
	eval "exec {$2}>\"\$1\""
	if ! run_child flock -w 5 "${!2}"; then
		say "(waiting for another process, which holds $1)"
		run_child flock "${!2}"
	fi
}

# make_item ITEM FUNCTION [ARG...]: run FUNCTION DIRECTORY ARG... and call the directory ITEM when
# it succeeded. Whoever is interrupted leaves no ITEM behind.
make_item() {
	local item=$CACHE/$1 fd part
	shift

	lock_file "$CACHE/lock/$(basename "$item")" fd
	if [ ! -e "$item" ]; then
		part=$item.part
		TEMP_PATHS+=("$part")
		# A part which is there already was left by one that was killed: we hold the lock.
		rm -rf "$part"
		mkdir -p "$part"
		"$1" "$part" "${@:2}"
		sync -f "$part"
		# An unpacked package gave the directory a date of its own.
		touch "$part"
		mv -T "$part" "$item"
		drop_predecessors "$item"
	fi
	exec {fd}>&-
}

# drop_predecessors ITEM: those of an older recipe which nobody used lately.
drop_predecessors() {
	find "$CACHE" -maxdepth 1 -name "$(basename "${1%-*}")-??????????" ! -path "$1" \
		-mtime +14 -exec rm -rf {} +
}

# plan_item TEXT ITEM FUNCTION [ARG...]: a step that makes ITEM, unless it is there.
plan_item() {
	local text=$1
	shift
	if [ -e "$CACHE/$1" ]; then
		touch "$CACHE/$1"
	else
		plan "$text" make_item "$@"
	fi
}
