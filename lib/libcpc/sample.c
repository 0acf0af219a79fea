// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cpc_shared_take_sample(), which programs call all the time.
 *
 * The kernel writes its sample into the program's event. It is the first to touch it, so that a bad
 * address is EFAULT. It reads there how much room there is, too; the library leaves that behind
 * after each sample, and puts it into a new event only after the kernel has found fault with it.
 */
#include <assert.h>
#include <errno.h>
#include <sys/ioctl.h>

#include <linux/cpc.h>

#include "shared.h"

static_assert(offsetof(struct _cpc_sample, bad) == offsetof(struct perfmon_sample, bad) &&
	      offsetof(struct _cpc_sample, state) == offsetof(struct perfmon_sample, state) &&
	      offsetof(struct _cpc_sample, time) == offsetof(struct perfmon_sample, time) &&
	      offsetof(struct _cpc_sample, ticks) == offsetof(struct perfmon_sample, ticks) &&
	      offsetof(struct _cpc_sample, value) == offsetof(struct perfmon_sample, value),
	      "an event has no room for a sample of the kernel's");

/* Perhaps the room was too little: the event was never used for a sample. */
static __attribute__((cold, noinline)) int read_again(int fd, struct _cpc_sample *s)
{
	if (errno != EINVAL || s->nr >= CPC_MAX_PIC || !cpc_writable(&s->nr))
		return -1;
	s->nr = CPC_MAX_PIC;
	return ioctl(fd, CPC_IOC_SAMPLE, s);
}

static inline int read_sample(int fd, struct _cpc_sample *s)
{
	int rc = ioctl(fd, CPC_IOC_SAMPLE, s);

	return __builtin_expect(rc, 0) ? read_again(fd, s) : 0;
}

/* Values come in the order of counters, without those that are not used. */
static __attribute__((noinline)) void spread(uint64_t *pic, const uint64_t *value, uint32_t used)
{
	unsigned int i;

	for (i = 0; i < CPC_MAX_PIC; i++)
		pic[i] = used >> i & 1 ? *value++ : 0;
}

/* The counters from n on. A call of memset(), which compilers make of a loop, costs more. */
static inline void zero(uint64_t *pic, unsigned int n)
{
	for (; n < CPC_MAX_PIC; n++) {
		pic[n] = 0;
		__asm__("" : "+r" (n));
	}
}

/* A binder may be writing what is read here. Then seq has changed, and all of it is read again. */
static inline void fill(const struct cpc_fd *f, cpc_event_t *event)
{
	struct _cpc_sample *s = &event->ce_sample;
	unsigned int n = f->dense;

	event->ce_cpuver = f->cpuver;
	event->ce_hrt = s->time;
	event->ce_tick = s->ticks;
	if (__builtin_expect(n, 1)) {
		memcpy(event->ce_pic, s->value, sizeof(event->ce_pic));
		zero(event->ce_pic, n);
	} else {
		spread(event->ce_pic, s->value, f->used);
	}
	memcpy((char *)event + CPC_CONTROL_AT, f->control, CPC_CONTROL_SIZE);
	if (f->coded)
		memcpy(event->ce_code, f->code, CPC_CODE_SIZE);
	s->nr = CPC_MAX_PIC;
}

static __attribute__((cold, noinline)) int failed(int fd)
{
	return cpc_refuse_as_kernel(fd, fd, errno == ENOTTY ? EINVAL : errno, 0);
}

/* What a counter without hardware says is too low, and must not pass for a count. */
static __attribute__((cold, noinline)) int contended(int fd, const struct _cpc_sample *s)
{
	return cpc_refuse(fd, EAGAIN, "another user of perf took hardware counters of CPU %d: "
			  "release and bind again", s->cpu);
}

/* Waits for the binder that was in the way. It may need this CPU, so that spinning is no choice. */
static __attribute__((cold, noinline)) int sample_locked(int fd, cpc_event_t *event)
{
	struct cpc_fd *f = cpc_fd_lock(fd);
	int rc;

	if (!f)
		return -1;
	rc = read_sample(fd, &event->ce_sample);
	if (!rc)
		fill(f, event);
	cpc_fd_unlock(f);
	if (rc)
		return failed(fd);
	return event->ce_sample.bad ? contended(fd, &event->ce_sample) : 0;
}

CPC_API int cpc_shared_take_sample(int fd, cpc_event_t *event)
{
	struct cpc_fd *f = cpc_fd_find(fd);
	unsigned int seq;

	if (__builtin_expect(!f, 0))
		return cpc_refuse_fd(fd);
	seq = __atomic_load_n(&f->seq, __ATOMIC_ACQUIRE);
	if (__builtin_expect(seq & 1, 0))
		return sample_locked(fd, event);
	if (__builtin_expect(read_sample(fd, &event->ce_sample), 0))
		return failed(fd);
	fill(f, event);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__builtin_expect(__atomic_load_n(&f->seq, __ATOMIC_RELAXED) != seq, 0))
		return sample_locked(fd, event);
	if (__builtin_expect(event->ce_sample.bad, 0))
		return contended(fd, &event->ce_sample);
	return 0;
}
