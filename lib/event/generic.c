// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names that mean the same on every CPU: perf's own, FreeBSD's aliases (pmc(3)), Solaris'
 * generic_events(3CPC). perf maps them to the CPU's events; where perf has no such class of events,
 * the vendors' names for it are tried.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <linux/perf_event.h>

#include "internal.h"

#define HW(x)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x
#define SW(x)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##x
#define CACHE(c, op, result) \
	PERF_TYPE_HW_CACHE, \
	PERF_COUNT_HW_CACHE_##c | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* Of several names of an encoding, pme_name() gives back the first that is nobody else's here. */
static const struct generic {
	const char *name;
	unsigned int type;
	unsigned long long config;
	const char *desc;
} generics[] = {
	{ "cycles", HW(CPU_CYCLES), "CPU cycles, not counting those it was halted" },
	{ "instructions", HW(INSTRUCTIONS), "instructions completed" },
	{ "branches", HW(BRANCH_INSTRUCTIONS), "branch instructions completed" },
	{ "branch-misses", HW(BRANCH_MISSES), "branches that were mispredicted" },
	{ "cache-references", HW(CACHE_REFERENCES), "accesses to the last cache" },
	{ "cache-misses", HW(CACHE_MISSES), "accesses that the last cache missed" },
	{ "bus-cycles", HW(BUS_CYCLES), "bus cycles" },
	{ "ref-cycles", HW(REF_CPU_CYCLES), "cycles at a constant rate while not halted" },
	{ "stalled-cycles-frontend", HW(STALLED_CYCLES_FRONTEND),
	  "cycles in which no instruction was issued for lack of any" },
	{ "stalled-cycles-backend", HW(STALLED_CYCLES_BACKEND),
	  "cycles in which no instruction was issued for lack of resources" },
	{ "cpu-cycles", HW(CPU_CYCLES), "cycles" },
	{ "branch-instructions", HW(BRANCH_INSTRUCTIONS), "branches" },

	{ "L1-dcache-loads", CACHE(L1D, READ, ACCESS), "loads from the first data cache" },
	{ "L1-dcache-load-misses", CACHE(L1D, READ, MISS),
	  "loads that the first data cache missed" },
	{ "L1-dcache-stores", CACHE(L1D, WRITE, ACCESS), "stores to the first data cache" },
	{ "L1-dcache-store-misses", CACHE(L1D, WRITE, MISS),
	  "stores that the first data cache missed" },
	{ "L1-dcache-prefetches", CACHE(L1D, PREFETCH, ACCESS),
	  "prefetches into the first data cache" },
	{ "L1-icache-loads", CACHE(L1I, READ, ACCESS), "fetches from the first instruction cache" },
	{ "L1-icache-load-misses", CACHE(L1I, READ, MISS),
	  "fetches that the first instruction cache missed" },
	{ "LLC-loads", CACHE(LL, READ, ACCESS), "loads from the last cache" },
	{ "LLC-load-misses", CACHE(LL, READ, MISS), "loads that the last cache missed" },
	{ "LLC-stores", CACHE(LL, WRITE, ACCESS), "stores to the last cache" },
	{ "LLC-store-misses", CACHE(LL, WRITE, MISS), "stores that the last cache missed" },
	{ "dTLB-loads", CACHE(DTLB, READ, ACCESS), "loads through the data TLB" },
	{ "dTLB-load-misses", CACHE(DTLB, READ, MISS), "loads that the data TLB missed" },
	{ "dTLB-stores", CACHE(DTLB, WRITE, ACCESS), "stores through the data TLB" },
	{ "dTLB-store-misses", CACHE(DTLB, WRITE, MISS), "stores that the data TLB missed" },
	{ "iTLB-loads", CACHE(ITLB, READ, ACCESS), "fetches through the instruction TLB" },
	{ "iTLB-load-misses", CACHE(ITLB, READ, MISS), "fetches that the instruction TLB missed" },
	{ "branch-loads", CACHE(BPU, READ, ACCESS), "branch predictions" },
	{ "branch-load-misses", CACHE(BPU, READ, MISS), "branch predictions that were missing" },
	{ "node-loads", CACHE(NODE, READ, ACCESS), "loads from memory" },
	{ "node-load-misses", CACHE(NODE, READ, MISS), "loads from another node's memory" },
	{ "node-stores", CACHE(NODE, WRITE, ACCESS), "stores to memory" },
	{ "node-store-misses", CACHE(NODE, WRITE, MISS), "stores to another node's memory" },

	{ "unhalted-cycles", HW(CPU_CYCLES), "cycles, as FreeBSD calls them" },
	{ "branch-mispredicts", HW(BRANCH_MISSES), "branch-misses, as FreeBSD calls them" },
	{ "dc-misses", CACHE(L1D, READ, MISS), "L1-dcache-load-misses, as FreeBSD calls them" },
	{ "ic-misses", CACHE(L1I, READ, MISS), "L1-icache-load-misses, as FreeBSD calls them" },

	{ "PAPI_tot_cyc", HW(CPU_CYCLES), "total cycles" },
	{ "PAPI_tot_ins", HW(INSTRUCTIONS), "instructions completed" },
	{ "PAPI_br_ins", HW(BRANCH_INSTRUCTIONS), "branch instructions" },
	{ "PAPI_br_msp", HW(BRANCH_MISSES), "branches mispredicted" },
	{ "PAPI_stl_icy", HW(STALLED_CYCLES_FRONTEND), "cycles with no instruction issue" },
	{ "PAPI_res_stl", HW(STALLED_CYCLES_BACKEND), "cycles stalled on any resource" },
	{ "PAPI_l1_dcr", CACHE(L1D, READ, ACCESS), "level 1 data cache reads" },
	{ "PAPI_l1_dcw", CACHE(L1D, WRITE, ACCESS), "level 1 data cache writes" },
	{ "PAPI_l1_dcm", CACHE(L1D, READ, MISS), "level 1 data cache misses (of loads)" },
	{ "PAPI_l1_ldm", CACHE(L1D, READ, MISS), "level 1 load misses" },
	{ "PAPI_l1_stm", CACHE(L1D, WRITE, MISS), "level 1 store misses" },
	{ "PAPI_l1_ica", CACHE(L1I, READ, ACCESS), "level 1 instruction cache accesses" },
	{ "PAPI_l1_icr", CACHE(L1I, READ, ACCESS), "level 1 instruction cache reads" },
	{ "PAPI_l1_icm", CACHE(L1I, READ, MISS), "level 1 instruction cache misses" },
	{ "PAPI_l3_tca", HW(CACHE_REFERENCES), "last level cache accesses" },
	{ "PAPI_l3_tcm", HW(CACHE_MISSES), "last level cache misses" },
	{ "PAPI_l3_tcr", CACHE(LL, READ, ACCESS), "last level cache reads" },
	{ "PAPI_l3_tcw", CACHE(LL, WRITE, ACCESS), "last level cache writes" },
	{ "PAPI_l3_ldm", CACHE(LL, READ, MISS), "last level cache load misses" },
	{ "PAPI_l3_stm", CACHE(LL, WRITE, MISS), "last level cache store misses" },
	{ "PAPI_tlb_dm", CACHE(DTLB, READ, MISS), "data TLB misses (of loads)" },
	{ "PAPI_tlb_im", CACHE(ITLB, READ, MISS), "instruction TLB misses" },
	{ "Cycle_cnt", HW(CPU_CYCLES), "cycles, as Solaris called them on UltraSPARC" },
	{ "Instr_cnt", HW(INSTRUCTIONS), "instructions, as Solaris called them on UltraSPARC" },

	{ "context-switches", SW(CONTEXT_SWITCHES), "times the CPU went to another thread" },
	{ "cpu-migrations", SW(CPU_MIGRATIONS), "threads that came from another CPU" },
	{ "page-faults", SW(PAGE_FAULTS), "page faults" },
	{ "minor-faults", SW(PAGE_FAULTS_MIN), "page faults served from memory" },
	{ "major-faults", SW(PAGE_FAULTS_MAJ), "page faults that had to wait for a device" },
	{ "cpu-clock", SW(CPU_CLOCK), "time of the CPU, in nanoseconds" },
	{ "task-clock", SW(TASK_CLOCK), "time of the thread, in nanoseconds" },
	{ "alignment-faults", SW(ALIGNMENT_FAULTS), "misaligned accesses that the kernel fixed" },
	{ "emulation-faults", SW(EMULATION_FAULTS), "instructions that the kernel emulated" },
	{ "cs", SW(CONTEXT_SWITCHES), "context-switches" },
	{ "migrations", SW(CPU_MIGRATIONS), "cpu-migrations" },
	{ "faults", SW(PAGE_FAULTS), "page-faults" },
};

