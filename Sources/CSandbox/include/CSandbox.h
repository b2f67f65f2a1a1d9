#ifndef DECANT_C_SANDBOX_H
#define DECANT_C_SANDBOX_H

/*
 * The kernel's means against a process that must not be trusted, and what it takes to start such a process: what Swift
 * cannot call, because it is variadic, a macro, or has no wrapper in the C library. Linux on x86-64 and on 64-bit ARM.
 *
 * Functions that return int32_t give 0, or a descriptor, or the negative of an errno value.
 */

#include <stddef.h>
#include <stdint.h>

/* What holds a process back. */
enum {
    /* It ends with the thread that started it. */
    CSANDBOX_PARENT_BOUND = 1,
    /* No program that it might run has more rights than itself. */
    CSANDBOX_NO_NEW_PRIVILEGES = 2,
    /* Nobody of the same user reads its memory, and it leaves no core file. */
    CSANDBOX_NOT_DUMPABLE = 4,
    /* Landlock: no file, and where the kernel knows them no TCP port, no abstract socket and no foreign process. */
    CSANDBOX_LANDLOCK = 8,
    /* Bounds on memory; no more open files, no core file. */
    CSANDBOX_LIMITS = 16,
    /* A filter of system calls that kills. */
    CSANDBOX_SECCOMP = 32,
    /* It has no capability, also as root, and can get none. */
    CSANDBOX_NO_CAPABILITIES = 64,
};

/* Makes the calling process end with the thread that started it; 0 where `parent` is not its parent any more. */
uint32_t csandbox_bind_to_parent(int32_t parent);

/* Gives up, for good, everything but computing in memory, talking on `socket` and writing to descriptor 2. For a
 * process of one thread.
 *
 * `parts` says what is wanted, without CSANDBOX_PARENT_BOUND; returns what is in force. `address_bytes` bounds all that
 * is mapped. */
uint32_t csandbox_enter(uint32_t parts, int32_t socket, uint64_t address_bytes);

/* Memory without a name, of exactly `count` bytes for ever: nobody who has it can cut it, or make it longer. Returns
 * its descriptor. */
int32_t csandbox_memory_create(uint64_t count);

/* Gives pages of such memory back to the system. They read as zero from then on. */
int32_t csandbox_memory_discard(int32_t memory, uint64_t offset, uint64_t count);

/* Two connected sockets that keep messages apart. */
int32_t csandbox_socket_pair(int32_t ends[_Nonnull 2]);

/* Starts the program at `path`, and puts its process in `process`. Both lists end with NULL.
 *
 * `descriptors` become its 0, 1, 2 and so on, and no other is open; each must be 16 or more. Signals are as at a
 * program's start, but those that ask a group of processes to end are blocked: its parent decides when it ends. It has
 * a process group of its own. */
int32_t csandbox_spawn(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
                       char *_Nullable const *_Nonnull environment, const int32_t *_Nonnull descriptors, size_t count,
                       int32_t *_Nonnull process);

#endif
