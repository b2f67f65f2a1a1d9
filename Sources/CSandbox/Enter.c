#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t csandbox_bind_to_parent(int32_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return 0;
    /* If the parent ended before the call above, its end is not reported. */
    return getppid() == parent ? CSANDBOX_PARENT_BOUND : 0;
}

/* Clears the five sets of capabilities(7). A process without CAP_SETPCAP cannot reduce its bounding set, but that set
 * only limits the capabilities of programs that are executed. */
static int drop_capabilities(void) {
    for (unsigned capability = 0; capability < 64; capability++) {
        /* EINVAL: the kernel does not support this capability or any higher one. */
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
        if (errno == EINVAL) break;
        if (errno != EPERM) return -1;
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    return (int)syscall(SYS_capset, &header, none);
}

/* struct landlock_ruleset_attr of linux/landlock.h, because the installed headers may be older than the kernel. A
 * kernel also accepts a shorter structure. */
struct landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};

/* struct landlock_path_beneath_attr, which is packed. */
struct landlock_path {
    uint64_t access;
    int32_t parent;
} __attribute__((packed));

enum { landlock_rule_path = 1 };
#define LANDLOCK_READ_FILE (UINT64_C(1) << 2)
#define LANDLOCK_BIND_TCP UINT64_C(1)
#define LANDLOCK_CONNECT_TCP UINT64_C(2)

#ifdef SYS_landlock_create_ruleset
/* Permits reading the file at `path`, or all files below it. A path that does not exist needs no rule. */
static int permit_reading(int set, const char *path) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    const struct landlock_path rule = {.access = LANDLOCK_READ_FILE, .parent = file};
    int result = (int)syscall(SYS_landlock_add_rule, set, landlock_rule_path, &rule, 0U);
    close(file);
    return result;
}
#endif

/* Gives up access to files except reading those at `paths`, and to TCP ports except, if `connects`, connecting. */
static int enter_landlock(const char *const *paths, size_t count, bool connects) {
#ifndef SYS_landlock_create_ruleset
    (void)paths, (void)count, (void)connects;
    return -1;
#else
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1U);
    if (version < 1) return -1;
    /* File access rights: 13 in version 1. Version 2 added linking between directories, 3 truncating, 5 device ioctls.
     */
    unsigned files = 13;
    if (version >= 2) files = 14;
    if (version >= 3) files = 15;
    if (version >= 5) files = 16;
    struct landlock_rules rules = {.files = (UINT64_C(1) << files) - 1};
    size_t bytes = sizeof rules.files;
    if (version >= 4) {
        rules.network = connects ? LANDLOCK_BIND_TCP : LANDLOCK_BIND_TCP | LANDLOCK_CONNECT_TCP;
        bytes += sizeof rules.network;
    }
    if (version >= 6) {
        /* Abstract sockets and signals outside of this process. */
        rules.scoped = 3;
        bytes += sizeof rules.scoped;
    }
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, bytes, 0U);
    if (set < 0) return -1;
    int result = 0;
    for (size_t index = 0; result == 0 && index < count; index++)
        result = permit_reading(set, paths[index]);
    if (result == 0) result = (int)syscall(SYS_landlock_restrict_self, set, 0U);
    close(set);
    return result;
#endif
}

static int limit(int resource, rlim_t value) {
    const struct rlimit both = {value, value};
    return setrlimit(resource, &both);
}

/* The bits of the mapping type: MAP_SHARED, MAP_PRIVATE and MAP_SHARED_VALIDATE. */
#define MAPPING_KIND 0x0f

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter supports only x86-64 and 64-bit ARM"
#endif

#define LOW(index) ((uint32_t)offsetof(struct seccomp_data, args[index]))
#define HIGH(index) (LOW(index) + 4)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
/* Continues if the number is `call`, and otherwise skips the next `count` statements. */
#define UNLESS(call, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, (count))
#define ALLOW_CALL(call) UNLESS((call), 1), ALLOW
/* Kill the process unless the loaded word is `value`, or if it contains any of `bits`. */
#define KILL_UNLESS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), KILL
#define KILL_IF(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), KILL
/* Allows the call if its first argument, a descriptor, is `value`. The kernel uses only the low half. */
#define ALLOW_ON(call, value) UNLESS((call), 4), LOAD(LOW(0)), KILL_UNLESS(value), ALLOW