#define N_GENERICS	(sizeof(generics) / sizeof(generics[0]))

#define MAX_TRIES	7

/* Names that perf has no generic event for, and what vendors call it. */
static const struct vendor {
	const char *name;
	const char *desc;
	const char *tries[MAX_TRIES];
} vendors[] = {
	{ "interrupts", "hardware interrupts taken",
	  { "HW_INTERRUPTS:RECEIVED", "HW_INT_RCV", "HW_INT_RX", "INTERRUPTS_TAKEN",
	    "LS_INT_TAKEN", "EXC_IRQ", "EXCEPTION_IRQ" } },
	{ "PAPI_hw_int", "hardware interrupts taken",
	  { "HW_INTERRUPTS:RECEIVED", "HW_INT_RCV", "HW_INT_RX", "INTERRUPTS_TAKEN",
	    "LS_INT_TAKEN", "EXC_IRQ", "EXCEPTION_IRQ" } },
	{ "PAPI_ld_ins", "load instructions",
	  { "MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS", "MEM_INST_RETIRED:LOADS",
	    "LD_RETIRED" } },
	{ "PAPI_sr_ins", "store instructions",
	  { "MEM_INST_RETIRED:ALL_STORES", "MEM_UOPS_RETIRED:ALL_STORES",
	    "MEM_INST_RETIRED:STORES", "ST_RETIRED" } },
	{ "PAPI_l2_tcm", "level 2 cache misses",
	  { "L2_RQSTS:MISS", "L2_CACHE_REFILL", "L2D_CACHE_REFILL" } },
	{ "PAPI_l2_tca", "level 2 cache accesses",
	  { "L2_RQSTS:REFERENCES", "L2_CACHE_ACCESS", "L2D_CACHE_ACCESS", "L2D_CACHE" } },
};

