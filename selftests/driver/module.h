/* SPDX-License-Identifier: GPL-2.0-only */
/* The modules, for programs that load and remove them. */
#ifndef MODULE_H
#define MODULE_H

#include "perfmon_test.h"

static inline int module_remove_named(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static inline int module_remove(void)
{
	return module_remove_named("perfmon");
}

static inline int modprobe(char *parameter)
{
	char *const load[] = { "modprobe", "perfmon", parameter, NULL };

	return run_program(load);
}

/* And waits until udev has seen the node. */
static inline int module_load(char *parameter)
{
	char *const settle[] = { "udevadm", "settle", NULL };

	return modprobe(parameter) ?: run_program(settle);
}

static inline bool module_is_loaded_named(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return access(path, F_OK) == 0;
}

static inline bool module_is_loaded(void)
{
	return module_is_loaded_named("perfmon");
}

static inline bool module_is_installed(void)
{
	char *const dry_run[] = { "modprobe", "-n", "perfmon", NULL };

	return run_program(dry_run) == 0;
}

#define NEEDS_INSTALLED_MODULE() \
	NEEDS(module_is_installed(), "the module is not where modprobe finds it")

#endif