/* Kills the process on every call that is not listed. Both machines are little-endian. */
static int enter_seccomp(uint32_t socket) {
    const uint32_t self = (uint32_t)getpid();
    const struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        KILL_UNLESS(OWN_ARCHITECTURE),
        /* The numbers of x32 have bit 30 set, and differ from all numbers below. */
        LOAD(offsetof(struct seccomp_data, nr)),
        ALLOW_ON(__NR_recvfrom, socket),
        ALLOW_ON(__NR_sendto, socket),
        ALLOW_CALL(__NR_futex),
        ALLOW_CALL(__NR_munmap),
        ALLOW_CALL(__NR_mremap),
        /* The advice is argument 2, of which the kernel uses only the low half. malloc uses MADV_DONTNEED to return
           free pages; the image libraries and Swift do not call madvise. */
        UNLESS(__NR_madvise, 4),
        LOAD(LOW(2)),
        KILL_UNLESS(MADV_DONTNEED),
        ALLOW,
        ALLOW_CALL(__NR_brk),
        ALLOW_CALL(__NR_clock_gettime),
        ALLOW_CALL(__NR_getrandom),
        /* Only private, anonymous, non-executable mappings. The protection is argument 2, the flags are argument 3. */
        UNLESS(__NR_mmap, 13),
        LOAD(HIGH(2)),
        KILL_UNLESS(0),
        LOAD(LOW(2)),
        KILL_IF(~(uint32_t)(PROT_READ | PROT_WRITE)),
        LOAD(LOW(3)),
        KILL_IF(MAP_HUGETLB),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAPPING_KIND | MAP_ANONYMOUS),
        KILL_UNLESS(MAP_PRIVATE | MAP_ANONYMOUS),
        ALLOW,
        /* The message that a runtime writes before it aborts, and the signal that it sends to itself. This
           distinguishes an abort from a violation. */
        ALLOW_ON(__NR_write, STDERR_FILENO),
        ALLOW_ON(__NR_writev, STDERR_FILENO),
        ALLOW_CALL(__NR_getpid),
        ALLOW_CALL(__NR_gettid),
        ALLOW_CALL(__NR_rt_sigprocmask),
        UNLESS(__NR_tgkill, 7),
        LOAD(LOW(0)),
        KILL_UNLESS(self),
        LOAD(LOW(2)),
        KILL_UNLESS(SIGABRT),
        ALLOW,
        ALLOW_CALL(__NR_exit_group),
        KILL,
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, (struct sock_filter *)filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program);
}

#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define DENY_IF(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), DENY
#define DENY_UNLESS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), DENY
#define DENY_UNLESS_EITHER(one, other)                                                                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (one), 2, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (other), 1, 0), DENY
#define KILL_CALL(call) UNLESS((call), 1), KILL
/* The bits of socket(2)'s type that are not flags. */
#define SOCKET_TYPE 0x0f

/* A call that is not listed fails with EPERM: libraries try calls whose failure they tolerate. Calls that only an
 * attacker makes kill the process. */
