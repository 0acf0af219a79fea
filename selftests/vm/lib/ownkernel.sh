# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Kernels that no distribution has: built from Debian's source for what config/NAME.config says, on
# top of config/base.config and what the architecture adds. They have no modules, and nothing that a
# guest does without.

OWN_VERSION=6.1
OWN_PACKAGES=(bc bison flex libelf-dev libssl-dev rsync)

kernel_is_own() {
	[ -e "$VM_DIR/config/$KERNEL.config" ]
}

# Where the kernel's own build leaves what boots.
own_image() {
	# shellcheck disable=SC2153 # arch.sh sets it
	case $ARCH in
	x86_64) echo arch/x86/boot/bzImage ;;
	*) echo "arch/$KARCH/boot/Image" ;;
	esac
}

own_config() {
	cat "$VM_DIR/config/base.config" "$VM_DIR/config/machine/$ARCH.config"
	[ "$KERNEL" = base ] || cat "$VM_DIR/config/$KERNEL.config"
}

own_kernel_item() {
	printf 'kernel-%s-%s-%s\n' "$KERNEL" "$ARCH" \
		"$(key_of "$(source_item "$OWN_VERSION")" "$(own_config)" \
		"$(declare -f build_own_kernel configure_own_kernel prune_own_kernel own_image)")"
}

plan_own_kernel() {
	[ -e "$VM_DIR/config/machine/$ARCH.config" ] || die "the $KERNEL kernel is not built for $ARCH"
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
	local dir=$1 modules kver image

	image=$(own_image)
	mkdir "$dir/tree"
	unpack_source "$dir/tree" "$OWN_VERSION"
	configure_own_kernel "$dir"
	run_child own_make "$dir" -j"$(nproc)" "${image##*/}" modules >"$dir/log" 2>&1 || {
		tail -n 30 "$dir/log" >&2
		die "the $KERNEL kernel did not build"
	}
	kver=$(cat "$dir/tree/include/config/kernel.release")
	modules=$dir/boot/usr/lib/modules/$kver
	mkdir -p "$modules"
	cp "$dir/tree"/modules.{builtin,builtin.modinfo,order} "$modules/"
	mv "$dir/tree/$image" "$dir/vmlinuz"
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
	local image arch

	image=$(own_image)
	arch=${image#arch/}
	arch=${arch%%/*}
	find "$1" -mindepth 1 -maxdepth 1 ! -name arch ! -name scripts ! -name include \
		! -name tools ! -name Makefile ! -name Kbuild ! -name .config \
		! -name Module.symvers ! -name System.map -exec rm -rf {} +
	find "$1/arch" -mindepth 1 -maxdepth 1 -type d ! -name "$arch" -exec rm -rf {} +
	find "$1/arch" "$1/include" \( -name '*.[coS]' -o -name '*.cmd' -o -name '*.a' \) -delete
	# All modules go through it, where there is one.
	find "$1/tools" ! -path "$1/tools/objtool/objtool" ! -type d -delete
}
