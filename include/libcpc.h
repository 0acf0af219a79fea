/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcpc - CPU performance counters in the manner of Solaris, version 1, see cpc(3).
 *
 * Functions that return int return 0, or -1 with errno, if nothing else is said. Counts are 64
 * bits wide. Link with -lcpc.
 */
#ifndef _LIBCPC_H
#define _LIBCPC_H

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <ucontext.h>

#include <sys/cpc_event.h>
#include <sys/cpc_impl.h>
#include <sys/processor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int uint_t;

/* ---- what there is: cpc_version(3), cpc_access(3), cpc_getcpuver(3) ---- */

#define CPC_VER_NONE	0
#define CPC_VER_1	1
#define CPC_VER_CURRENT	CPC_VER_1

/*
 * The version that the library offers to a program that asks for `ver`: CPC_VER_CURRENT for itself
 * and for CPC_VER_NONE; CPC_VER_NONE for one that it does not have. cpc_version(3).
 */
uint_t cpc_version(uint_t ver);

/*
 * Are there counters, and is nobody using them system-wide? cpc_access(3). -1 with errno, and a
 * message through cpc_seterrfn():
 *	EAGAIN	somebody has a CPU open with cpc_shared_open()
 *	ENOSYS	no counters, or no driver
 *	EACCES	the caller may not ask
 */
int cpc_access(void);

/*
 * The number of this machine's kind of CPU, CPC_* of <sys/cpc_event.h>, or -1 without usable
 * counters. Found out once. cpc_getcpuver(3).
 */
int cpc_getcpuver(void);

/*
 * The name of that kind of CPU; where its events are documented; the syntax that cpc_strtoevent()
 * takes for it, as words with single blanks between them. NULL for a number that is neither this
 * machine's nor one of CPC_ULTRA1, CPC_ULTRA2, CPC_PENTIUM_PRO, CPC_PENTIUM_PRO_MMX.
 * cpc_getcpuver(3).
 */
const char *cpc_getcciname(int cpuver);
const char *cpc_getcpuref(int cpuver);
const char *cpc_getusage(int cpuver);

/*
 * How many elements of ce_pic[] the number has: 8 for this machine, whatever its CPU has, 2 for
 * the others, 0 where the functions above say NULL. cpc_getcpuver(3).
 */
uint_t cpc_getnpic(int cpuver);

/*
 * Calls action for each event that counter `regno` can count, with a name that stays valid, and
 * the low 8 bits of its code (0: it has no fixed one). Nothing for a bad cpuver or regno.
 * cpc_walk_names(3).
 */
void cpc_walk_names(int cpuver, int regno, void *arg,
		    void (*action)(void *arg, int regno, const char *name, uint8_t bits));

/* ---- events: cpc_strtoevent(3), cpc_event(3) ---- */

typedef void (cpc_errfn_t)(const char *fn, const char *fmt, va_list ap);

/*
 * Who gets the messages of cpc_strtoevent() and cpc_access(): fn is "strtoevent" or "access", the
 * text ends in a newline. NULL: standard error, after "libcpc: fn: ". Of the whole process; not
 * for use while other threads call the library. cpc_seterrfn(3).
 */
void cpc_seterrfn(cpc_errfn_t *errfn);

/*
 * Turns a specification into an event that counts from 0. cpc_strtoevent(3).
 *
 *	[picN=]event[,[picN=]event]...[,flag[N]]...[,maskN=value]...
 *
 * Without picN= an event goes to the lowest free counter; one event is enough. An event is a name
 * or a number. On this machine's CPU a name is any that cpustat -h lists, also with libpfm4's unit
 * masks and modifiers, and N is 0 to 7. Flags: nouser (do not count in user mode), sys (count in
 * the kernel); x86 also: inv, int, pc, edge, noedge; masks, x86 only: umask, cmask, 0 to 255.
 * A flag without N is for all counters. Only the Pentium Pro counts edges unless told noedge, as
 * Solaris did there; every other CPU counts durations unless told edge, as it would by itself.
 *
 * Returns 0; or, unlike everything else, the number of errors, each of which was sent to the error
 * function. A cpuver that is not known gives 1 and no message. errno means nothing.
 */
int cpc_strtoevent(int cpuver, const char *spec, cpc_event_t *event);

/*
 * The way back, in the canonical form, which cpc_strtoevent() turns into the same event. The
 * caller frees it. NULL: ce_cpuver is not known, nothing counts (EINVAL), ENOMEM.
 * cpc_strtoevent(3).
 */
char *cpc_eventtostr(cpc_event_t *event);

/* accum += event: counts and ticks add up, ce_hrt is the later one. cpc_event(3). */
void cpc_event_accum(cpc_event_t *accum, cpc_event_t *event);
/* diff = after - before, modulo 2^64; ce_hrt is that of after. diff may be one of them. */
void cpc_event_diff(cpc_event_t *diff, cpc_event_t *after, cpc_event_t *before);

/* ---- counters of a CPU, whatever runs there: cpc_shared_open(3) ---- */

/*
 * Takes the CPU that the calling thread is bound to, see processor_bind(). Returns a descriptor
 * that is closed on exec: a program started meanwhile must not keep the CPU. -1 with errno:
 *	ENXIO	no counters, or no driver
 *	EACCES	the caller may not count CPUs
 *	EINVAL	the thread is not bound to one CPU
 *	EAGAIN	somebody else has this CPU open
 *	EMFILE, ENFILE, ENOMEM
 */
int cpc_shared_open(void);

/* Stops counting and gives the CPU back. Keeps errno. */
void cpc_shared_close(int fd);

/*
 * Counts the event from now on, from the values in ce_pic[], instead of what was counted before.
 * event NULL: like cpc_shared_rele(), and nothing to release is no error. After a failure nothing
 * counts, save that EINVAL for flags or event and EFAULT leave all as it was. -1 with errno:
 *	EAGAIN	the thread is not bound to the CPU of the open any more: close, open again
 *	EINVAL	flags are not 0; ce_cpuver is not cpc_getcpuver(); no counter is used, or one in no
 *		mode; no such event
 *	EFAULT	event is a bad address
 *	ENOTSUP	control bits that this CPU does not have; or it cannot tell user from kernel mode
 *	EACCES	the caller may not count the kernel
 *	EBUSY	the CPU has not so many counters free
 *	EBADF	fd is not open; EINVAL: it did not come from cpc_shared_open()
 */
int cpc_shared_bind_event(int fd, cpc_event_t *event, int flags);

/*
 * Reads all counters at one moment: ce_hrt (ns), ce_tick (ticks since bind), ce_pic[] (0 for those
 * unused), and ce_cpuver and the control bits of the last bind, so that *event can be bound again.
 * -1 with errno: EAGAIN as above, or a counter has lost its hardware to somebody; EINVAL nothing
 * is bound; EFAULT; EBADF.
 */
int cpc_shared_take_sample(int fd, cpc_event_t *event);

/* Stops counting, keeps the CPU. -1 with errno: EAGAIN, EBADF as above; EINVAL nothing is bound. */
int cpc_shared_rele(int fd);

/*
 * An addition: why the last cpc_shared_* call of this thread that failed did so, in words, among
 * them who holds the CPU. "" if that call was not for this descriptor; -1 is for
 * cpc_shared_open(). Valid until the thread's next cpc_shared_* call. cpc_shared_open(3).
 */
const char *cpc_shared_why(int fd);

/* ---- of the system, for programs that expect it ---- */

/* Nanoseconds since some fixed moment, never going back. gethrtime(3). */
hrtime_t gethrtime(void);

#ifdef __cplusplus
}
#endif

#endif
