// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the numbers of CPUs stand for. */
#include "impl.h"

const struct cpc_cpu *cpc_cpu_of(int cpuver)
{
	switch (cpuver) {
	case CPC_ULTRA1:
	case CPC_ULTRA2:
		return &cpc_cpu_ultra;
	case CPC_PENTIUM_PRO:
	case CPC_PENTIUM_PRO_MMX:
		return &cpc_cpu_p6;
	case -1:
		return NULL;
	default:
		return cpuver == cpc_getcpuver() ? &cpc_cpu_native : NULL;
	}
}

CPC_API const char *cpc_getcciname(int cpuver)
{
	const struct cpc_cpu *cpu = cpc_cpu_of(cpuver);

	return cpu ? cpu->name(cpuver) : NULL;
}

CPC_API const char *cpc_getcpuref(int cpuver)
{
	const struct cpc_cpu *cpu = cpc_cpu_of(cpuver);

	return cpu ? cpu->ref : NULL;
}

CPC_API const char *cpc_getusage(int cpuver)
{
	const struct cpc_cpu *cpu = cpc_cpu_of(cpuver);

	return cpu ? cpu->usage : NULL;
}

CPC_API uint_t cpc_getnpic(int cpuver)
{
	const struct cpc_cpu *cpu = cpc_cpu_of(cpuver);

	return cpu ? cpu->npic : 0;
}

CPC_API void cpc_walk_names(int cpuver, int regno, void *arg,
			    void (*action)(void *arg, int regno, const char *name, uint8_t bits))
{
	const struct cpc_cpu *cpu = cpc_cpu_of(cpuver);

	if (cpu && regno >= 0 && (unsigned int)regno < cpu->npic)
		cpu->walk(cpuver, regno, arg, action);
}
