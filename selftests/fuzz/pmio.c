// SPDX-License-Identifier: GPL-2.0-only
/* perfmon(4) */
#include "request.h"

static bool is_num(int num)
{
	return num >= 0 && num < PMIO_NPMC;
}

static int random_num(struct worker *w)
{
	return small_number(&w->random, PMIO_NPMC);
}

static struct pmc random_pmc(struct worker *w)
{
	static const unsigned char events[] = { 0x11, 0x08, 0x00, 0x1b, 0x3c, 0xc0 };
	struct pmc pmc = { .pmc_num = random_num(w) };

	if (one_in(&w->random, 8)) {
		pmc.pmc_pmcu.pmcu_val = any(&w->random);
		return pmc;
	}
	pmc.pmc_pmcu.pmcu_s.pmcus_event = events[below(&w->random, ARRAY_SIZE(events))];
	pmc.pmc_pmcu.pmcu_s.pmcus_flags = below(&w->random, 4);
	if (one_in(&w->random, 8))
		pmc.pmc_pmcu.pmcu_s.pmcus_flags = any(&w->random);
	pmc.pmc_pmcu.pmcu_s.pmcus_unit = zero_mostly(&w->random);
	pmc.pmc_pmcu.pmcu_s.pmcus_mask = zero_mostly(&w->random);
	return pmc;
}

static void put_pmc(struct worker *w, struct request *rq)
{
	struct pmc pmc = random_pmc(w);

	put(w, &w->arg, &rq->arg, &pmc, sizeof(pmc));
	rq->invalid = never_good(&rq->arg, false) ||
		      (is_good(&rq->arg) && !is_num(pmc.pmc_num));
}

int op_setup(struct worker *w)
{
	struct request rq = { .cmd = PMIOSETUP };
	const struct pmc *pmc;

	put_pmc(w, &rq);
	if (is_good(&rq.arg)) {
		pmc = (struct pmc *)w->arg.copy;
		if (pmc->pmc_pmcu.pmcu_s.pmcus_flags & (PMCF_PC | 0x20))
			rq.invalid = true;
	}
	return do_request(w, fd_for_writer(w), &rq);
}

static void check_pmc(struct worker *w, const struct request *rq)
{
	struct pmc pmc;

	if (!is_good(&rq->arg))
		return;
	memcpy(&pmc, rq->arg.at, sizeof(pmc));
	if (!is_num(pmc.pmc_num))
		broken(w, "PMIOGET: number %d", pmc.pmc_num);
	if (pmc.pmc_pmcu.pmcu_s.pmcus_flags & (PMCF_PC | PMCF_INT | 0x20))
		broken(w, "PMIOGET: flags %#x", pmc.pmc_pmcu.pmcu_s.pmcus_flags);
}

int op_get(struct worker *w)
{
	struct request rq = { .cmd = PMIOGET };
	int ret;

	put_pmc(w, &rq);
	rq.invalid |= rq.arg.place == READ_ONLY;
	rq.arg.writable = sizeof(struct pmc);
	ret = do_request(w, fd_for(w, PMIO), &rq);
	if (!ret)
		check_pmc(w, &rq);
	return ret;
}

static int control(struct worker *w, unsigned long cmd)
{
	struct request rq = { .cmd = cmd };
	int num = random_num(w);

	put(w, &w->arg, &rq.arg, &num, sizeof(num));
	rq.invalid = never_good(&rq.arg, false) || (is_good(&rq.arg) && !is_num(num));
	return do_request(w, fd_for_writer(w), &rq);
}

int op_start(struct worker *w)
{
	return control(w, PMIOSTART);
}

int op_stop(struct worker *w)
{
	return control(w, PMIOSTOP);
}

int op_reset(struct worker *w)
{
	return control(w, PMIORESET);
}

int op_read(struct worker *w)
{
	struct pmc_data data = { .pmcd_num = random_num(w) };
	struct request rq = { .cmd = PMIOREAD };

	put(w, &w->arg, &rq.arg, &data, sizeof(data));
	rq.invalid = never_good(&rq.arg, true) || (is_good(&rq.arg) && !is_num(data.pmcd_num));
	rq.arg.writable = sizeof(data);
	return do_request(w, fd_for(w, PMIO), &rq);
}