#define N_VENDORS	(sizeof(vendors) / sizeof(vendors[0]))

/* The rest of generic_events(3CPC), after "PAPI_": known, but nobody says how a CPU counts it. */
static const char *const known_papi[] = {
	"br_cn", "br_ntk", "br_prc", "br_tkn", "br_ucn", "bru_idl", "btac_m", "ca_cln", "ca_inv",
	"ca_itv", "ca_shr", "ca_snp", "csr_fal", "csr_suc", "csr_tot", "fad_ins", "fdv_ins",
	"fma_ins", "fml_ins", "fnv_ins", "fp_ins", "fp_ops", "fp_stal", "fpu_idl", "ful_ccy",
	"ful_icy", "fxu_idl", "int_ins", "tot_iis", "vec_ins", "lst_ins", "lsu_idl", "mem_rcy",
	"mem_scy", "mem_wcy", "prf_dm", "stl_ccy", "syc_ins", "tlb_sd", "tlb_tl", "tlb_tm",
};

static const char *const known_cache[] = {
	"ldm", "stm", "dca", "dch", "dcm", "dcr", "dcw", "ica", "ich", "icm", "icr", "icw", "tca",
	"tch", "tcm", "tcr", "tcw",
};

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!strcasecmp(name, list[i]))
			return true;
	}
	return false;
}

#define IS_ONE_OF(name, list)	is_one_of(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_known(const char *name)
{
	if (strncasecmp(name, "PAPI_", 5))
		return false;
	name += 5;
	if ((*name == 'l' || *name == 'L') && name[1] >= '1' && name[1] <= '3' && name[2] == '_')
		return IS_ONE_OF(name + 3, known_cache);
	return IS_ONE_OF(name, known_papi);
}

static int try_vendor(const char *name, struct perfmon_event *ev)
{
	int rc = pme_pfm_resolve(name, ev, NULL);

	return rc ? pme_sysfs_resolve(name, ev, NULL) : 0;
}

static int resolve_vendor(const struct vendor *v, struct perfmon_event *ev)
{
	unsigned int i;

	for (i = 0; i < MAX_TRIES && v->tries[i]; i++) {
		if (!try_vendor(v->tries[i], ev))
			return 0;
	}
	return -1;
}

static int refuse_known(const char *name, char **why)
{
	return pme_fail(why, ENOTSUP, "%s is not counted by this machine's CPU", name);
}

int pme_generic_resolve(const char *name, struct perfmon_event *ev, char **why)
{
	size_t i;

	for (i = 0; i < N_GENERICS; i++) {
		if (strcasecmp(name, generics[i].name))
			continue;
		ev->type = generics[i].type;
		ev->config = generics[i].config;
		return 0;
	}
	for (i = 0; i < N_VENDORS; i++) {
		if (!strcasecmp(name, vendors[i].name))
			return resolve_vendor(&vendors[i], ev) ? refuse_known(name, why) : 0;
	}
	return is_known(name) ? refuse_known(name, why) : PME_UNKNOWN;
}

static bool is_software(const struct generic *g)
{
	return g->type == PERF_TYPE_SOFTWARE;
}

static int walk_vendors(const struct pme_walk *walk)
{
	struct perfmon_event ev;
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < N_VENDORS; i++) {
		if (!resolve_vendor(&vendors[i], &ev))
			rc = pme_emit(walk, &ev, vendors[i].name, vendors[i].desc, "generic");
	}
	return rc;
}

int pme_generic_walk(const struct pme_walk *walk, bool software)
{
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < N_GENERICS; i++) {
		const struct generic *g = &generics[i];
		struct perfmon_event ev = { .type = g->type, .config = g->config };

		if (is_software(g) == software && pme_countable(&ev))
			rc = pme_emit(walk, &ev, g->name, g->desc,
				      software ? "software" : "generic");
	}
	return rc || software ? rc : walk_vendors(walk);
}

const char *pme_generic_name(const struct perfmon_event *ev, unsigned int n)
{
	size_t i;

	for (i = 0; i < N_GENERICS; i++) {
		if (generics[i].type == ev->type && generics[i].config == ev->config &&
		    !ev->config1 && !n--)
			return generics[i].name;
	}
	return NULL;
}
