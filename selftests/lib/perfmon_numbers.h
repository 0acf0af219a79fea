/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmon(4) as binary programs know it: FreeBSD's layouts, and the numbers they make on Linux. */
#include <stddef.h>
#include <machine/perfmon.h>

#define SAME(what, value)	_Static_assert((what) == (value), #what " is not " #value)

/* 64-bit members are aligned to 4 bytes on i386, to 8 elsewhere. */
#if defined(__i386__)
#define DATA_SIZE	12
#define VALUE_AT	4
#else
#define DATA_SIZE	16
#define VALUE_AT	8
#endif

SAME(sizeof(struct pmc), 8);
SAME(sizeof(struct pmc_data), DATA_SIZE);
SAME(sizeof(struct pmc_tstamp), DATA_SIZE);
SAME(offsetof(struct pmc, pmc_event), 4);
SAME(offsetof(struct pmc, pmc_unit), 5);
SAME(offsetof(struct pmc, pmc_flags), 6);
SAME(offsetof(struct pmc, pmc_mask), 7);
SAME(offsetof(struct pmc, pmc_val), 4);
SAME(offsetof(struct pmc_data, pmcd_value), VALUE_AT);
SAME(offsetof(struct pmc_tstamp, pmct_value), VALUE_AT);
SAME(sizeof(quad_t), 8);
SAME((quad_t)-1 < 0, 1);

SAME(PMIOSETUP, 0x40083501);
SAME(PMIOSTART, 0x40043502);
SAME(PMIOSTOP, 0x40043503);
SAME(PMIOREAD, 0xc0003504 | DATA_SIZE << 16);
SAME(PMIORESET, 0x40043505);
SAME(PMIOTSTAMP, 0x80003506 | DATA_SIZE << 16);
SAME(PMIOGET, 0xc0083507);

SAME(PMCF_USR, 0x01);
SAME(PMCF_OS, 0x02);
SAME(PMCF_E, 0x04);
SAME(PMCF_PC, 0x08);
SAME(PMCF_INT, 0x10);
SAME(PMCF_EN, 0x40);
SAME(PMCF_INV, 0x80);
SAME(PMCF_SYS_FLAGS, 0x50);
SAME(PMC_ALL, -1);

SAME(PMC6_DATA_MEM_REFS, 0x43);
SAME(PMC6_L2_RQSTS, 0x2e);
SAME(PMC6_BUS_TRAN_MEM, 0x6f);
SAME(PMC6_CYCLES_INT_PENDING_AND_MASKED, 0xc7);
SAME(PMC6_SEGMENT_REG_LOADS, 0x06);
SAME(PMC6_CPU_CLK_UNHALTED, 0x79);
SAME(PMC5_DATA_READ, 0);
SAME(PMC5_BRANCHES, 18);
SAME(PMC5_ADDR_GEN_INTERLOCK, 31);
SAME(PMC5_FLOPS, 34);
SAME(PMC5_DATA_RW_MISS, 41);
