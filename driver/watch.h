/* SPDX-License-Identifier: GPL-2.0-only */
/* How a file learns that a CPU that it counts on went away: poll(2) says POLLPRI. */
#ifndef PERFMON_WATCH_H
#define PERFMON_WATCH_H

#include <linux/compiler.h>
#include <linux/poll.h>
#include <linux/wait.h>

/* @news: a flag; whoever is late to see it sees it at the next poll. */
struct pm_watch {
	wait_queue_head_t wait;
	bool news;
};

static inline void pm_watch_init(struct pm_watch *watch)
{
	init_waitqueue_head(&watch->wait);
	watch->news = false;
}

static inline void pm_watch_notify(struct pm_watch *watch)
{
	WRITE_ONCE(watch->news, true);
	wake_up_interruptible_poll(&watch->wait, EPOLLPRI);
}

/* The owner has acted on it: with a start, or by programming anew. */
static inline void pm_watch_clear(struct pm_watch *watch)
{
	WRITE_ONCE(watch->news, false);
}

#endif
