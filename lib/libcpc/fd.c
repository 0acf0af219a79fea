// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A table by descriptor. Its pieces are made when first needed and stay, so that they can be read
 * without a lock, and a descriptor that is closed behind the library's back leaks nothing: the
 * next one of that number has its place.
 */
#include <stdlib.h>

#include "shared.h"

struct cpc_fd *cpc_piece[CPC_PIECES];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static struct cpc_fd *make_piece(void)
{
	struct cpc_fd *p = calloc(CPC_PIECE, sizeof(*p));
	unsigned int i;

	for (i = 0; p && i < CPC_PIECE; i++) {
		pthread_mutex_init(&p[i].lock, NULL);
		p[i].seq = 1;
	}
	return p;
}

static struct cpc_fd *find_or_make(int fd)
{
	struct cpc_fd *f, *p;

	pthread_mutex_lock(&table_lock);
	f = cpc_fd_find(fd);
	if (!f && fd < CPC_PIECE * CPC_PIECES) {
		p = make_piece();
		if (p)
			f = &p[fd % CPC_PIECE];
		__atomic_store_n(&cpc_piece[fd / CPC_PIECE], p, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table_lock);
	return f;
}

struct cpc_fd *cpc_fd_lock(int fd)
{
	struct cpc_fd *f = cpc_fd_find(fd);

	if (f) {
		pthread_mutex_lock(&f->lock);
		if (f->open)
			return f;
		pthread_mutex_unlock(&f->lock);
	}
	cpc_refuse_fd(fd);
	return NULL;
}

void cpc_fd_unlock(struct cpc_fd *f)
{
	pthread_mutex_unlock(&f->lock);
}

/* A sampler that sees seq change, or odd, knows that what it has read may be of two events. */
void cpc_fd_begin_write(struct cpc_fd *f)
{
	__atomic_store_n(&f->seq, f->seq | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

void cpc_fd_end_write(struct cpc_fd *f)
{
	__atomic_store_n(&f->seq, f->seq + 1, __ATOMIC_RELEASE);
}

int cpc_fd_open(int fd)
{
	struct cpc_fd *f = find_or_make(fd);

	if (!f)
		return -1;
	pthread_mutex_lock(&f->lock);
	/* One that was closed behind our back is still open in the table. */
	cpc_fd_begin_write(f);
	f->cpuver = cpc_getcpuver();
	f->used = 0;
	f->dense = 0;
	f->coded = 0;
	f->open = true;
	cpc_fd_end_write(f);
	pthread_mutex_unlock(&f->lock);
	return 0;
}

void cpc_fd_close(struct cpc_fd *f)
{
	cpc_fd_begin_write(f);
	f->open = false;
}
