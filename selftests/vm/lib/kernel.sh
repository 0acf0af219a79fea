# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest's kernel: Debian's image, the modules it needs to boot, and a tree to build modules in.

# What the guest needs to talk to us, and what the tests want from a kernel.
GUEST_MODULES=(virtio_pci virtio_mmio virtio_console msr)

kernel_item() {
	if kernel_is_own; then
		own_kernel_item
		return
	fi
	printf 'kernel-%s-%s-%s\n' "$KERNEL" "$ARCH" \
		"$(key_of "$(declare -f build_kernel unpack_kernel)" "${GUEST_MODULES[@]}")"
}

# The newest kernel package of the wanted version and flavour: its KVER.
newest_kernel() {
	local kver

	kver=$(apt_names linux-image- |
		sed -n "s/^linux-image-\\(${KERNEL//./\\.}[.+-].*-$FLAVOUR\\)\$/\\1/p" |
		sort -uV | tail -n 1)
	[ -n "$kver" ] || die "$KERNEL_SUITE has no kernel $KERNEL-$FLAVOUR"
	printf '%s\n' "$kver"
}

plan_kernel() {
	if kernel_is_own; then
		plan_own_kernel
	else
		plan_item "fetching the $ARCH kernel and its headers" "$(kernel_item)" build_kernel
	fi
}

build_kernel() { # DIRECTORY
	local dir=$1 kver image headers

	use_apt "$KERNEL_SUITE" "$DEB_ARCH"
	kver=$(newest_kernel)
	# From 7.0 on the image is several packages.
	mapfile -t image < <(apt-cache "${APT_OPTIONS[@]}" depends "linux-image-$kver" |
		sed -n "s/^ *Depends: \\(linux-[a-z]*-$kver\\)\$/\\1/p")
	# Depends on the common part and on the tools, which must run here.
	mapfile -t headers < <(apt-cache "${APT_OPTIONS[@]}" depends "linux-headers-$kver" |
		sed -n 's/^ *Depends: \(linux-headers-[^ ]*-common.*\)/\1/p
			s/^ *Depends: <*\(linux-kbuild-[^ :>]*\).*/\1:'"$HOST_ARCH"'/p')
	fetch_exactly kernel "linux-image-$kver" "linux-headers-$kver" "${image[@]}" \
		"${headers[@]}"
	unpack_into "$dir/tree" kernel
	unpack_kernel "$dir" "$kver"
	printf '%s\n' "$kver" >"$dir/version"
}

# Keep what is needed, in places whose names hold no version.
unpack_kernel() { # DIRECTORY KVER
	local dir=$1 kver=$2 module path
	local modules=usr/lib/modules/$kver
	local image=("$dir"/tree/boot/vmlinu[xz]-"$kver" "$dir/tree/$modules"/vmlinu[xz])

	mv "${image[0]}" "$dir/vmlinuz"
	mkdir -p "$dir/boot/$modules"
	depmod -b "$dir/tree" "$kver"
	for module in "${GUEST_MODULES[@]}"; do
		modprobe -d "$dir/tree" -S "$kver" --show-depends "$module" 2>/dev/null || true
	done | sed -n "s|^insmod .*/\\(lib/modules/[^ ]*\\).*|\\1|p" | sort -u >"$dir/modules"
	while read -r path; do
		install -D -m 644 "$dir/tree/$path" "$dir/boot/usr/$path"
	done <"$dir/modules"
	cp "$dir/tree/$modules"/modules.{builtin,builtin.modinfo,order} "$dir/boot/$modules/"
	rm -rf "$dir/tree/$modules" "$dir/tree/boot" "$dir/modules"
	ln -s "tree/usr/src/linux-headers-$kver" "$dir/kdir"
	# Debian's two header packages find each other by absolute names; make them relative, and
	# the one in a variable at once, while this is the last file that make has read.
	# shellcheck disable=SC2016 # for make to expand
	sed -i -e 's|/usr/src/|$(dir $(lastword $(MAKEFILE_LIST)))../|' \
		-e 's|^\([A-Z_]*\)=|\1:=|' "$dir/kdir/Makefile"
}

kernel_dir() {
	printf '%s/%s\n' "$CACHE" "$(kernel_item)"
}
