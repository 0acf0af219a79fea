/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Binding threads to CPUs in the manner of Solaris, see processor_bind(2). In libcpc.
 */
#ifndef _SYS_PROCESSOR_H
#define _SYS_PROCESSOR_H

#include <sys/types.h>
#include <sys/wait.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * idtype_t and P_PID are the C library's where it shows them, which glibc does not under
 * -std=c99. The numbers are the same.
 */
#if defined(__GLIBC__) && !defined(__USE_XOPEN_EXTENDED) && !defined(__USE_XOPEN2K8)
typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
#ifndef __id_t_defined
#define __id_t_defined
typedef unsigned int id_t;
#endif
#endif

/* One more kind of id: that of a thread, gettid(2). */
#define P_LWPID		((idtype_t)8)
#define P_MYID		((id_t)-1)

typedef int processorid_t;

#define PBIND_NONE	(-1)	/* bound to no one CPU */
#define PBIND_QUERY	(-2)	/* change nothing */

/*
 * Binds a thread (P_LWPID) or all threads of a process (P_PID) to the CPU; P_MYID is the caller.
 * PBIND_NONE undoes it: a thread that bound itself gets back the CPUs it had before, any other
 * all CPUs it may have. *obind, unless obind is NULL, is the CPU that it was bound to before, or
 * PBIND_NONE; of several threads, what they have in common. "Bound" is an affinity of one CPU,
 * also one that sched_setaffinity(2) made.
 *
 * Returns 0, or -1 with errno:
 *	EINVAL	there is no such CPU, it is offline or not for this thread; bad idtype
 *	EPERM	another user's thread
 *	ESRCH	no such thread or process
 */
int processor_bind(idtype_t idtype, id_t id, processorid_t cpu, processorid_t *obind);

#ifdef __cplusplus
}
#endif

#endif