int op_tstamp(struct worker *w)
{
	struct request rq = { .cmd = PMIOTSTAMP };
	struct pmc_tstamp ts = { 0 };
	int ret;

	put(w, &w->arg, &rq.arg, &ts, sizeof(ts));
	rq.invalid = never_good(&rq.arg, true);
	rq.arg.writable = sizeof(ts);
	ret = do_request(w, fd_for(w, PMIO), &rq);
	if (!ret && is_good(&rq.arg)) {
		memcpy(&ts, rq.arg.at, sizeof(ts));
		if (ts.pmct_rate <= 0 || !ts.pmct_value)
			broken(w, "PMIOTSTAMP: %d MHz, value %lld", ts.pmct_rate,
			       (long long)ts.pmct_value);
	}
	return ret;
}

int op_setcpu(struct worker *w)
{
	struct pmc_cpu cpu = {
		.pmcc_flags = zero_mostly(&w->random),
		.pmcc_cpu = one_in(&w->random, 2) ? -1 : random_cpu(w),
		.pmcc_reserved = zero_mostly(&w->random),
	};
	struct request rq = { .cmd = PMIOSETCPU };

	rq.invalid = cpu.pmcc_flags || cpu.pmcc_reserved || cpu.pmcc_cpu < -1 ||
		     cpu.pmcc_cpu >= (int)machine_cpus();
	put_sized(w, &rq, &cpu, sizeof(cpu));
	return do_request(w, fd_for(w, PMIO), &rq);
}

static void check_values(struct worker *w, const struct request *rq, unsigned int room)
{
	struct pmc_cpu_value value;
	struct pmc_cpu_data data;
	uint64_t seen = 0;
	unsigned int i;

	memcpy(&data, rq->arg.at, sizeof(data));
	if (!data.pmcx_ncpus || data.pmcx_ncpus > machine_cpus())
		broken(w, "PMIOREADCPUS: %u CPUs", data.pmcx_ncpus);
	for (i = 0; i < room && i < data.pmcx_ncpus; i++) {
		memcpy(&value, (char *)rq->data.at + i * sizeof(value), sizeof(value));
		if (value.pmcv_cpu < 0 || value.pmcv_cpu >= (int)machine_cpus() ||
		    seen >> value.pmcv_cpu & 1)
			broken(w, "PMIOREADCPUS: entry %u is of CPU %d", i, value.pmcv_cpu);
		else
			seen |= 1ULL << value.pmcv_cpu;
		if (value.pmcv_state > PERFMON_STATE_GONE)
			broken(w, "PMIOREADCPUS: state %u", value.pmcv_state);
	}
}

int op_readcpus(struct worker *w)
{
	static const unsigned char zeros[64 * sizeof(struct pmc_cpu_value)];
	unsigned int room = below(&w->random, machine_cpus() + 2);
	struct request rq = { .cmd = PMIOREADCPUS };
	struct pmc_cpu_data data = {
		.pmcx_flags = zero_mostly(&w->random),
		.pmcx_num = random_num(w),
	};
	int ret;

	put(w, &w->data, &rq.data, zeros, room * sizeof(struct pmc_cpu_value));
	rq.data.writable = rq.data.size;
	/* More than there can be needs no more memory than there is. */
	data.pmcx_ncpus = room >= machine_cpus() && one_in(&w->random, 4) ?
			  edge_number(&w->random) | 64 : room;
	data.pmcx_values = (uintptr_t)rq.data.at;
	rq.invalid = data.pmcx_flags || !is_num(data.pmcx_num) ||
		     (room && (rq.data.place == BAD || rq.data.place == READ_ONLY));
	put_sized(w, &rq, &data, sizeof(data));
	rq.arg.writable = sizeof(data);
	ret = do_request(w, fd_for(w, PMIO), &rq);
	if (!ret && is_good(&rq.arg) && (is_good(&rq.data) || !room))
		check_values(w, &rq, room);
	return ret;
}
