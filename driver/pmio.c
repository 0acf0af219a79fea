// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon(4): PMIO_NPMC counters of the machine, which one file sets up and any file reads.
 *
 * Where the original had one CPU, a counter counts on every online one, or on the one that
 * PMIOSETCPU chose. The order of checks is the original's: the pointer, the right to write, the
 * number, and then whether the counter has been set up, whose errno is the EBUSY of the original's
 * manual.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "file.h"
#include "set.h"

#define PMCF_KNOWN	(PMCF_USR | PMCF_OS | PMCF_E | PMCF_INV)

/* @set: NULL when not set up. @cpu: what it counts on, a CPU or PM_ALL_CPUS. */
struct pmio_counter {
	struct pm_set *set;
	struct pmc conf;
	int cpu;
	bool running;
};

/* @cpu: pmio.lock. What PMIOSETCPU said, or PM_ALL_CPUS. */
struct pmio_file {
	int cpu;
};

static struct {
	struct mutex lock;	/* protects the rest, and owns the sets */
	struct pm_file *writer;
	struct pmio_counter counter[PMIO_NPMC];
} pmio = {
	.lock = __MUTEX_INITIALIZER(pmio.lock),
};

static_assert(sizeof(struct pmc) == 8);
static_assert(sizeof(struct pmc_data) == 16);
static_assert(sizeof(struct pmc_tstamp) == 16);
static_assert(sizeof(struct pmc_cpu) == 16);
static_assert(sizeof(struct pmc_cpu_value) == 16);
static_assert(sizeof(struct pmc_cpu_data) == 24);

static struct pmio_file *pmio_file(struct pm_file *f)
{
	return f->priv;
}

static int pmio_check_writable(struct pm_file *f)
{
	if (f->writable)
		return 0;
	return pm_fault(&f->fault, -EPERM, -1, -1, "this file was opened for reading only");
}

static int pmio_check_num(struct pm_file *f, int num)
{
	if (num >= 0 && num < PMIO_NPMC)
		return 0;
	return pm_fault(&f->fault, -EINVAL, num, -1, "counter %d: they are 0 to %d", num,
			PMIO_NPMC - 1);
}

/* The counter, if it has been set up; else an ERR_PTR. */
static struct pmio_counter *pmio_get(struct pm_file *f, int num)
{
	struct pmio_counter *c;

	lockdep_assert_held(&pmio.lock);
	if (unlikely(num < 0 || num >= PMIO_NPMC))
		return ERR_PTR(pmio_check_num(f, num));
	c = &pmio.counter[array_index_nospec(num, PMIO_NPMC)];
	if (likely(c->set))
		return c;
	return ERR_PTR(pm_fault(&f->fault, -EBUSY, num, -1, "counter %d has not been set up", num));
}

static unsigned char pmio_flags(const struct pmc *pmc)
{
	return pmc->pmc_pmcu.pmcu_s.pmcus_flags;
}

/* A field that the CPU's encoding does not have would be ignored, so it is refused. */
static int pmio_check_field(struct pm_file *f, int num, bool used, u32 cap, const char *name)
{
	if (!used || (PM_ARCH_FIELDS & cap))
		return 0;
	return pm_fault(&f->fault, -EINVAL, num, -1, "events of this CPU have no %s", name);
}

static int pmio_encode(struct pm_file *f, const struct pmc *pmc, struct perfmon_event *event)
{
	unsigned char flags = pmio_flags(pmc);
	unsigned char mask = pmc->pmc_pmcu.pmcu_s.pmcus_mask;
	bool edge = flags & PMCF_E, invert = flags & PMCF_INV;
	int num = pmc->pmc_num;
	int err;

	if (flags & ~PMCF_KNOWN)
		return pm_fault(&f->fault, -EINVAL, num, -1, "flags %#x: no event can have %#x",
				flags, flags & ~PMCF_KNOWN);
	err = pmio_check_field(f, num, edge, PERFMON_CAP_EDGE, "edge detection (PMCF_E)");
	if (!err)
		err = pmio_check_field(f, num, invert, PERFMON_CAP_INVERT, "inversion (PMCF_INV)");
	if (!err)
		err = pmio_check_field(f, num, mask, PERFMON_CAP_CMASK, "counter mask (pmc_mask)");
	if (err)
		return err;

	memset(event, 0, sizeof(*event));
	event->type = PERF_TYPE_RAW;
	event->config = pm_arch_config(pmc->pmc_pmcu.pmcu_s.pmcus_event,
				       pmc->pmc_pmcu.pmcu_s.pmcus_unit, mask, edge, invert);
	if (flags & PMCF_USR)
		event->flags |= PERFMON_EVENT_USER;
	if (flags & PMCF_OS)
		event->flags |= PERFMON_EVENT_KERNEL;
	return 0;
}

