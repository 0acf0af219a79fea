/* SPDX-License-Identifier: GPL-2.0-only */
/* The requests of perfmon(4), for programs that have other things to test. */
#ifndef PMIO_H
#define PMIO_H

#include "perfmon_test.h"

static inline int pmio_setup(int fd, int num, __u8 event, __u8 unit, __u8 flags, __u8 mask)
{
	struct pmc pmc = { .pmc_num = num };

	pmc.pmc_pmcu.pmcu_s.pmcus_event = event;
	pmc.pmc_pmcu.pmcu_s.pmcus_unit = unit;
	pmc.pmc_pmcu.pmcu_s.pmcus_flags = flags;
	pmc.pmc_pmcu.pmcu_s.pmcus_mask = mask;
	return request(fd, PMIOSETUP, &pmc);
}

static inline int pmio_setup_cycles(int fd, int num)
{
	return pmio_setup(fd, num, RAW_CYCLES, 0, PMCF_USR | PMCF_OS, 0);
}

static inline int pmio_start(int fd, int num)
{
	return request(fd, PMIOSTART, &num);
}

static inline int pmio_stop(int fd, int num)
{
	return request(fd, PMIOSTOP, &num);
}

static inline int pmio_reset(int fd, int num)
{
	return request(fd, PMIORESET, &num);
}

/* The value, or a negative errno. */
static inline __s64 pmio_value(int fd, int num)
{
	struct pmc_data data = { .pmcd_num = num, .pmcd_value = -12345 };
	int err = request(fd, PMIOREAD, &data);

	return err ?: data.pmcd_value;
}

static inline int pmio_choose_cpu(int fd, int cpu)
{
	struct pmc_cpu req = { .pmcc_size = sizeof(req), .pmcc_cpu = cpu };

	return request(fd, PMIOSETCPU, &req);
}

/* CPUs there are, or a negative errno; up to room of them are copied. */
static inline int pmio_read_cpus(int fd, int num, struct pmc_cpu_value *list, unsigned int room)
{
	struct pmc_cpu_data req = {
		.pmcx_size = sizeof(req),
		.pmcx_num = num,
		.pmcx_ncpus = room,
		.pmcx_values = (uintptr_t)list,
	};
	int err = request(fd, PMIOREADCPUS, &req);

	return err ?: (int)req.pmcx_ncpus;
}

/* What the counter is on one CPU; of state -1: it is not there. */
static inline struct pmc_cpu_value pmio_on_cpu(int fd, int num, int cpu)
{
	struct pmc_cpu_value list[64] = {};
	int i, n = pmio_read_cpus(fd, num, list, ARRAY_SIZE(list));

	for (i = 0; i < n && i < (int)ARRAY_SIZE(list); i++)
		if (list[i].pmcv_cpu == cpu)
			return list[i];
	return (struct pmc_cpu_value){ .pmcv_state = -1 };
}

#endif
