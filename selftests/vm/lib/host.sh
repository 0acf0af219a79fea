# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The host's packages: install what a step needs, only when it is missing.

# As a user of apt whom nobody answers.
APT_GET=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
	-o DPkg::Lock::Timeout=600)
# Nobody asked us to take anything away.
APT_INSTALL=("${APT_GET[@]}" install -y --no-install-recommends --no-remove)

host_codename() {
	# shellcheck disable=SC1091 # os-release is on every Debian
	(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-unknown}")
}

host_is_debian() {
	[ -e /etc/debian_version ] && command -v apt-get >/dev/null &&
		command -v dpkg-query >/dev/null
}

# missing_packages PACKAGE...: those of them which are not installed, one a line.
missing_packages() {
	local package status

	for package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$status" = installed ] || printf '%s\n' "$package"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "neither root nor sudo; as root, please: $*"
	fi
}

install_packages() { # PACKAGE...
	# Ask for the password here: a child of ours has no terminal to ask on.
	as_root true || die "as root, please: apt-get install $*"
	# The lists may be absent (a container's image) or too old for the mirror, and an
	# interrupted run may have left packages half configured: repair that and try again.
	if ! run_child as_root "${APT_INSTALL[@]}" "$@" >/dev/null 2>&1 </dev/null; then
		run_child as_root dpkg --configure -a >/dev/null </dev/null
		run_child as_root "${APT_GET[@]}" update >&2
		run_child as_root "${APT_INSTALL[@]}" "$@" >/dev/null </dev/null ||
			die "apt-get did not install $*: see above, and remove what is in their way"
	fi
}

# plan_packages PACKAGE...: a step that installs what is missing of them, if anything is.
plan_packages() {
	local missing

	host_is_debian || refuse_system "$@"
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -eq 0 ] ||
		plan "installing ${missing[*]}" install_packages "${missing[@]}"
}

# On another system nothing is installed: say what would be needed, in Debian's names, and stop.
refuse_system() { # PACKAGE...
	say "vm: this is not a Debian system; please install what these Debian packages hold:"
	say "$*"
	exit "$EXIT_BROKEN"
}