static void pmio_count_held(void)
{
	unsigned int i, n = 0;
	int cpu = PM_ALL_CPUS;

	lockdep_assert_held(&pmio.lock);
	for (i = 0; i < PMIO_NPMC; i++) {
		const struct pmio_counter *c = &pmio.counter[i];

		if (!c->set)
			continue;
		cpu = !n || cpu == c->cpu ? c->cpu : PM_ALL_CPUS;
		n++;
	}
	pm_hold(&pmio.writer->holder, PERFMON_FACE_PMIO, cpu, n);
}

static void pmio_drop(struct pmio_counter *c)
{
	lockdep_assert_held(&pmio.lock);
	if (c->set)
		pm_set_destroy(c->set);
	c->set = NULL;
	c->running = false;
}

/* The hardware is taken here and not at the start, so that a start cannot find it gone. */
static int pmio_setup_locked(struct pm_file *f, const struct pmc *pmc)
{
	struct pmio_counter *c = &pmio.counter[array_index_nospec(pmc->pmc_num, PMIO_NPMC)];
	struct perfmon_event event;
	struct pm_set *set;
	int err;

	err = pmio_encode(f, pmc, &event);
	if (!err)
		err = pm_file_allowed(f, &event, 1);
	if (err)
		return err;
	/* The old one first: there may not be hardware for both. */
	pmio_drop(c);
	set = pm_set_create(&event, 1, pmio_file(f)->cpu, &pmio.lock, &f->watch, &f->fault);
	if (IS_ERR(set)) {
		pm_fault_reindex(&f->fault, pmc->pmc_num);
	} else {
		c->set = set;
		c->cpu = pmio_file(f)->cpu;
		c->conf = *pmc;
	}
	pmio_count_held();
	return PTR_ERR_OR_ZERO(set);
}

static long pmio_setup(struct pm_file *f, struct pmc __user *arg)
{
	struct pmc pmc;
	int err;

	if (copy_from_user(&pmc, arg, sizeof(pmc)))
		return pm_fault_address(&f->fault);
	err = pmio_check_writable(f);
	if (!err)
		err = pmio_check_num(f, pmc.pmc_num);
	if (err)
		return err;
	pmc.pmc_pmcu.pmcu_s.pmcus_flags &= ~PMCF_SYS_FLAGS;

	mutex_lock(&pmio.lock);
	err = pmio_setup_locked(f, &pmc);
	mutex_unlock(&pmio.lock);
	return err;
}

static long pmio_getconf(struct pm_file *f, struct pmc __user *arg)
{
	struct pmio_counter *c;
	struct pmc pmc;
	int err = 0;

	if (copy_from_user(&pmc, arg, sizeof(pmc)))
		return pm_fault_address(&f->fault);

	mutex_lock(&pmio.lock);
	c = pmio_get(f, pmc.pmc_num);
	if (IS_ERR(c)) {
		err = PTR_ERR(c);
	} else {
		pmc = c->conf;
		if (c->running)
			pmc.pmc_pmcu.pmcu_s.pmcus_flags |= PMCF_EN;
	}
	mutex_unlock(&pmio.lock);
	if (err)
		return err;
	return copy_to_user(arg, &pmc, sizeof(pmc)) ? pm_fault_address(&f->fault) : 0;
}

static int pmio_start(struct pm_file *f, struct pmio_counter *c)
{
	int err = pm_set_start(c->set, &f->fault);

	c->running = !err;
	if (err)
		pm_fault_reindex(&f->fault, c->conf.pmc_num);
	return err;
}

static int pmio_stop(struct pm_file *f, struct pmio_counter *c)
{
	pm_set_stop(c->set);
	c->running = false;
	return 0;
}

static int pmio_reset(struct pm_file *f, struct pmio_counter *c)
{
	pm_set_reset(c->set);
	return 0;
}

/* PMIOSTART, PMIOSTOP, PMIORESET: one counter, by number. */
static long pmio_control(struct pm_file *f, int __user *arg,
			 int (*act)(struct pm_file *f, struct pmio_counter *c))
{
	struct pmio_counter *c;
	int num, err;

	if (get_user(num, arg))
		return pm_fault_address(&f->fault);
	err = pmio_check_writable(f);
	if (err)
		return err;

	mutex_lock(&pmio.lock);
	c = pmio_get(f, num);
	err = IS_ERR(c) ? PTR_ERR(c) : act(f, c);
	mutex_unlock(&pmio.lock);
	return err;
}

