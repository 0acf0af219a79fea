// SPDX-License-Identifier: GPL-2.0-only
/* The device node: whose it is, who may open it, and who may count through it. */
#include "perfmon_test.h"

#include <linux/capability.h>
#include <sys/sysmacros.h>

static const int open_modes[] = { O_RDONLY, O_WRONLY, O_RDWR, PERFMON_O_CONTROL };

/* What open(2) says, as an exit status. */
static int try_open(void *arg)
{
	int fd = device_open(*(int *)arg);

	return fd < 0 ? -fd : 0;
}

static int udev_change(void)
{
	char *const argv[] = {
		"udevadm", "trigger", "--action=change", "--subsystem-match=misc",
		"--sysname-match=perfmon", "--settle", NULL,
	};

	return run_program(argv);
}

FIXTURE(node) {
	int paranoid;
};

FIXTURE_SETUP(node)
{
	self->paranoid = read_number(PARANOID);
}

FIXTURE_TEARDOWN(node)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", self->paranoid);
	EXPECT_EQ(0, write_text(PARANOID, text));
	EXPECT_EQ(0, chown(DEVICE, 0, 0));
	EXPECT_EQ(0, chmod(DEVICE, 0600));
}

TEST_F(node, is_a_misc_device_of_root)
{
	unsigned int major_nr = 0, minor_nr = 0;
	struct stat st;
	FILE *file;

	ASSERT_EQ(0, stat(DEVICE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_gid);
	EXPECT_EQ(10, major(st.st_rdev));

	file = fopen("/sys/class/misc/perfmon/dev", "re");
	ASSERT_TRUE(!!file);
	EXPECT_EQ(2, fscanf(file, "%u:%u", &major_nr, &minor_nr));
	fclose(file);
	EXPECT_EQ(major_nr, major(st.st_rdev));
	EXPECT_EQ(minor_nr, minor(st.st_rdev));
}

TEST_F(node, is_closed_to_users)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(open_modes); i++) {
		EXPECT_EQ(EACCES, as_nobody(try_open, (void *)&open_modes[i]));
	}
}

TEST_F(node, is_restored_by_udev)
{
	struct stat st;
	unsigned int i;

	ASSERT_EQ(0, chown(DEVICE, 1000, 1000));
	ASSERT_EQ(0, chmod(DEVICE, 0666));
	ASSERT_EQ(0, udev_change());
	ASSERT_EQ(0, stat(DEVICE, &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_gid);
	for (i = 0; i < ARRAY_SIZE(open_modes); i++) {
		EXPECT_EQ(EACCES, as_nobody(try_open, (void *)&open_modes[i]));
	}
}

/* ---- opening is not enough: perf's policy ---- */

static bool names_the_policy(int fd)
{
	return last_error_has(fd, "perf_event_paranoid") || last_error_has(fd, "CAP_PERFMON") ||
	       last_error_says(fd, "whoever opened this file");
}

/* The errno of a request, or 254 when PERFMON_IOC_ERROR does not agree or not explain. */
static int judged(int fd, int err)
{
	if (err && (last_error(fd).err != -err || !names_the_policy(fd)))
		return 254;
	return -err;
}

static int program_on(int fd, __u32 flags)
{
	struct perfmon_event event = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, flags);

	return judged(fd, set_program(fd, 0, &event, 1, 0));
}

/* As exit statuses. */
static int try_program(void *arg)
{
	int fd = control_open();

	return fd < 0 ? 253 : program_on(fd, *(__u32 *)arg);
}

static int try_shared_open(void *arg)
{
	int fd = control_open(), err;

	if (fd < 0 || bind_cpu(0))
		return 253;
	err = shared_open(fd);
	return judged(fd, err < 0 ? err : 0);
}

TEST_F(node, open_to_all_is_not_enough)
{
	__u32 user = PERFMON_EVENT_USER, kernel = ANY_MODE;
	unsigned int i;

	NEEDS(self->paranoid >= 1, "perf's policy lets everybody count CPUs");
	ASSERT_EQ(0, chmod(DEVICE, 0666));
	/* Without counters the original's ENXIO comes before everything else. */
	for (i = 0; open_modes[i] != PERFMON_O_CONTROL; i++) {
		EXPECT_EQ(have_hardware() ? EACCES : ENXIO,
			  as_nobody(try_open, (void *)&open_modes[i]));
	}
	EXPECT_EQ(0, as_nobody(try_open, (void *)&open_modes[i]));
	EXPECT_EQ(EACCES, as_nobody(try_program, &user));
	EXPECT_EQ(EACCES, as_nobody(try_program, &kernel));
	EXPECT_EQ(EACCES, as_nobody(try_shared_open, NULL));
}

