/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cpc_shared_* functions share. */
#ifndef LIBCPC_SHARED_H
#define LIBCPC_SHARED_H

#include <pthread.h>
#include <stddef.h>

#include "impl.h"

/*
 * The control bits of an event: two stretches of it, the second of use only where ce_coded is not
 * 0.
 */
#define CPC_CONTROL_AT		offsetof(cpc_event_t, ce_pcr)
#define CPC_CONTROL_SIZE	(offsetof(cpc_event_t, ce_code) - CPC_CONTROL_AT)
#define CPC_CODE_SIZE		(CPC_MAX_PIC * sizeof(struct _cpc_code))

/*
 * What the library knows of an open descriptor. The kernel has the set; the bits that a sample is
 * to bear, and which counters its values belong to, are only here.
 */
struct cpc_fd {
	unsigned int seq;		/* odd: a binder is at work, or it is not open */
	int cpuver;
	uint32_t used;
	unsigned int dense;		/* how many, if no counter is left out below; else 0 */
	uint32_t coded;
	char control[CPC_CONTROL_SIZE];
	char code[CPC_CODE_SIZE];
	pthread_mutex_t lock;		/* binders, and samplers that met one */
	bool open;			/* under lock */
};

/* A table by descriptor, see fd.c. */
#define CPC_PIECE	64
#define CPC_PIECES	16384		/* descriptors end at a million, fs.nr_open */

extern struct cpc_fd *cpc_piece[CPC_PIECES];

static inline struct cpc_fd *cpc_fd_find(int fd)
{
	struct cpc_fd *p;

	if ((unsigned int)fd >= CPC_PIECE * CPC_PIECES)
		return NULL;
	p = __atomic_load_n(&cpc_piece[fd / CPC_PIECE], __ATOMIC_ACQUIRE);
	return p ? &p[fd % CPC_PIECE] : NULL;
}

/*
 * Locks a descriptor that cpc_shared_open() has returned and nobody closed; for any other sets
 * errno and returns NULL.
 */
struct cpc_fd *cpc_fd_lock(int fd);
void cpc_fd_unlock(struct cpc_fd *f);
/* Notes a new one. 0, or -1: no memory. */
int cpc_fd_open(int fd);
/* To be called locked; the descriptor's number may come back any time after. */
void cpc_fd_close(struct cpc_fd *f);
/* Around a change of what a sampler reads; locked. */
void cpc_fd_begin_write(struct cpc_fd *f);
void cpc_fd_end_write(struct cpc_fd *f);

/* Can the memory be read? Does not change errno. */
bool cpc_readable(const void *at, size_t size);
/* Can the number be written? Changes it. */
bool cpc_writable(uint32_t *at);

/* Sets errno and what cpc_shared_why() says. Returns -1. */
int cpc_refuse(int fd, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with the kernel's words, for a request that fd has just refused with errno err. */
int cpc_refuse_as_kernel(int fd, int from, int err, unsigned int used);
/* For a descriptor that is none of ours. */
int cpc_refuse_fd(int fd);
void cpc_forget_why(int fd);

#endif