static s64 pmio_sum(struct pm_set *set)
{
	const struct { struct perfmon_sample head; u64 value; } *record;
	unsigned int i, n = pm_set_cpus(set);
	size_t size;
	s64 sum = 0;

	record = pm_set_read_all(set, &size);
	for (i = 0; i < n; i++)
		sum += record[i].value;
	return sum;
}

static int pmio_value(struct pm_file *f, const struct pmio_counter *c, s64 *value)
{
	struct { struct perfmon_sample head; u64 value; } sample;
	int cpu = pmio_file(f)->cpu;

	if (cpu == PM_ALL_CPUS) {
		*value = pmio_sum(c->set);
		return 0;
	}
	if (pm_set_read_cpu(c->set, cpu, &sample.head, 1, false))
		return pm_fault(&f->fault, -ENXIO, c->conf.pmc_num, cpu,
				"counter %d does not count on CPU %d", c->conf.pmc_num, cpu);
	*value = sample.value;
	return 0;
}

static long pmio_read(struct pm_file *f, struct pmc_data __user *arg)
{
	struct pmio_counter *c;
	s64 value;
	int num, err;

	if (get_user(num, &arg->pmcd_num))
		return pm_fault_address(&f->fault);

	mutex_lock(&pmio.lock);
	c = pmio_get(f, num);
	err = IS_ERR(c) ? PTR_ERR(c) : pmio_value(f, c, &value);
	mutex_unlock(&pmio.lock);
	if (err)
		return err;
	return put_user(value, &arg->pmcd_value) ? pm_fault_address(&f->fault) : 0;
}

static int pmio_tstamp_get(struct pm_file *f, struct pmc_tstamp *ts)
{
	memset(ts, 0, sizeof(*ts));
	ts->pmct_rate = pm_arch_tstamp_rate();
	if (!ts->pmct_rate)
		return pm_fault(&f->fault, -ENOTTY, -1, -1,
				"this machine has no usable time stamp counter");
	ts->pmct_value = pm_arch_tstamp();
	return 0;
}

static long pmio_tstamp(struct pm_file *f, struct pmc_tstamp __user *arg)
{
	struct pmc_tstamp ts;
	int err = pmio_tstamp_get(f, &ts);

	if (err)
		return err;
	return copy_to_user(arg, &ts, sizeof(ts)) ? pm_fault_address(&f->fault) : 0;
}

static long pmio_setcpu(struct pm_file *f, void __user *arg)
{
	struct pmc_cpu req;
	int err, cpu;

	err = pm_copy_in(f, &req, sizeof(req), arg);
	if (err)
		return err;
	cpu = req.pmcc_cpu;
	if (req.pmcc_flags || req.pmcc_reserved)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "flags and reserved must be 0");
	err = pm_cpu_or_all_check(cpu, &f->fault);
	if (err)
		return err;

	mutex_lock(&pmio.lock);
	pmio_file(f)->cpu = cpu;
	mutex_unlock(&pmio.lock);
	return 0;
}

/* On each CPU: as much as there is room for. Return: how many CPUs there are, or an errno. */
static int pmio_values(struct pm_file *f, int num, struct pmc_cpu_value *out, unsigned int room)
{
	const struct { struct perfmon_sample head; u64 value; } *record;
	struct pmio_counter *c = pmio_get(f, num);
	unsigned int i, n;
	size_t size;
	bool modes;

	if (IS_ERR(c))
		return PTR_ERR(c);
	modes = pmio_flags(&c->conf) & (PMCF_USR | PMCF_OS);
	record = pm_set_read_all(c->set, &size);
	n = pm_set_cpus(c->set);
	for (i = 0; i < min(n, room); i++) {
		out[i].pmcv_cpu = record[i].head.cpu;
		/* Neither mode is allowed, as ever, but it shall not look like counting. */
		out[i].pmcv_state = modes ? record[i].head.state : PERFMON_STATE_OFF;
		out[i].pmcv_value = record[i].value;
	}
	return n;
}

static long pmio_readcpus(struct pm_file *f, struct pmc_cpu_data __user *arg)
{
	struct pmc_cpu_value *values;
	struct pmc_cpu_data req;
	unsigned int room;
	long err;
	int n;

	err = pm_copy_in(f, &req, sizeof(req), arg);
	if (err)
		return err;
	if (req.pmcx_flags)
		return pm_fault(&f->fault, -EINVAL, -1, -1, "unknown flags %#x", req.pmcx_flags);
	room = min(req.pmcx_ncpus, num_possible_cpus());
	values = kvcalloc(max(room, 1U), sizeof(*values), GFP_KERNEL);
	if (!values)
		return pm_fault(&f->fault, -ENOMEM, -1, -1, "out of memory");

	mutex_lock(&pmio.lock);
	n = pmio_values(f, req.pmcx_num, values, room);
	mutex_unlock(&pmio.lock);

	if (n < 0)
		err = n;
	else if (copy_to_user(u64_to_user_ptr(req.pmcx_values), values,
			      min_t(unsigned int, n, room) * sizeof(*values)) ||
		 put_user(n, &arg->pmcx_ncpus))
		err = pm_fault_address(&f->fault);
	kvfree(values);
	return err;
}

