// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz: requests at random to /dev/perfmon, from processes and threads that share descriptors,
 * while CPUs come and go and processes die. It stops at no errno; what it looks for are reports of
 * the kernel, which its caller sees, and what must not be, which it says itself.
 *
 * Exit status: 0 all was well, 1 something must not be, 2 it could not be done.
 */
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "request.h"

#define STUCK		(120 * NSEC_PER_SEC)
#define LOOK_MS		100
#define TELL_MS		500

struct options options = {
	.processes = 2,
	.threads = 3,
	.only = -1,
	.hotplug_ms = 500,
	.slow_rcu = 8,
};

/* ---- options ---- */

static const char usage[] =
"usage: fuzz [option]...\n"
"  --seed S         what the operations are; the time of day by default\n"
"  --ops N          so many operations, in all (default 100000, or until --seconds)\n"
"  --seconds T      so long\n"
"  --dump           print the operations (--ops of each worker) and do none\n"
"  --replay         write each operation to the kernel's log before it is done\n"
"  --round R        begin with that round (default 0)\n"
"  --mix M          how often each kind of operation is done in a round, as the log says it\n"
"  --worker W       only that one works (default: all)\n"
"  --per-round N    operations of a thread before everybody starts anew (default 20000,\n"
"                   or 300 where the kernel tells what it ran)\n"
"  --processes N    (default 2)\n"
"  --threads N      of each (default 3)\n"
"  --hotplug-ms N   a CPU comes or goes no more often than that (default 500; 0: never)\n"
"  --slow-rcu N     every so manieth round waits for RCU as usual (default 8; 0: none)\n"
"  --weight KIND=N  how often, relative to the others; --kinds lists them\n"
"  --keep-module    do not remove and load the module at the end\n";

enum {
	SEED = 1, OPS, SECONDS, REPLAY, ROUND, WORKER, PER_ROUND, PROCESSES, THREADS, HOTPLUG,
	WEIGHT, KINDS, KEEP, DUMP, SLOW_RCU, MIX, HELP,
};

static const struct option long_options[] = {
	{ "seed", required_argument, NULL, SEED },
	{ "ops", required_argument, NULL, OPS },
	{ "seconds", required_argument, NULL, SECONDS },
	{ "replay", no_argument, NULL, REPLAY },
	{ "round", required_argument, NULL, ROUND },
	{ "mix", required_argument, NULL, MIX },
	{ "worker", required_argument, NULL, WORKER },
	{ "per-round", required_argument, NULL, PER_ROUND },
	{ "processes", required_argument, NULL, PROCESSES },
	{ "threads", required_argument, NULL, THREADS },
	{ "hotplug-ms", required_argument, NULL, HOTPLUG },
	{ "weight", required_argument, NULL, WEIGHT },
	{ "kinds", no_argument, NULL, KINDS },
	{ "dump", no_argument, NULL, DUMP },
	{ "slow-rcu", required_argument, NULL, SLOW_RCU },
	{ "keep-module", no_argument, NULL, KEEP },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

static uint64_t number(const char *text, uint64_t max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || end == text || n > max) {
		fprintf(stderr, "fuzz: \"%s\" is no number up to %llu\n", text,
			(unsigned long long)max);
		exit(2);
	}
	return n;
}

static void set_weight(char *text)
{
	char *equals = strchr(text, '=');
	unsigned int k;

	if (!equals)
		bad_usage();
	*equals = '\0';
	for (k = 0; k < nkinds; k++) {
		if (!strcmp(kinds[k].name, text)) {
			kinds[k].weight = number(equals + 1, 1000000);
			return;
		}
	}
	fprintf(stderr, "fuzz: there is no operation \"%s\"\n", text);
	exit(2);
}

static void list_kinds(void)
{
	unsigned int k;

	for (k = 0; k < nkinds; k++)
		printf("%s=%u\n", kinds[k].name, kinds[k].weight);
	exit(0);
}

