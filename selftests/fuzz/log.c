// SPDX-License-Identifier: GPL-2.0-only
/*
 * What has been done, and what was wrong with it. The last operations of each worker are kept in
 * memory that survives it; how far everybody is goes to the kernel's log from time to time, where a
 * report of the kernel stands among them.
 */
#include <stdarg.h>
#include <sys/mman.h>

#include "fuzz.h"

#define MOST_BROKEN	40	/* that are described */
#define MOST_RINGS	5	/* with what went before */

struct shared *shared;
static int kmsg = -1;

/* Else the kernel drops most of what is written. It knows the word only with its newline. */
static void log_whole(void)
{
	int err = write_text("/proc/sys/kernel/printk_devkmsg", "on\n");

	if (err && options.replay) {
		fprintf(stderr, "fuzz: the kernel's log would lose most of it: %s\n",
			strerror(-err));
		exit(2);
	}
}

void log_init(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED) {
		perror("fuzz: mmap");
		exit(2);
	}
	log_whole();
	kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
}

static void kernel_text(const char *text)
{
	if (kmsg >= 0 && write(kmsg, text, strlen(text)) < 0)
		kmsg = -1;
}

void kernel_log(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kernel_text(text);
}

void say(const struct worker *w, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	n = snprintf(text, sizeof(text), "fuzz: round %llu worker %u op %llu %s: ",
		     (unsigned long long)shared->round, w->id, (unsigned long long)w->op,
		     kinds[w->kind].name);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	if (options.dump)
		puts(text);
	else
		kernel_text(text);
}

/* The format is one of note()'s. */
static void record_text(const struct record *r, char *text, size_t size)
{
	const unsigned long long *a = (const unsigned long long *)r->arg;

	snprintf(text, size, r->format, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
		 a[10], a[11]);
}

bool note_args(struct worker *w, const char *format, const uint64_t *args, unsigned int n)
{
	struct record *r = w->record;
	char text[256];

	memcpy(r->arg, args, n * sizeof(args[0]));
	r->format = format;
	if (options.replay || options.dump) {
		record_text(r, text, sizeof(text));
		say(w, "%s", text);
	}
	return !options.dump;
}

static void print_record(const struct record *r)
{
	char result[32] = "(not ended)", text[256];

	if (r->done)
		snprintf(result, sizeof(result), "= %d", r->result);
	if (r->done && r->result == NOTHING_DONE)
		snprintf(result, sizeof(result), "= nothing");
	record_text(r, text, sizeof(text));
	fprintf(stderr, "  op %llu %s: %s %s\n", (unsigned long long)r->op,
		kinds[r->kind].name, text, result);
}

static void print_ring(const struct track *track)
{
	uint64_t op = track->op, n;

	for (n = op > RING - 1 ? op - (RING - 1) : 0; n <= op; n++) {
		const struct record *r = &track->ring[n % RING];

		if (r->op == n && r->format)
			print_record(r);
	}
}

void broken(struct worker *w, const char *fmt, ...)
{
	unsigned int before = atomic_fetch_add(&shared->broken, 1);
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!before)
		fprintf(stderr, "fuzz: to repeat the round: --seed %llu --round %llu --mix %s\n",
			(unsigned long long)options.seed, (unsigned long long)shared->round,
			round_mix.level);
	if (before >= MOST_BROKEN)
		return;
	if (!w) {
		fprintf(stderr, "fuzz: seed %llu round %llu: %s\n",
			(unsigned long long)options.seed, (unsigned long long)shared->round, text);
		return;
	}
	fprintf(stderr, "fuzz: seed %llu round %llu worker %u op %llu %s: %s\n",
		(unsigned long long)options.seed, (unsigned long long)shared->round, w->id,
		(unsigned long long)w->op, kinds[w->kind].name, text);
	if (before < MOST_RINGS)
		print_ring(w->track);
}

uint64_t ops_done(void)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < MAX_WORKERS; i++)
		n += shared->track[i].stats.ops;
	return n;
}

void log_progress(void)
{
	char text[400] = "";
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < options.processes * options.threads; i++) {
		unsigned int id = i * PER_THREAD;

		at += snprintf(text + at, sizeof(text) - at, " %u:%llu", id,
			       (unsigned long long)shared->track[id].op);
		if (at >= sizeof(text))
			break;
	}
	kernel_log("fuzz: seed %llu round %llu at%s, %llu in all", (unsigned long long)options.seed,
		   (unsigned long long)shared->round, text, (unsigned long long)ops_done());
}

static void print_kind(const struct stats *all, unsigned int k)
{
	uint64_t n = all->ok[k] + all->nothing[k];
	unsigned int e;

	for (e = 0; e < MAX_ERRNO; e++)
		n += all->err[k][e];
	printf("%-12s %9llu  ok=%llu", kinds[k].name, (unsigned long long)n,
	       (unsigned long long)all->ok[k]);
	if (all->nothing[k])
		printf(" nothing=%llu", (unsigned long long)all->nothing[k]);
	for (e = 0; e < MAX_ERRNO; e++)
		if (all->err[k][e])
			printf(" %s=%llu", strerrorname_np(e) ?: "?",
			       (unsigned long long)all->err[k][e]);
	printf("\n");
}

static void add(struct stats *all, const struct stats *one)
{
	unsigned int k, e;

	for (k = 0; k < nkinds; k++) {
		all->ok[k] += one->ok[k];
		all->nothing[k] += one->nothing[k];
		for (e = 0; e < MAX_ERRNO; e++)
			all->err[k][e] += one->err[k][e];
	}
}

void print_stats(void)
{
	static struct stats all;
	unsigned int i, k;

	for (i = 0; i < MAX_WORKERS; i++)
		add(&all, &shared->track[i].stats);
	for (k = 0; k < nkinds; k++)
		print_kind(&all, k);
}