static long pmio_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case PMIOREAD:
		return pmio_read(f, arg);
	case PMIOSETUP:
		return pmio_setup(f, arg);
	case PMIOGET:
		return pmio_getconf(f, arg);
	case PMIOSTART:
		return pmio_control(f, arg, pmio_start);
	case PMIOSTOP:
		return pmio_control(f, arg, pmio_stop);
	case PMIORESET:
		return pmio_control(f, arg, pmio_reset);
	case PMIOTSTAMP:
		return pmio_tstamp(f, arg);
	case PMIOSETCPU:
		return pmio_setcpu(f, arg);
	case PMIOREADCPUS:
		return pmio_readcpus(f, arg);
	default:
		return pm_services_ioctl(f, cmd, arg);
	}
}

#ifdef CONFIG_COMPAT
/* i386 aligns 64-bit members to 4. */
struct pmc_data32 {
	int pmcd_num;
	s64 pmcd_value;
} __packed;

struct pmc_tstamp32 {
	int pmct_rate;
	s64 pmct_value;
} __packed;

#define PMIOREAD32	_IOWR('5', 4, struct pmc_data32)
#define PMIOTSTAMP32	_IOR('5', 6, struct pmc_tstamp32)

static long pmio_read32(struct pm_file *f, struct pmc_data32 __user *arg)
{
	struct pmc_data32 data;
	struct pmio_counter *c;
	s64 value;
	int err;

	if (copy_from_user(&data, arg, sizeof(data)))
		return pm_fault_address(&f->fault);
	mutex_lock(&pmio.lock);
	c = pmio_get(f, data.pmcd_num);
	err = IS_ERR(c) ? PTR_ERR(c) : pmio_value(f, c, &value);
	mutex_unlock(&pmio.lock);
	if (err)
		return err;
	data.pmcd_value = value;
	return copy_to_user(arg, &data, sizeof(data)) ? pm_fault_address(&f->fault) : 0;
}

static long pmio_tstamp32(struct pm_file *f, struct pmc_tstamp32 __user *arg)
{
	struct pmc_tstamp32 ts32;
	struct pmc_tstamp ts;
	int err = pmio_tstamp_get(f, &ts);

	if (err)
		return err;
	ts32.pmct_rate = ts.pmct_rate;
	ts32.pmct_value = ts.pmct_value;
	return copy_to_user(arg, &ts32, sizeof(ts32)) ? pm_fault_address(&f->fault) : 0;
}

long pm_pmio_compat_ioctl(struct pm_file *f, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case PMIOREAD32:
		return pmio_read32(f, arg);
	case PMIOTSTAMP32:
		return pmio_tstamp32(f, arg);
	default:
		return -ENOIOCTLCMD;
	}
}
#endif

static void pmio_release(struct pm_file *f)
{
	unsigned int i;

	mutex_lock(&pmio.lock);
	if (pmio.writer == f) {
		for (i = 0; i < PMIO_NPMC; i++)
			pmio_drop(&pmio.counter[i]);
		pmio.writer = NULL;
	}
	mutex_unlock(&pmio.lock);
	kfree(pmio_file(f));
}

static const struct pm_face pmio_face = {
	.id = PERFMON_FACE_PMIO,
	.ioctl = pmio_ioctl,
	.release = pmio_release,
};

static int pmio_become_writer(struct pm_file *f)
{
	int err = 0;

	mutex_lock(&pmio.lock);
	if (pmio.writer) {
		err = -EBUSY;
	} else {
		pmio.writer = f;
		pmio_count_held();
	}
	mutex_unlock(&pmio.lock);
	return err;
}

int pm_pmio_open(struct pm_file *f)
{
	struct pmio_file *pf;
	int err;

	err = pm_counter_probe(PM_ALL_CPUS, &f->fault);
	if (!err)
		err = f->may_count;
	if (err)
		return err;

	pf = kzalloc(sizeof(*pf), GFP_KERNEL);
	if (!pf)
		return -ENOMEM;
	pf->cpu = PM_ALL_CPUS;
	mutex_lock(&f->lock);
	pm_file_become(f, &pmio_face, pf);
	mutex_unlock(&f->lock);

	if (f->writable)
		err = pmio_become_writer(f);
	if (err)
		kfree(pf);
	return err;
}