static int enter_network_seccomp(void) {
    const uint32_t self = (uint32_t)getpid();
    const struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        KILL_UNLESS(OWN_ARCHITECTURE),
        LOAD(offsetof(struct seccomp_data, nr)),
        /* Descriptors. */
        ALLOW_CALL(__NR_recvfrom),
        ALLOW_CALL(__NR_sendto),
#ifdef __NR_poll
        ALLOW_CALL(__NR_poll),
#endif
        ALLOW_CALL(__NR_ppoll),
        ALLOW_CALL(__NR_read),
        ALLOW_CALL(__NR_write),
        ALLOW_CALL(__NR_readv),
        ALLOW_CALL(__NR_writev),
        ALLOW_CALL(__NR_close),
        ALLOW_CALL(__NR_recvmsg),
        ALLOW_CALL(__NR_sendmsg),
        ALLOW_CALL(__NR_connect),
        ALLOW_CALL(__NR_getsockopt),
        ALLOW_CALL(__NR_setsockopt),
        ALLOW_CALL(__NR_getsockname),
        ALLOW_CALL(__NR_getpeername),
        ALLOW_CALL(__NR_shutdown),
        /* Not F_SETOWN: a signal for data could be sent to the service. The command is argument 1. */
        UNLESS(__NR_fcntl, 5),
        LOAD(LOW(1)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_DUPFD_CLOEXEC, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, F_SETFL, 0, 1),
        DENY,
        ALLOW,
        ALLOW_CALL(__NR_fstat),
        ALLOW_CALL(__NR_lseek),
        ALLOW_CALL(__NR_newfstatat),
#ifdef __NR_stat
        ALLOW_CALL(__NR_stat),
#endif
        /* Streams and datagrams of IP only. */
        UNLESS(__NR_socket, 10),
        LOAD(LOW(0)),
        DENY_UNLESS_EITHER(AF_INET, AF_INET6),
        LOAD(LOW(1)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE),
        DENY_UNLESS_EITHER(SOCK_STREAM, SOCK_DGRAM),
        ALLOW,
        UNLESS(__NR_ioctl, 4),
        LOAD(LOW(1)),
        DENY_UNLESS(FIONBIO),
        ALLOW,
        /* Files are only read. Landlock decides which. */
        UNLESS(__NR_openat, 4),
        LOAD(LOW(2)),
        DENY_IF(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND),
        ALLOW,
        /* Memory, which is never executable. The protection is argument 2. */
        UNLESS(__NR_mmap, 4),
        LOAD(LOW(2)),
        DENY_IF(~(uint32_t)(PROT_READ | PROT_WRITE)),
        ALLOW,
        UNLESS(__NR_mprotect, 4),
        LOAD(LOW(2)),
        DENY_IF(~(uint32_t)(PROT_READ | PROT_WRITE)),
        ALLOW,
        ALLOW_CALL(__NR_munmap),
        ALLOW_CALL(__NR_mremap),
        ALLOW_CALL(__NR_madvise),
        ALLOW_CALL(__NR_brk),
        ALLOW_CALL(__NR_futex),
        ALLOW_CALL(__NR_clock_gettime),
        ALLOW_CALL(__NR_gettimeofday),
#ifdef __NR_time
        ALLOW_CALL(__NR_time),
#endif
        ALLOW_CALL(__NR_getrandom),
        ALLOW_CALL(__NR_getpid),
        ALLOW_CALL(__NR_gettid),
        ALLOW_CALL(__NR_rt_sigprocmask),
        ALLOW_CALL(__NR_rt_sigaction),
        ALLOW_CALL(__NR_exit_group),
        UNLESS(__NR_tgkill, 7),
        LOAD(LOW(0)),
        KILL_UNLESS(self),
        LOAD(LOW(2)),
        KILL_UNLESS(SIGABRT),
        ALLOW,
        /* What no library needs here. */
        KILL_CALL(__NR_execve),
        KILL_CALL(__NR_execveat),
#ifdef __NR_fork
        KILL_CALL(__NR_fork),
        KILL_CALL(__NR_vfork),
#endif
        KILL_CALL(__NR_clone),
        KILL_CALL(__NR_clone3),
        KILL_CALL(__NR_ptrace),
        KILL_CALL(__NR_process_vm_readv),
        KILL_CALL(__NR_process_vm_writev),
        KILL_CALL(__NR_listen),
        KILL_CALL(__NR_accept),
        KILL_CALL(__NR_accept4),
        DENY,
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, (struct sock_filter *)filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program);
}

static uint32_t drop_privileges(uint32_t parts) {
    uint32_t done = 0;
    if ((parts & CSANDBOX_NO_CAPABILITIES) && drop_capabilities() == 0) done |= CSANDBOX_NO_CAPABILITIES;
    if ((parts & CSANDBOX_NO_NEW_PRIVILEGES) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        done |= CSANDBOX_NO_NEW_PRIVILEGES;
    if ((parts & CSANDBOX_NOT_DUMPABLE) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) done |= CSANDBOX_NOT_DUMPABLE;
    return done;
}

static uint32_t enter_limits(uint32_t parts, uint64_t address_bytes, uint64_t files) {
    if ((parts & CSANDBOX_LIMITS) && limit(RLIMIT_NOFILE, files) == 0 && limit(RLIMIT_CORE, 0) == 0 &&
        limit(RLIMIT_AS, address_bytes) == 0)
        return CSANDBOX_LIMITS;
    return 0;
}

uint32_t csandbox_enter(uint32_t parts, int32_t socket, uint64_t address_bytes) {
    uint32_t done = drop_privileges(parts);
    if ((parts & CSANDBOX_LANDLOCK) && enter_landlock(NULL, 0, false) == 0) done |= CSANDBOX_LANDLOCK;
    done |= enter_limits(parts, address_bytes, 0);
    if ((parts & CSANDBOX_SECCOMP) && enter_seccomp((uint32_t)socket) == 0) done |= CSANDBOX_SECCOMP;
    return done;
}

uint32_t csandbox_enter_network(uint32_t parts, const char *const *paths, size_t count, uint64_t address_bytes,
                                uint64_t files) {
    uint32_t done = drop_privileges(parts);
    if ((parts & CSANDBOX_LANDLOCK) && enter_landlock(paths, count, true) == 0) done |= CSANDBOX_LANDLOCK;
    done |= enter_limits(parts, address_bytes, files);
    if ((parts & CSANDBOX_SECCOMP) && enter_network_seccomp() == 0) done |= CSANDBOX_SECCOMP;
    return done;
}
