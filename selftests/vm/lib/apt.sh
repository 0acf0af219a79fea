# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Packages of another architecture or suite, without touching the host's package database: an apt
# with a state of its own, which takes the mirrors from the host's configuration.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
APT_DIR=
APT_OPTIONS=()

# The lines of a sources.list for SUITE: the host's own entries for Debian, its release replaced.
write_sources() { # SUITE
	local uri codename component origin host base=${1%-backports} found=

	# shellcheck disable=SC2016 # these names are apt's
	local format='$(REPO_URI)|$(CODENAME)|$(COMPONENT)|$(ORIGIN)'

	host=$(host_codename)
	while IFS='|' read -r uri codename component origin; do
		[ "$origin" = Debian ] || continue
		case $codename in
		"$host") ;;
		"$host"-security) [ "$1" = "$base" ] || continue ;;
		*) continue ;;
		esac
		found=1
		printf 'deb [signed-by=%s] %s %s %s\n' "$KEYRING" "$uri" \
			"$1${codename#"$host"}" "$component"
	done < <(apt-get indextargets --format "$format" 'Created-By: Packages' | sort -u)
	[ -n "$found" ]
}

# use_apt SUITE ARCHITECTURE: from here on, apt_private works for these; the lists are fetched once.
use_apt() {
	local dir=$CACHE/apt/$1-$2

	[ "$APT_DIR" != "$dir" ] || return 0
	mkdir -p "$dir"/{lists/partial,cache/archives/partial,empty}
	: >"$dir/status"
	if ! write_sources "$1" >"$dir/sources.list"; then
		run_child as_root "${APT_GET[@]}" update >&2
		write_sources "$1" >"$dir/sources.list" ||
			die "apt's configuration names no Debian mirror for $(host_codename)"
	fi
	APT_OPTIONS=(
		-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts="$dir/empty"
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts="$dir/empty"
		-o Dir::State="$dir" -o Dir::State::lists="$dir/lists"
		-o Dir::State::status="$dir/status" -o Dir::State::extended_states="$dir/extended"
		-o Dir::Cache="$dir/cache" -o Dir::Cache::archives="$dir/cache/archives"
		-o APT::Architecture="$2" -o APT::Architectures::="$2"
		-o APT::Install-Recommends=false -o APT::Sandbox::User=root
		-o Acquire::Languages=none -o Acquire::Retries=3)
	[ "$2" = "$HOST_ARCH" ] || APT_OPTIONS+=(-o APT::Architectures::="$HOST_ARCH")
	# A mirror may be in the middle of its own update; what we need may be there all the same.
	run_child apt-get -qq "${APT_OPTIONS[@]}" update >&2 ||
		say "(going on with those lists of packages that were fetched)"
	APT_DIR=$dir
}

apt_names() { # PREFIX: the packages whose name begins so
	apt-cache "${APT_OPTIONS[@]}" pkgnames "$1"
}

# Show apt's own idea of how far it is, on a terminal only.
show_progress() {
	local kind _ percent

	while IFS=: read -r kind _ percent _; do
		if [ -t 2 ] && [ "$kind" = dlstatus ]; then
			printf '\r      %3.0f %%' "$percent" >&2
		fi
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

# fetch NAME apt-get-arguments...: download packages to a directory of that name, which stays when
# we are interrupted, so that nothing is fetched twice.
fetch() {
	local dir=$APT_DIR/debs/$1 wanted
	shift

	mkdir -p "$dir/partial"
	wanted=$(apt_private "$APT_DIR/empty" --print-uris "$@")
	awk '{ bytes += $3 } END { printf "      %d packages, %d MB\n", NR, bytes / 1e6 }' \
		<<<"$wanted" >&2
	# An interrupted run may have left a version that is no longer wanted.
	rm -rf "$dir.old"
	mv "$dir" "$dir.old"
	mkdir -p "$dir"
	mv "$dir.old/partial" "$dir/"
	(cd "$dir.old" && cut -d' ' -f2 <<<"$wanted" | while read -r deb; do
		[ ! -e "$deb" ] || mv "$deb" "$dir/"
	done)
	rm -rf "$dir.old"
	run_child fetch_quietly "$dir" "$@"
}

# "download" leaves the packages in the current directory.
fetch_quietly() { # ARCHIVES-DIRECTORY ARGUMENT...
	cd "$1" || return
	apt_private "$@" -o APT::Status-Fd=3 3>&1 >&2 | show_progress
}

apt_private() { # ARCHIVES-DIRECTORY ARGUMENT...
	apt-get -qq "${APT_OPTIONS[@]}" -o Dir::Cache::archives="$1" "${@:2}"
}

# fetch_closure NAME PACKAGE...: the packages and all they depend on.
fetch_closure() {
	fetch "$1" install -y --download-only "${@:2}"
}

# fetch_exactly NAME PACKAGE...: these packages, nothing else.
fetch_exactly() {
	fetch "$1" download "${@:2}"
}

# unpack_into DIRECTORY NAME: what one of these fetched, laid out as a merged /usr.
unpack_into() {
	local root=$1 debs=$APT_DIR/debs/$2

	mkdir -p "$root"/usr/{bin,sbin,lib}
	ln -s usr/bin usr/sbin usr/lib "$root/"
	run_child unpack_each "$root" "$debs"/*.deb
	rm -rf "$debs"
}

unpack_each() { # ROOT DEB...
	local root=$1 deb
	shift

	for deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -p -C "$root" --keep-directory-symlink --no-same-owner
	done
}
