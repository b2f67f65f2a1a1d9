#ifndef DECANT_C_SANDBOX_H
#define DECANT_C_SANDBOX_H

/*
 * The kernel's interfaces for sandboxing a process, and for starting such a process. Swift cannot call them directly,
 * because they are variadic, macros, or without a wrapper in the C library. Linux on x86-64 and 64-bit ARM.
 *
 * Functions that return int32_t return 0 or a descriptor on success, and the negated value of errno on failure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of the sandbox. */
enum {
    /* The process ends with the thread that started it. */
    CSANDBOX_PARENT_BOUND = 1,
    /* Programs that the process executes do not gain privileges. */
    CSANDBOX_NO_NEW_PRIVILEGES = 2,
    /* Other processes of the same user cannot read its memory, and it does not dump core. */
    CSANDBOX_NOT_DUMPABLE = 4,
    /* Landlock: no access to files, and, if the kernel supports it, to TCP ports, abstract sockets and other processes,
     * except for what the process needs. */
    CSANDBOX_LANDLOCK = 8,
    /* Limits on memory and open files; no core file. */
    CSANDBOX_LIMITS = 16,
    /* A filter of system calls. */
    CSANDBOX_SECCOMP = 32,
    /* The process has no capabilities, even as root, and cannot gain any. */
    CSANDBOX_NO_CAPABILITIES = 64,
};

/* Makes the calling process end with the thread that started it. Returns 0 if `parent` is no longer its parent. */
uint32_t csandbox_bind_to_parent(int32_t parent);

/* Permanently gives up everything except computing in memory, communicating over `socket` and writing to descriptor 2.
 * The process must have a single thread.
 *
 * `parts` specifies the requested parts, without CSANDBOX_PARENT_BOUND. `address_bytes` is the maximum size of the
 * address space. Returns the parts that are in effect. */
uint32_t csandbox_enter(uint32_t parts, int32_t socket, uint64_t address_bytes);

/* Permanently gives up everything except computing, using the open descriptors, opening IP sockets and connecting them,
 * and reading the files at `paths` or below them. Other system calls fail, and those that start, observe or accept
 * something kill the process. The process must have a single thread.
 *
 * `parts` is as above. `files` is the maximum number of open descriptors. Returns the parts that are in effect. */
uint32_t csandbox_enter_network(uint32_t parts, const char *_Nonnull const *_Nonnull paths, size_t count,
                                uint64_t address_bytes, uint64_t files);

/* Creates anonymous memory of exactly `count` bytes, whose size is sealed: nobody can shrink or grow it. Returns its
 * descriptor. */
int32_t csandbox_memory_create(uint64_t count);

/* Returns pages of such memory to the system. They read as zero from then on. */
int32_t csandbox_memory_discard(int32_t memory, uint64_t offset, uint64_t count);

/* Creates two connected sockets: a stream, or sockets that preserve message boundaries. */
int32_t csandbox_socket_pair(int32_t ends[_Nonnull 2], bool is_stream);

/* Starts the program at `path`, and stores its process ID in `process`. Both lists are terminated by NULL.
 *
 * `descriptors` become the descriptors 0, 1, 2 and so on of the process, and no others are open; each must be 16 or
 * more. Signals have their defaults, but those that ask a process group to terminate are blocked: the parent decides
 * when the process ends. It has its own process group. */
int32_t csandbox_spawn(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
                       char *_Nullable const *_Nonnull environment, const int32_t *_Nonnull descriptors, size_t count,
                       int32_t *_Nonnull process);

#endif