TEST_F(node, policy_may_allow_users)
{
	__u32 user = PERFMON_EVENT_USER;

	ASSERT_EQ(0, chmod(DEVICE, 0666));
	ASSERT_EQ(0, write_text(PARANOID, "0"));
	EXPECT_EQ(0, as_nobody(try_program, &user));
	ASSERT_EQ(0, write_text(PARANOID, "1"));
	EXPECT_EQ(EACCES, as_nobody(try_program, &user));
}

/* Becomes a user who has this capability and no other. */
static int become_capable(unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	data[cap / 32].effective = 1U << cap % 32;
	data[cap / 32].permitted = 1U << cap % 32;
	return prctl(PR_SET_KEEPCAPS, 1) || become_nobody() ||
	       syscall(SYS_capset, &header, data);
}

static int try_program_capable(void *arg)
{
	return become_capable(CAP_PERFMON) ? 255 : try_program(arg);
}

static int try_pmio_capable(void *arg)
{
	return become_capable(CAP_PERFMON) ? 255 : try_open(arg);
}

TEST_F(node, capability_is_enough_where_the_node_allows)
{
	__u32 kernel = ANY_MODE;
	int mode = O_RDWR;

	EXPECT_EQ(253, in_child(try_program_capable, &kernel));
	ASSERT_EQ(0, chmod(DEVICE, 0666));
	EXPECT_EQ(0, in_child(try_program_capable, &kernel));
	if (have_hardware()) {
		EXPECT_EQ(0, in_child(try_pmio_capable, &mode));
	}
}

/* ---- rights are those of the opener and of the caller ---- */

struct program_request {
	int fd;
	__u32 flags;
};

static int try_program_on(void *arg)
{
	struct program_request *req = arg;

	return program_on(req->fd, req->flags);
}

TEST_F(node, inherited_file_gives_users_no_right)
{
	struct program_request req = { .fd = control_open(), .flags = PERFMON_EVENT_USER };

	NEEDS(self->paranoid >= 1, "perf's policy lets everybody count CPUs");
	ASSERT_LE(0, req.fd);
	EXPECT_EQ(EACCES, as_nobody(try_program_on, &req));
	req.flags = PERFMON_EVENT_KERNEL;
	EXPECT_EQ(EACCES, as_nobody(try_program_on, &req));
	/* The file is as good as before for those who may. */
	EXPECT_EQ(0, program_on(req.fd, ANY_MODE));
	close(req.fd);
}

static int open_and_send(int sock, void *arg)
{
	int fd = become_nobody() ? -1 : control_open();

	return fd < 0 ? 1 : send_fd(sock, fd);
}

TEST_F(node, users_file_is_no_good_to_root)
{
	struct peer peer;
	int fd;

	NEEDS(self->paranoid >= 1, "perf's policy lets everybody count CPUs");
	ASSERT_EQ(0, chmod(DEVICE, 0666));
	ASSERT_EQ(0, peer_start(&peer, open_and_send, NULL));
	fd = receive_fd(peer.sock);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, peer_hear(peer.sock));
	EXPECT_EQ(EACCES, program_on(fd, PERFMON_EVENT_USER));
	EXPECT_EQ(EACCES, program_on(fd, ANY_MODE));
	ASSERT_EQ(0, bind_cpu(0));
	EXPECT_EQ(-EACCES, shared_open(fd));
	EXPECT_TRUE(last_error_says(fd, "whoever opened this file"));
	close(fd);
	peer_kill(&peer);
}

/* ---- what is not a request ---- */

TEST_F(node, control_file_has_no_data)
{
	int fd = control_open();
	char byte = 0;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, &byte, 1));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-1, write(fd, &byte, 1));
	EXPECT_EQ(EBADF, errno);
	EXPECT_TRUE(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	close(fd);
}

TEST_F(node, pmio_file_has_no_data)
{
	char byte = 0;
	int fd;

	NEEDS_HARDWARE();
	fd = device_open(O_RDWR);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-1, pread(fd, &byte, 1, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	close(fd);
}

TEST_HARNESS_MAIN
