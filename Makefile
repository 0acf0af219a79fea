# SPDX-License-Identifier: GPL-2.0-only
# perfmon for Linux. "make help" lists the targets.

PREFIX ?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man

# The directory that everything is built in. Each architecture needs one of its own.
O ?= build
out := $(abspath $(O))

KDIR ?= /lib/modules/$(shell uname -r)/build
utsrelease := $(wildcard $(KDIR)/include/generated/utsrelease.h)
KVER ?= $(if $(utsrelease),$(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(utsrelease)))
# What builds the module: another make, where a kernel's tools do not run on this system.
KMAKE ?= $(MAKE)

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
sysroot_CC := $(CC)$(if $(SYSROOT), --sysroot=$(SYSROOT))
CFLAGS ?= -O2 -g

INSTALL ?= install
# depmod and ldconfig are not on every user's path.
export PATH := $(PATH):/usr/sbin:/sbin

# A variable given on the command line would reach the sub-makes as it is: O would be relative to
# another directory, and means something else to the kernel's Makefile. Each gets what it needs.
MAKEOVERRIDES :=

user_dirs := $(patsubst %/Makefile,%,$(wildcard lib/Makefile tools/*/Makefile))
user_make = $(MAKE) --no-print-directory O='$(out)' CC='$(sysroot_CC)' AR='$(AR)' \
	CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' \
	INCLUDEDIR='$(INCLUDEDIR)' LIBDIR='$(LIBDIR)' BINDIR='$(BINDIR)' MANDIR='$(MANDIR)' \
	SYSROOT='$(SYSROOT)' CROSS_COMPILE='$(CROSS_COMPILE)'

all: user $(if $(utsrelease),modules,no-headers) ## build what this machine can (the default)

##@ Building

user: $(user_dirs) ## the libraries and the tools

$(user_dirs):
	+$(user_make) -C $@ all

# The tools are linked with the libraries.
$(filter tools/%,$(user_dirs)): $(filter lib,$(user_dirs))

no-headers:
	@echo "not building the module: no kernel headers in $(KDIR)" \
		"(Debian: apt-get install linux-headers-$$(uname -r))"

# kbuild leaves its results beside the sources, so that each architecture needs its own copy of
# them: links, laid out as in this tree.
module := $(out)/module
module_sources := $(wildcard driver/Kbuild driver/*.[chS] driver/*/*.[chS] driver/*/Kbuild \
	include/uapi/linux/*.h)
# Without pahole(1), kbuild fails where the headers come with the kernel's type information.
kbuild_vars = $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=) \
	$(foreach v,ARCH CROSS_COMPILE W V C CF LLVM KCFLAGS GCOV_PROFILE KCOV_INSTRUMENT,\
		$(if $($(v)),$(v)='$($(v))'))

modules: $(if $(utsrelease),,no-kdir) ## the module: KDIR=headers [ARCH=] [CROSS_COMPILE=] [W=1]
	@for f in $(module_sources); do \
		[ "$(module)/$$f" -ef "$$f" ] || { mkdir -p "$(module)/$${f%/*}" && \
		ln -sf "$(CURDIR)/$$f" "$(module)/$$f"; } || exit; \
	done
	@find $(module) -xtype l -delete
	+$(KMAKE) -C $(KDIR) M=$(module)/driver $(kbuild_vars) modules

no-kdir:
	@echo "there are no kernel headers in '$(KDIR)'; name their directory in KDIR" >&2
	@false

##@ Installing (PREFIX, DESTDIR)

# The libraries and the tools install what is theirs, manual pages of libraries apart.
man_pages := $(wildcard driver/*.[1-9] driver/*/*.[1-9] lib/*/*.[1-9])
man_target = $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
rules := $(notdir $(wildcard udev/*.rules))
load_files := $(notdir $(wildcard udev/*.conf))
module_dir = $(DESTDIR)/lib/modules/$(KVER)/updates

install: install-user install-files install-module ## put all that was built in its place
	$(if $(DESTDIR),,ldconfig)

install-user: user
	+$(foreach d,$(user_dirs),$(user_make) -C $(d) install &&) :

install-files:
	@$(foreach f,$(rules),$(INSTALL) -D -m 644 udev/$(f) \
		$(DESTDIR)$(PREFIX)/lib/udev/rules.d/$(f) &&) :
	@$(foreach f,$(load_files),$(INSTALL) -D -m 644 udev/$(f) \
		$(DESTDIR)$(PREFIX)/lib/modules-load.d/$(f) &&) :
	@$(foreach f,$(man_pages),$(INSTALL) -D -m 644 $(f) $(call man_target,$(f)) &&) :

install-module: $(if $(utsrelease),modules)
	@if [ -e $(module)/driver/perfmon.ko ]; then \
		$(INSTALL) -D -m 644 $(module)/driver/perfmon.ko $(module_dir)/perfmon.ko; \
		$(if $(DESTDIR),,depmod -a $(KVER);) \
	else \
		echo "the module was not built, and is not installed"; \
	fi

# For tests only: a machine with a PMU of its own has no use for a simulated one.
install-sim: $(if $(utsrelease),modules)
	@if [ -e $(module)/driver/sim/perfmon_sim.ko ]; then \
		$(INSTALL) -D -m 644 $(module)/driver/sim/perfmon_sim.ko \
			$(module_dir)/perfmon_sim.ko; \
	fi

uninstall: ## take it away again (with the same PREFIX, DESTDIR and KDIR)
	+$(foreach d,$(user_dirs),$(user_make) -C $(d) uninstall &&) :
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/udev/rules.d/,$(rules)) \
		$(addprefix $(DESTDIR)$(PREFIX)/lib/modules-load.d/,$(load_files)) \
		$(foreach f,$(man_pages),$(call man_target,$(f)))
	$(if $(KVER),rm -f $(module_dir)/perfmon.ko $(module_dir)/perfmon_sim.ko)
	$(if $(DESTDIR),,ldconfig $(if $(KVER),&& depmod -a $(KVER)))

clean: ## remove what was built
	rm -rf $(out)

##@ Seeing it work: these install the Debian packages they need

demo: ## boot a virtual machine with a real PMU and count on all its CPUs
	@selftests/demo/run

check: ## the whole test suite; CHECK_ARGS="--only arm64" for a part of it
	@selftests/check $(CHECK_ARGS)

check-debug: ## the same in kernels that look for defects (KASAN, lockdep, leaks; data races)
	@selftests/check --long --only arm64-debug --only arm64-kcsan $(CHECK_ARGS)

check-all: ## the same on every kernel that is supported, and the builds beside it
	@selftests/check-all $(CHECK_ARGS)

coverage: ## which lines of the driver the suite runs, file by file
	@selftests/coverage $(CHECK_ARGS)

bench: ## what an operation costs, in instructions, beside perf_event_open(2)
	@selftests/bench/run $(BENCH_ARGS)

fuzz: ## fuzz the module in a guest; SECONDS=n SEED=s BITS=32 FUZZ_ARGS= VM_ARGS=
	@VM_ARGS="$(VM_ARGS)" BITS="$(BITS)" selftests/fuzz/run '$(or $(SECONDS),60)' '$(SEED)' $(FUZZ_ARGS)

fuzz-lib: ## fuzz the libraries' parsers; SECONDS=n for each
	@selftests/fuzz/run-lib '$(or $(SECONDS),30)'

lint: ## static checks: style, types, locks, scripts, manual pages, spelling
	@selftests/lint $(LINT_ARGS)

help: ## this list
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5); next } \
		/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: all user $(user_dirs) no-headers modules no-kdir install install-user install-files \
	install-module install-sim uninstall clean demo check check-debug check-all coverage bench \
	fuzz fuzz-lib lint help
