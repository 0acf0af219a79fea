// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon(4) by itself: two events, counted in user mode on all CPUs for a while, then CPU by CPU.
 * Usage: pmio SECONDS EVENT EVENT (event codes of the CPU's manual)
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <machine/perfmon.h>

#define MAX_CPUS 64

static void setup(int fd, int num, unsigned long code)
{
	struct pmc pmc = { .pmc_num = num };

	pmc.pmc_event = code;
	pmc.pmc_unit = code >> 8;
	pmc.pmc_flags = PMCF_USR;
	if (ioctl(fd, PMIOSETUP, &pmc))
		err(1, "PMIOSETUP");
	if (ioctl(fd, PMIOSTART, &num))
		err(1, "PMIOSTART");
}

static void print(int fd, int num, const char *code)
{
	struct pmc_cpu_value value[MAX_CPUS];
	struct pmc_cpu_data cpus = {
		.pmcx_size = sizeof(cpus),
		.pmcx_num = num,
		.pmcx_ncpus = MAX_CPUS,
		.pmcx_values = (uintptr_t)value,
	};
	struct pmc_data data = { .pmcd_num = num };

	if (ioctl(fd, PMIOSTOP, &num))
		err(1, "PMIOSTOP");
	if (ioctl(fd, PMIOREAD, &data))
		err(1, "PMIOREAD");
	if (ioctl(fd, PMIOREADCPUS, &cpus))
		err(1, "PMIOREADCPUS");
	printf("counter %d, event %s: %12lld on all CPUs =", num, code, (long long)data.pmcd_value);
	for (unsigned int i = 0; i < cpus.pmcx_ncpus && i < MAX_CPUS; i++)
		printf("%s %lld on CPU %d", i ? " +" : "", (long long)value[i].pmcv_value,
		       value[i].pmcv_cpu);
	printf("\n");
}

int main(int argc, char **argv)
{
	double seconds = argc == 4 ? atof(argv[1]) : 0;
	struct timespec sleep = { seconds, (seconds - (long)seconds) * 1e9 };
	int fd = open(_PATH_PERFMON, O_RDWR);

	if (argc != 4)
		errx(2, "usage: pmio SECONDS EVENT EVENT");
	if (fd < 0)
		err(1, "%s", _PATH_PERFMON);
	setup(fd, 0, strtoul(argv[2], NULL, 0));
	setup(fd, 1, strtoul(argv[3], NULL, 0));
	nanosleep(&sleep, NULL);
	print(fd, 0, argv[2]);
	print(fd, 1, argv[3]);
	return 0;
}
