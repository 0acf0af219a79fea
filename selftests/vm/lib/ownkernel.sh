# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Kernels that no distribution has: built from Debian's source for what config/NAME.config says, on
# top of config/base.config. They have no modules, and nothing that a guest does without.

OWN_VERSION=6.1
OWN_PACKAGES=(bc bison flex libssl-dev rsync)

kernel_is_own() {
	[ -e "$VM_DIR/config/$KERNEL.config" ]
}

own_config() {
	cat "$VM_DIR/config/base.config"
	[ "$KERNEL" = base ] || cat "$VM_DIR/config/$KERNEL.config"
}

own_kernel_item() {
	printf 'kernel-%s-%s-%s\n' "$KERNEL" "$ARCH" \
		"$(key_of "$(source_item "$OWN_VERSION")" "$(own_config)" \
		"$(declare -f build_own_kernel configure_own_kernel prune_own_kernel)")"
}

plan_own_kernel() {
	[ "$ARCH" = arm64 ] || die "the $KERNEL kernel is built for arm64 only"
	[ ! -e "$CACHE/$(own_kernel_item)" ] || return 0
	plan_packages "${COMPILER_PACKAGES[@]}" "${OWN_PACKAGES[@]}"
	plan_source "$OWN_VERSION"
	plan_item "building the $KERNEL kernel, which takes minutes" "$(own_kernel_item)" \
		build_own_kernel
}

# Data races are looked for in what is built later.
own_make() { # DIRECTORY ARGUMENT...
	make -s -C "$1/tree" ARCH="$KARCH" CROSS_COMPILE="$TUPLE-" KBUILD_BUILD_USER=perfmon \
		KBUILD_BUILD_HOST="$KERNEL" KCSAN_SANITIZE=n "${@:2}"
}

build_own_kernel() { # DIRECTORY
	local dir=$1 modules kver

	mkdir "$dir/tree"
	unpack_source "$dir/tree" "$OWN_VERSION"
	configure_own_kernel "$dir"
	run_child own_make "$dir" -j"$(nproc)" Image modules >"$dir/log" 2>&1 || {
		tail -n 30 "$dir/log" >&2
		die "the $KERNEL kernel did not build"
	}
	kver=$(cat "$dir/tree/include/config/kernel.release")
	modules=$dir/boot/usr/lib/modules/$kver
	mkdir -p "$modules"
	cp "$dir/tree"/modules.{builtin,builtin.modinfo,order} "$modules/"
	mv "$dir/tree/arch/$KARCH/boot/Image" "$dir/vmlinuz"
	printf '%s\n' "$kver" >"$dir/version"
	prune_own_kernel "$dir/tree"
	ln -s tree "$dir/kdir"
}

# Kconfig drops silently what it cannot give: whatever we ask for must be there afterwards.
configure_own_kernel() { # DIRECTORY
	local dir=$1 missing

	own_config >"$dir/wanted"
	own_make "$dir" tinyconfig >"$dir/log" 2>&1
	(cd "$dir/tree" && scripts/kconfig/merge_config.sh -m .config "$dir/wanted") \
		>>"$dir/log" 2>&1
	own_make "$dir" olddefconfig >>"$dir/log" 2>&1
	missing=$(grep -E '^(# )?CONFIG_' "$dir/wanted" | grep -vxFf "$dir/tree/.config") || true
	[ -z "$missing" ] || die "the $KERNEL kernel cannot have: $missing"
}

# Keep what a module is built with.
prune_own_kernel() { # TREE
	find "$1" -mindepth 1 -maxdepth 1 ! -name arch ! -name scripts ! -name include \
		! -name Makefile ! -name Kbuild ! -name .config ! -name Module.symvers \
		! -name System.map -exec rm -rf {} +
	find "$1/arch" -mindepth 1 -maxdepth 1 -type d ! -name "$KARCH" -exec rm -rf {} +
	find "$1/arch" "$1/include" \( -name '*.[coS]' -o -name '*.cmd' -o -name '*.a' \) -delete
}
