#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

static int enter_landlock(void) {
#ifndef SYS_landlock_create_ruleset
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
        /* Binding and connecting TCP sockets. */
        rules.network = 3;
        bytes += sizeof rules.network;
    }
    if (version >= 6) {
        /* Abstract sockets and signals outside of this process. */
        rules.scoped = 3;
        bytes += sizeof rules.scoped;
    }
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, bytes, 0U);
    if (set < 0) return -1;
    int result = (int)syscall(SYS_landlock_restrict_self, set, 0U);
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

uint32_t csandbox_enter(uint32_t parts, int32_t socket, uint64_t address_bytes) {
    uint32_t done = 0;
    if ((parts & CSANDBOX_NO_CAPABILITIES) && drop_capabilities() == 0) done |= CSANDBOX_NO_CAPABILITIES;
    if ((parts & CSANDBOX_NO_NEW_PRIVILEGES) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        done |= CSANDBOX_NO_NEW_PRIVILEGES;
    if ((parts & CSANDBOX_NOT_DUMPABLE) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) done |= CSANDBOX_NOT_DUMPABLE;
    if ((parts & CSANDBOX_LANDLOCK) && enter_landlock() == 0) done |= CSANDBOX_LANDLOCK;
    if ((parts & CSANDBOX_LIMITS) && limit(RLIMIT_NOFILE, 0) == 0 && limit(RLIMIT_CORE, 0) == 0 &&
        limit(RLIMIT_AS, address_bytes) == 0)
        done |= CSANDBOX_LIMITS;
    if ((parts & CSANDBOX_SECCOMP) && enter_seccomp((uint32_t)socket) == 0) done |= CSANDBOX_SECCOMP;
    return done;
}
