// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which kind of CPU this is. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "impl.h"
#include "internal.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#define ALL_MODELS	0xff

static const struct {
	const char *vendor;
	unsigned char family;
	unsigned char model;
	int cpuver;
} known[] = {
	/* Pentium M and Core Duo have the counters of the Pentium Pro. */
	{ "GenuineIntel", 6, 1, CPC_PENTIUM_PRO },
	{ "GenuineIntel", 6, 3, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 5, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 6, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 7, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 8, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 9, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 10, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 11, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 13, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 14, CPC_PENTIUM_PRO_MMX },
	{ "GenuineIntel", 6, 15, CPC_INTEL_CORE2 },
	{ "GenuineIntel", 6, 22, CPC_INTEL_CORE2 },
	{ "GenuineIntel", 6, 23, CPC_INTEL_CORE2 },
	{ "GenuineIntel", 6, 29, CPC_INTEL_CORE2 },
	{ "GenuineIntel", 6, 26, CPC_INTEL_NEHALEM },
	{ "GenuineIntel", 6, 30, CPC_INTEL_NEHALEM },
	{ "GenuineIntel", 6, 31, CPC_INTEL_NEHALEM },
	{ "GenuineIntel", 6, 46, CPC_INTEL_NEHALEM },
	{ "GenuineIntel", 6, 37, CPC_INTEL_WESTMERE },
	{ "GenuineIntel", 6, 44, CPC_INTEL_WESTMERE },
	{ "GenuineIntel", 6, 47, CPC_INTEL_WESTMERE },
	{ "GenuineIntel", 6, 42, CPC_INTEL_SANDYBRIDGE },
	{ "GenuineIntel", 6, 45, CPC_INTEL_SANDYBRIDGE },
	{ "GenuineIntel", 6, 58, CPC_INTEL_IVYBRIDGE },
	{ "GenuineIntel", 6, 62, CPC_INTEL_IVYBRIDGE },
	{ "GenuineIntel", 6, 28, CPC_INTEL_ATOM },
	{ "GenuineIntel", 6, 38, CPC_INTEL_ATOM },
	{ "GenuineIntel", 6, 39, CPC_INTEL_ATOM },
	{ "GenuineIntel", 6, 53, CPC_INTEL_ATOM },
	{ "GenuineIntel", 6, 54, CPC_INTEL_ATOM },
	{ "GenuineIntel", 6, 60, CPC_INTEL_HASWELL },
	{ "GenuineIntel", 6, 63, CPC_INTEL_HASWELL },
	{ "GenuineIntel", 6, 69, CPC_INTEL_HASWELL },
	{ "GenuineIntel", 6, 70, CPC_INTEL_HASWELL },
	{ "GenuineIntel", 6, 61, CPC_INTEL_BROADWELL },
	{ "GenuineIntel", 6, 71, CPC_INTEL_BROADWELL },
	{ "GenuineIntel", 6, 79, CPC_INTEL_BROADWELL },
	{ "GenuineIntel", 6, 86, CPC_INTEL_BROADWELL },
	{ "GenuineIntel", 6, 78, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, 85, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, 94, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, 142, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, 158, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, 165, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, 166, CPC_INTEL_SKYLAKE },
	{ "GenuineIntel", 6, ALL_MODELS, CPC_INTEL_UNKNOWN },
	{ "GenuineIntel", 15, ALL_MODELS, CPC_PENTIUM_4 },
	{ "AuthenticAMD", 0x0f, ALL_MODELS, CPC_AMD_K8C },
	{ "AuthenticAMD", 0x10, ALL_MODELS, CPC_AMD_FAM_10H },
	{ "AuthenticAMD", 0x11, ALL_MODELS, CPC_AMD_FAM_11H },
	{ "AuthenticAMD", 0x15, ALL_MODELS, CPC_AMD_FAM_15H },
};

static int find(const char *vendor, unsigned int family, unsigned int model)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(vendor, known[i].vendor) && family == known[i].family &&
		    (model == known[i].model || known[i].model == ALL_MODELS))
			return known[i].cpuver;
	}
	return CPC_LINUX_X86;
}

static int kind_of_cpu(void)
{
	unsigned int eax, ebx, ecx, edx, family, model;
	char vendor[13] = "";

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return CPC_LINUX_X86;
	memcpy(vendor, &ebx, 4);
	memcpy(vendor + 4, &edx, 4);
	memcpy(vendor + 8, &ecx, 4);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return CPC_LINUX_X86;
	family = eax >> 8 & 0xf;
	model = eax >> 4 & 0xf;
	if (family == 6 || family == 15)
		model |= eax >> 12 & 0xf0;
	if (family == 15)
		family += eax >> 20 & 0xff;
	return find(vendor, family, model);
}

#elif defined(__aarch64__)
static int kind_of_cpu(void)
{
	return CPC_LINUX_ARM64;
}
#elif defined(__riscv) && __riscv_xlen == 64
static int kind_of_cpu(void)
{
	return CPC_LINUX_RISCV64;
}
#else
static int kind_of_cpu(void)
{
	return CPC_LINUX_OTHER;
}
#endif

/* The driver knows best; whoever may not ask it can still see what the kernel shows everybody. */
static bool has_counters(void)
{
	struct perfmon_info info = { .size = sizeof(info) };
	struct pme_pmu pmus[PME_MAX_PMUS];
	int fd, rc;

	fd = open(CPC_DEVICE, PERFMON_O_CONTROL | O_CLOEXEC);
	if (fd >= 0) {
		rc = ioctl(fd, PERFMON_IOC_INFO, &info);
		close(fd);
		if (!rc)
			return info.caps & PERFMON_CAP_HARDWARE;
	}
	return pme_cpu_pmus(pmus) > 0;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int cpuver;

static void init(void)
{
	int saved = errno;

	cpuver = has_counters() ? kind_of_cpu() : -1;
	errno = saved;
}

CPC_API int cpc_getcpuver(void)
{
	pthread_once(&once, init);
	return cpuver;
}