static void set_option(int c)
{
	switch (c) {
	case SEED:
		options.seed = number(optarg, UINT64_MAX);
		break;
	case OPS:
		options.ops = number(optarg, UINT64_MAX);
		break;
	case SECONDS:
		options.seconds = number(optarg, UINT32_MAX);
		break;
	case REPLAY:
		options.replay = true;
		break;
	case ROUND:
		options.round = number(optarg, UINT32_MAX);
		break;
	case MIX:
		if (!mix_parse(optarg)) {
			fprintf(stderr, "fuzz: a mix has a digit for each of %u kinds, 0 to 4\n",
				nkinds);
			exit(2);
		}
		break;
	case WORKER:
		options.only = number(optarg, MAX_WORKERS - 1);
		break;
	case PER_ROUND:
		options.per_round = number(optarg, UINT32_MAX);
		break;
	case PROCESSES:
		options.processes = number(optarg, MAX_PROCESSES);
		break;
	case THREADS:
		options.threads = number(optarg, MAX_THREADS);
		break;
	case HOTPLUG:
		options.hotplug_ms = number(optarg, 1000000);
		break;
	case WEIGHT:
		set_weight(optarg);
		break;
	case KINDS:
		list_kinds();
		break;
	case KEEP:
		options.keep_module = true;
		break;
	case DUMP:
		options.dump = true;
		break;
	case SLOW_RCU:
		options.slow_rcu = number(optarg, UINT32_MAX);
		break;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		bad_usage();
	}
}

static void parse_options(int argc, char *argv[])
{
	int c;

	options.seed = time(NULL);
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		set_option(c);
	if (optind < argc || !options.processes || !options.threads)
		bad_usage();
	/* Guidance comes between rounds. */
	if (!options.per_round)
		options.per_round = kcov_is_there() ? 300 : 20000;
	if (!options.ops && !options.seconds)
		options.ops = 100000;
}

/* ---- a process of a round ---- */

struct job {
	unsigned int id;
	unsigned int thread;
	uint64_t ops;
};

static void *work(void *arg)
{
	const struct job *job = arg;
	uint64_t round = mix2(options.seed, shared->round);
	struct worker w;

	crew.tid[job->thread] = syscall(SYS_gettid);
	if (worker_start(&w, job->id, mix2(round, job->id), false)) {
		fprintf(stderr, "fuzz: no memory for a worker\n");
		return NULL;
	}
	worker_run(&w, job->ops);
	worker_end(&w);
	return NULL;
}

/* With no --worker, all; else that one alone, but under the same number. */
static uint64_t ops_of(unsigned int id, uint64_t ops)
{
	return options.only < 0 || options.only == (int)id ? ops : 0;
}

/* Says what a worker would do. */
static void dump_worker(unsigned int process, unsigned int thread)
{
	unsigned int id = (process * options.threads + thread) * PER_THREAD;
	struct job job = { .id = id, .thread = thread, .ops = ops_of(id, options.ops) };

	crew.process = process;
	if (job.ops)
		work(&job);
}

static int dump(void)
{
	unsigned int process, thread;

	shared->round = options.round;
	mix_begin(options.round);
	for (process = 0; process < options.processes; process++)
		for (thread = 0; thread < options.threads; thread++)
			dump_worker(process, thread);
	return 0;
}

static void nothing(int sig)
{
	(void)sig;
}

static int crew_init(void)
{
	struct sigaction action = { .sa_handler = nothing };
	unsigned int i;

	open_slots();
	for (i = 0; i < PERF_SLOTS; i++)
		crew.perf[i] = -1;
	if (sigaction(SIGUSR1, &action, NULL))
		return -errno;
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, crew.sock) ? -errno : 0;
}

