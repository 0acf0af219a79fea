// SPDX-License-Identifier: GPL-2.0-only
/* The operations, and who does them. */
#include "request.h"

struct crew crew;

/* How often each, relative to the others. */
struct kind kinds[] = {
	{ "setup", 20, op_setup, false },
	{ "get", 20, op_get, false },
	{ "start", 30, op_start, false },
	{ "stop", 20, op_stop, false },
	{ "reset", 20, op_reset, false },
	{ "read", 40, op_read, false },
	{ "tstamp", 10, op_tstamp, false },
	{ "setcpu", 15, op_setcpu, false },
	{ "readcpus", 40, op_readcpus, false },
	{ "set-program", 30, op_set_program, false },
	{ "set-start", 40, op_set_start, false },
	{ "set-stop", 30, op_set_stop, false },
	{ "set-reset", 30, op_set_reset, false },
	{ "set-read", 90, op_set_read, false },
	{ "shared-open", 25, op_shared_open, false },
	{ "bind", 30, op_bind, false },
	{ "sample", 90, op_sample, false },
	{ "rele", 15, op_rele, false },
	{ "info", 8, op_info, false },
	{ "error", 20, op_error, false },
	{ "holders", 30, op_holders, false },
	{ "unknown", 15, op_unknown, false },
	{ "open", 12, op_open, false },
	{ "close", 1, op_close, false },
	{ "dup", 4, op_dup, false },
	{ "send", 2, op_send, false },
	{ "receive", 4, op_receive, false },
	{ "poll", 10, op_poll, false },
	{ "misuse", 5, op_misuse, false },
	{ "perf-open", 4, op_perf_open, false },
	{ "perf-close", 4, op_perf_close, false },
	{ "affinity", 12, op_affinity, false },
	{ "hotplug", 3, op_hotplug, false },
	{ "signal", 4, op_signal, true },
	{ "fork", 1, op_fork, true },
	{ "kill", 1, op_kill, true },
	{ "work", 3, op_work, false },
	{ "model", 120, op_model, false },
};

const unsigned int nkinds = ARRAY_SIZE(kinds);

int random_slot(struct worker *w)
{
	return below(&w->random, SLOTS);
}

int random_fd(struct worker *w)
{
	w->slot = random_slot(w);
	return crew.fd[w->slot];
}

int fd_for(struct worker *w, enum role role)
{
	w->slot = role * OF_ROLE + below(&w->random, OF_ROLE);
	return one_in(&w->random, 16) ? random_fd(w) : crew.fd[w->slot];
}

int fd_for_writer(struct worker *w)
{
	if (one_in(&w->random, 8))
		return fd_for(w, PMIO);
	w->slot = WRITER_SLOT;
	return crew.fd[w->slot];
}

int worker_start(struct worker *w, unsigned int id, uint64_t stream, bool child)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->id = id;
	w->child = child;
	w->stream = stream;
	w->model.fd = -1;
	w->bound = -1;
	w->kcov_fd = -1;
	w->track = &shared->track[id];
	w->track->ended = false;
	memset(w->track->ring, 0, sizeof(w->track->ring));
	err = area_init(&w->arg);
	if (!err)
		err = area_init(&w->data);
	if (!err)
		kcov_start(w);
	return err;
}

void worker_end(struct worker *w)
{
	model_end(w);
	kill_children(w);
	kcov_end(w);
	area_free(&w->arg);
	area_free(&w->data);
	w->track->ended = true;
}

static void count(struct worker *w, int result)
{
	struct stats *s = &w->track->stats;

	s->ops++;
	if (result == NOTHING_DONE)
		s->nothing[w->kind]++;
	else if (result >= 0)
		s->ok[w->kind]++;
	else
		s->err[w->kind][-result & (MAX_ERRNO - 1)]++;
}

static int do_kind(struct worker *w)
{
	int result;

	kcov_begin_op(w);
	result = kinds[w->kind].fn(w);
	kcov_end_op(w);
	return result;
}

static void one_op(struct worker *w)
{
	struct record *r = &w->track->ring[w->op % RING];
	int result;

	w->random.state = mix2(w->stream, w->op);
	w->kind = mix_choose(&w->random);
	w->record = r;
	r->done = false;
	r->format = NULL;
	r->op = w->op;
	r->kind = w->kind;
	w->track->op = w->op;
	result = NOTHING_DONE;
	if (!w->child || !kinds[w->kind].not_in_child)
		result = do_kind(w);
	r->result = result;
	r->done = true;
	count(w, result);
}

void worker_run(struct worker *w, uint64_t ops)
{
	for (w->op = 0; w->op < ops && !shared->stop; w->op++)
		one_op(w);
}
