/* Preloaded into a service that Benchmarks/budget measures. It makes processes that the service starts run under
 * callgrind. The variable BUDGET_FOLDER must be the folder for profiles, which are named after the process ID. Children
 * get no other environment than the service gives them, and deterministic hashing.
 *
 * The start of a program takes seconds under callgrind, so time limits of poll(2) are extended. The heap is not
 * trimmed, because the service trims it at times that depend on the clock, and allocations take other paths afterwards.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_LIST = 64 };

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                           char *const *, char *const *);

/* Appends a list to the list `to`, which has `count` entries. Returns the new number of entries. */
static size_t append(char **to, size_t count, char *const *from) {
    while (*from != NULL) {
        if (count + 1 == LONGEST_LIST) abort();
        to[count++] = *from++;
    }
    to[count] = NULL;
    return count;
}

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
    const char *folder = getenv("BUDGET_FOLDER");
    if (folder == NULL) abort();
    char out[4096], prefix[4096];
    snprintf(out, sizeof out, "--callgrind-out-file=%s/profile.%%p", folder);
    snprintf(prefix, sizeof prefix, "--vgdb-prefix=%s/vgdb", folder);
    char *const own[] = {"valgrind", "--quiet", "--tool=callgrind", out, prefix, (char *)path, NULL};
    char *const variables[] = {"SWIFT_DETERMINISTIC_HASHING=1", NULL};
    char *all[LONGEST_LIST], *both[LONGEST_LIST];
    append(all, append(all, 0, own), arguments + 1);
    append(both, append(both, 0, environment), variables);
    spawn_function *spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    return spawn(process, VALGRIND, actions, attributes, all, both);
}

typedef int poll_function(struct pollfd *, nfds_t, int);

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    poll_function *original = (poll_function *)dlsym(RTLD_NEXT, "poll");
    return original(descriptors, count, milliseconds > 0 && milliseconds < 100000 ? 20 * milliseconds : milliseconds);
}

int malloc_trim(size_t pad) {
    (void)pad;
    return 0;
}