static int crew_run(unsigned int process, uint64_t ops)
{
	pthread_t threads[MAX_THREADS];
	struct job jobs[MAX_THREADS];
	unsigned int i, n;

	crew.process = process;
	if (crew_init())
		return 2;
	for (n = 0; n < options.threads; n++) {
		unsigned int id = (process * options.threads + n) * PER_THREAD;

		jobs[n] = (struct job){ .id = id, .thread = n, .ops = ops_of(id, ops) };
		if (pthread_create(&threads[n], NULL, work, &jobs[n]))
			break;
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return n < options.threads ? 2 : 0;
}

/* ---- rounds ---- */

static uint64_t end_time;

static pid_t start_process(unsigned int n, uint64_t ops)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	/* What it forks dies with it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (getppid() != parent)
		_exit(2);
	_exit(crew_run(n, ops));
}

/* Is anybody's operation older than it can be? */
static void check_stuck(void)
{
	static uint64_t at[MAX_WORKERS], since[MAX_WORKERS];
	uint64_t now = now_ns();
	unsigned int i;

	for (i = 0; i < options.processes * options.threads * PER_THREAD; i += PER_THREAD) {
		struct track *t = &shared->track[i];

		if (t->op != at[i] || t->ended || !since[i]) {
			at[i] = t->op;
			since[i] = now;
		} else if (now - since[i] > STUCK) {
			struct worker w = { .id = i, .op = t->op, .track = t };

			w.kind = t->ring[t->op % RING].kind;
			broken(&w, "does not end");
			since[i] = now;
			shared->stop = true;
		}
	}
}

static int wait_processes(pid_t *pids)
{
	unsigned int left = options.processes, ms = 0;
	int status, worst = 0;
	pid_t pid;

	while (left) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid > 0) {
			left--;
			kill(-pid, SIGKILL);
			if (!WIFEXITED(status) || WEXITSTATUS(status)) {
				fprintf(stderr, "fuzz: a process ended with %#x\n", status);
				worst = 2;
			}
			continue;
		}
		usleep(LOOK_MS * 1000);
		ms += LOOK_MS;
		if (ms % TELL_MS == 0)
			log_progress();
		check_stuck();
		if (end_time && now_ns() > end_time)
			shared->stop = true;
		/* Those that do not end by themselves. */
		if (end_time && now_ns() > end_time + STUCK)
			for (pid = 0; pid < (int)options.processes; pid++)
				kill(pids[pid], SIGKILL);
	}
	return worst;
}

static int run_round(uint64_t ops)
{
	pid_t pids[MAX_PROCESSES];
	unsigned int i;
	int err;

	for (i = 0; i < MAX_WORKERS; i++)
		shared->track[i].op = 0;
	machine_slow_rcu(options.slow_rcu && shared->round % options.slow_rcu == 0);
	mix_begin(shared->round);
	kernel_log("fuzz: seed %llu round %llu mix %s", (unsigned long long)options.seed,
		   (unsigned long long)shared->round, round_mix.level);
	for (i = 0; i < options.processes; i++) {
		pids[i] = start_process(i, ops);
		if (pids[i] < 0)
			return 2;
	}
	err = wait_processes(pids);
	mix_end();
	after_round();
	return err;
}

/* Operations of a thread in the next round. */
static uint64_t next_ops(void)
{
	uint64_t workers = options.processes * options.threads, left;

	if (!options.ops)
		return options.per_round;
	left = (options.ops - ops_done() + workers - 1) / workers;
	return left < options.per_round ? left : options.per_round;
}

static bool enough(void)
{
	return shared->stop || (options.ops && ops_done() >= options.ops);
}

static void report(uint64_t begin)
{
	printf("seed %llu rounds %llu to %llu: %llu operations in %llu ms, %u found\n",
	       (unsigned long long)options.seed, (unsigned long long)options.round,
	       (unsigned long long)shared->round - 1, (unsigned long long)ops_done(),
	       (unsigned long long)((now_ns() - begin) / NSEC_PER_MSEC), shared->broken);
	if (kcov_edges())
		printf("the driver ran %llu pairs of places\n", (unsigned long long)kcov_edges());
}

/* So that the same operations have the same addresses in every run. */
static void fix_addresses(char *argv[])
{
	int now = personality(0xffffffff);

	if (now < 0 || (now & ADDR_NO_RANDOMIZE) || personality(now | ADDR_NO_RANDOMIZE) < 0)
		return;
	execv("/proc/self/exe", argv);
}

int main(int argc, char *argv[])
{
	uint64_t begin = now_ns();
	int err = 0;

	fix_addresses(argv);
	parse_options(argc, argv);
	prctl(PR_SET_NAME, "fuzz");
	machine_init();
	log_init();
	memory_init();
	if (options.dump)
		return dump();
	after_init();
	if (access(DEVICE, F_OK)) {
		perror("fuzz: " DEVICE);
		return 2;
	}
	fprintf(stderr, "fuzz: seed %llu\n", (unsigned long long)options.seed);
	end_time = options.seconds ? begin + options.seconds * NSEC_PER_SEC : 0;
	shared->round = options.round;
	do {
		err = run_round(next_ops());
		shared->round++;
	} while (!err && !enough());
	machine_slow_rcu(true);
	after_all();
	print_stats();
	report(begin);
	if (err)
		return err;
	return shared->broken ? 1 : 0;
}
