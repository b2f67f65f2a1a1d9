#define _GNU_SOURCE
#include "CFaults.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char page[8192] __attribute__((aligned(4096)));

long cfaults_try(const char *what) {
    const char *arguments[] = {"/bin/true", NULL};
    const uint32_t unasked[] = {3, 7777, 16, 0};
    if (strcmp(what, "openat") == 0) return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
    if (strcmp(what, "socket") == 0) return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
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
