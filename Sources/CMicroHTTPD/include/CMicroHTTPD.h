#ifndef DECANT_C_MICRO_HTTPD_H
#define DECANT_C_MICRO_HTTPD_H

/*
 * The wrapper around libmicrohttpd (Debian 12: 0.9.75): plain functions, without types of the library.
 *
 * The library manages sockets, keeps connections alive and sends responses. It never reads the bytes that a client
 * sent: its calls of recv(2) are redirected to `receive` below, which parses the request and passes a short generated
 * head to the library instead. The order of the calls for one connection is
 *
 *   opened -> ( receive* -> respond+ -> completed )* -> closed
 *
 * A daemon has no thread of its own. All functions and callbacks are called on one thread, which calls `cmhd_run`
 * repeatedly.
 */

#include <stddef.h>
#include <stdint.h>

/* The connections of one thread. */
typedef struct cmhd_daemon cmhd_daemon;

/* A connection of the library, from its first `respond` to `closed`. */
typedef struct cmhd_connection cmhd_connection;

/* A response that is being assembled. */
typedef struct cmhd_response cmhd_response;

typedef enum { CMHD_CLOSE = 0, CMHD_CONTINUE = 1 } cmhd_verdict;

typedef struct {
    /* The first argument of `opened`. */
    void *_Nullable context;

    /* Called by `cmhd_add` or `cmhd_run` when a connection begins. Returns the argument `connection` of the other
     * callbacks. */
    void *_Nonnull (*_Nonnull opened)(void *_Nullable context, int32_t descriptor);

    /* Implements recv(2) for the library, which reads at most `capacity` bytes. Returns the number of bytes that were
     * written to `buffer`, 0 at the end of the stream, or the negated value of errno. */
    ptrdiff_t (*_Nonnull receive)(void *_Nonnull connection, uint8_t *_Nonnull buffer, size_t capacity);

    /* Called for a request that `receive` has passed on. Must queue a response, suspend the connection, or close it. It
     * is called again after the connection was resumed. */
    cmhd_verdict (*_Nonnull respond)(void *_Nonnull connection, cmhd_connection *_Nonnull handle);

    /* Called when the response was sent (`is_sent` is 1) or the connection was lost (0), once for each request for
     * which `respond` was called. */
    void (*_Nonnull completed)(void *_Nonnull connection, int32_t is_sent);

    /* Called when the connection ends. Its descriptor is closed after this function returns. */
    void (*_Nonnull closed)(void *_Nonnull connection);
} cmhd_callbacks;

typedef struct {
    uint32_t max_connections;
    /* The memory per connection for the head that `receive` writes and for the head of the response, in bytes. */
    size_t connection_bytes;
} cmhd_options;

/* Returns a daemon without connections for the calling thread; NULL with errno set if the library fails. */
cmhd_daemon *_Nullable cmhd_start(const cmhd_options *_Nonnull options, const cmhd_callbacks *_Nonnull callbacks);

/* Returns the descriptor that is readable (epoll(7)) when `cmhd_run` has work to do. */
int32_t cmhd_descriptor(cmhd_daemon *_Nonnull daemon);

/* Takes ownership of a connected non-blocking socket, and closes it on failure. `address` is a sockaddr. Returns 0 or
 * an errno value. */
int32_t cmhd_add(cmhd_daemon *_Nonnull daemon, int32_t descriptor, const void *_Nonnull address,
                 uint32_t address_bytes);

/* Does all work that is possible without waiting. */
void cmhd_run(cmhd_daemon *_Nonnull daemon);

/* Returns whether `cmhd_run` must be called again without waiting for the descriptor. Ignores resumed connections. */
int32_t cmhd_has_work(cmhd_daemon *_Nonnull daemon);

/* Closes all connections and releases the daemon. No connection may be suspended, because the library would abort. */
void cmhd_stop(cmhd_daemon *_Nonnull daemon);

/* Suspends a connection: no callback is called for it until it is resumed. Only from `respond`. */
void cmhd_suspend(cmhd_connection *_Nonnull handle);

/* Resumes a suspended connection at the next `cmhd_run`. */
void cmhd_resume(cmhd_connection *_Nonnull handle);

/* Creates a response. Takes ownership of `bytes`, which are released with `free`. Returns NULL if out of memory. */
cmhd_response *_Nullable cmhd_response_create(void *_Nullable bytes, size_t count);

/* Bytes that the library borrows. */
typedef struct {
    const void *_Nullable bytes;
    size_t count;
} cmhd_slice;

/* The maximum number of slices of a response. */
enum { CMHD_MAX_SLICES = 16 };

/* Creates a response from at most `CMHD_MAX_SLICES` slices. Their bytes must be valid until `release` is called with
 * `context`: once, when the response was sent or discarded, or by this function if it fails and returns NULL. */
cmhd_response *_Nullable cmhd_response_create_shared(const cmhd_slice *_Nullable slices, uint32_t count,
                                                     void *_Nonnull context,
                                                     void (*_Nonnull release)(void *_Nullable context));

/* Adds a field. Returns 0 if the library rejects the name or the value. */
int32_t cmhd_response_add(cmhd_response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);

/* Sends the response, and releases it in any case. Only from `respond`. */
cmhd_verdict cmhd_response_queue(cmhd_connection *_Nonnull handle, uint32_t status, cmhd_response *_Nonnull response);

/* Returns the version of the library, for example "0.9.75". The string is static. Callable from any thread. */
const char *_Nonnull cmhd_version(void);

/* Releases a response that is not sent. */
void cmhd_response_discard(cmhd_response *_Nonnull response);

#endif
