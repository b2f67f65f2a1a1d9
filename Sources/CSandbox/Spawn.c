#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Moves a descriptor above all numbers that a started process receives, so that assigning one never overwrites another.
 */
static int move_up(int descriptor) {
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
    int reason = errno;
    close(descriptor);
    return moved >= 0 ? moved : -reason;
}

int32_t csandbox_memory_create(uint64_t count) {
    int memory = memfd_create("decant-process", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) return -errno;
    if (ftruncate(memory, (off_t)count) != 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int reason = errno;
        close(memory);
        return -reason;
    }
    return move_up(memory);
}

int32_t csandbox_memory_discard(int32_t memory, uint64_t offset, uint64_t count) {
    return fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count) == 0 ? 0 : -errno;
}

int32_t csandbox_socket_pair(int32_t ends[2], bool is_stream) {
    int sockets[2];
    if (socketpair(AF_UNIX, (is_stream ? SOCK_STREAM : SOCK_SEQPACKET) | SOCK_CLOEXEC, 0, sockets) != 0) return -errno;
    ends[0] = move_up(sockets[0]);
    ends[1] = move_up(sockets[1]);
    if (ends[0] >= 0 && ends[1] >= 0) return 0;
    int32_t reason = ends[0] < 0 ? ends[0] : ends[1];
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    return reason;
}

static int set_actions(posix_spawn_file_actions_t *actions, const int32_t *descriptors, size_t count) {
    int failed = 0;
    for (size_t index = 0; failed == 0 && index < count; index++)
        failed = posix_spawn_file_actions_adddup2(actions, descriptors[index], (int)index);
    return failed == 0 ? posix_spawn_file_actions_addclosefrom_np(actions, (int)count) : failed;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t blocked, all;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigfillset(&all);
    int failed =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if (failed == 0) failed = posix_spawnattr_setsigmask(attributes, &blocked);
    if (failed == 0) failed = posix_spawnattr_setsigdefault(attributes, &all);
    return failed == 0 ? posix_spawnattr_setpgroup(attributes, 0) : failed;
}

int32_t csandbox_spawn(const char *path, char *const *arguments, char *const *environment, const int32_t *descriptors,
                       size_t count, int32_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) return -failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        pid_t child = 0;
        failed = set_actions(&actions, descriptors, count);
        if (failed == 0) failed = set_attributes(&attributes);
        if (failed == 0) failed = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
        if (failed == 0) *process = child;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -failed;
}
