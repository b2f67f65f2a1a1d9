#define _GNU_SOURCE
#include "CFaults.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char page[8192] __attribute__((aligned(4096)));

/* Returns one bit per capability in the permitted, effective, inheritable and ambient sets, and one for root in the
 * bounding set. */
static long capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0) return -1;
    uint64_t all = 0;
    for (int half = 0; half < _LINUX_CAPABILITY_U32S_3; half++)
        all |= (uint64_t)(sets[half].permitted | sets[half].effective | sets[half].inheritable) << 32 * half;
    for (unsigned capability = 0; capability < 63; capability++) {
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1) all |= UINT64_C(1) << capability;
        if (geteuid() == 0 && prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) all |= UINT64_C(1) << capability;
    }
    errno = 0;
    return (long)all;
}

/* Returns one bit for each of the first 63 descriptors that is open. */
static long open_descriptors(void) {
    long all = 0;
    for (int descriptor = 0; descriptor < 63; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0) all |= 1L << descriptor;
    errno = 0;
    return all;
}

long cfaults_try(const char *what) {
    const char *arguments[] = {"/bin/true", NULL};
    const uint32_t unasked[] = {3, 7777, 16, 0};
    if (strcmp(what, "openat") == 0) return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
    if (strcmp(what, "socket") == 0) return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
    if (strcmp(what, "socket-datagram") == 0) return syscall(SYS_socket, AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (strcmp(what, "socket-unix") == 0) return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    if (strcmp(what, "socket-netlink") == 0) return syscall(SYS_socket, AF_NETLINK, SOCK_DGRAM, 0);
    if (strcmp(what, "socket-raw") == 0) return syscall(SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP);
    if (strcmp(what, "bind") == 0) {
        const struct sockaddr_in any = {.sin_family = AF_INET};
        long socket = syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
        return socket < 0 ? -2 : syscall(SYS_bind, socket, &any, sizeof any);
    }
    if (strcmp(what, "listen") == 0) return syscall(SYS_listen, 1, 1);
    if (strcmp(what, "accept") == 0) return syscall(SYS_accept, 1, NULL, NULL);
    if (strcmp(what, "openat-write") == 0) return syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY);
    if (strcmp(what, "unlink") == 0) return syscall(SYS_unlinkat, AT_FDCWD, "/nonexistent/file", 0);
    if (strcmp(what, "fcntl-owner") == 0) return syscall(SYS_fcntl, 2, F_SETOWN, 1);
    if (strcmp(what, "fcntl-flags") == 0) return syscall(SYS_fcntl, 2, F_GETFL) < 0 ? -1 : 0;
    if (strcmp(what, "process-vm") == 0) return syscall(SYS_process_vm_readv, getppid(), NULL, 0UL, NULL, 0UL, 0UL);
    if (strcmp(what, "clone") == 0) return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (strcmp(what, "execve") == 0) return syscall(SYS_execve, arguments[0], arguments, arguments + 1);
    if (strcmp(what, "mprotect") == 0)
        return syscall(SYS_mprotect, page, (size_t)4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (strcmp(what, "mmap-exec") == 0)
        return syscall(SYS_mmap, 0, (size_t)4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(what, "mmap-shared") == 0)
        return syscall(SYS_mmap, 0, (size_t)4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (strcmp(what, "write-1") == 0) return syscall(SYS_write, 1, "x", (size_t)1);
    if (strcmp(what, "sendto-1") == 0) return syscall(SYS_sendto, 1, "x", (size_t)1, 0, NULL, 0);
    if (strcmp(what, "kill-parent") == 0) return syscall(SYS_kill, getppid(), SIGKILL);
    if (strcmp(what, "tgkill-other") == 0) return syscall(SYS_tgkill, getppid(), getppid(), SIGABRT);
    if (strcmp(what, "ptrace") == 0) return syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0, 0);
    if (strcmp(what, "io_uring") == 0) return syscall(SYS_io_uring_setup, 1, page);
    if (strcmp(what, "getppid") == 0) return syscall(SYS_getppid);
    if (strcmp(what, "capget") == 0) return capabilities();
    if (strcmp(what, "fcntl") == 0) return open_descriptors();
    if (strcmp(what, "capset") == 0) {
        struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
        const struct __user_cap_data_struct all[_LINUX_CAPABILITY_U32S_3] = {{1, 1, 1}, {0, 0, 0}};
        return syscall(SYS_capset, &header, all);
    }
    if (strcmp(what, "setpriority") == 0) return syscall(SYS_setpriority, PRIO_PROCESS, 0, -20);
    if (strcmp(what, "chown") == 0) return syscall(SYS_fchown, 2, 1, 1);
    if (strcmp(what, "madvise-dontneed") == 0) return syscall(SYS_madvise, page, (size_t)4096, MADV_DONTNEED);
    if (strcmp(what, "madvise-high") == 0)
        return syscall(SYS_madvise, page, (size_t)4096, UINT64_C(1) << 32 | MADV_DONTNEED);
    if (strcmp(what, "madvise-free") == 0) return syscall(SYS_madvise, page, (size_t)4096, MADV_FREE);
    if (strcmp(what, "madvise-normal") == 0) return syscall(SYS_madvise, page, (size_t)4096, MADV_NORMAL);
    if (strcmp(what, "madvise-remove") == 0) return syscall(SYS_madvise, page, (size_t)4096, MADV_REMOVE);
    if (strcmp(what, "madvise-hugepage") == 0) return syscall(SYS_madvise, page, (size_t)4096, MADV_HUGEPAGE);
    if (strcmp(what, "madvise-fork") == 0) return syscall(SYS_madvise, page, (size_t)4096, MADV_DOFORK);
    if (strcmp(what, "segfault") == 0) return *(volatile char *)8;
    if (strcmp(what, "abort") == 0) {
        fputs("the heap is broken\n", stderr);
        abort();
    }
    if (strcmp(what, "exit") == 0) _exit(0);
    if (strcmp(what, "stop") == 0) return syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
    if (strcmp(what, "unasked") == 0) return send(3, unasked, sizeof unasked, 0);
    if (strcmp(what, "shout") == 0) {
        for (int line = 0; line < 10000; line++)
            if (write(2, "line of many\n", 13) < 0) return line;
        return -1;
    }
    if (strcmp(what, "loop") == 0)
        for (volatile int round = 0;; round++) {
        }
    return -1;
}
