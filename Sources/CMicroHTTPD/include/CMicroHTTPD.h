#ifndef DECANT_C_MICRO_HTTPD_H
#define DECANT_C_MICRO_HTTPD_H

/*
 * The wrapper around libmicrohttpd (Debian 12: 0.9.75): plain functions, and no type of the library.
 *
 * The library manages sockets, keeps connections alive and sends responses. It never reads what a client sent: its
 * calls of recv(2) reach `receive` below, which parses the request and gives the library a short head of its own in its
 * place. For one connection the calls are
 *
 *   opened -> ( receive* -> respond+ -> completed )* -> closed
 *
 * A daemon has no thread. Everything that is declared here is called on one thread, which calls `cmhd_run` again and
 * again, and so are the callbacks.
 */

#include <stddef.h>
#include <stdint.h>

/* The library's connections of one thread. */
typedef struct cmhd_daemon cmhd_daemon;

/* One connection of the library, from its first `respond` to `closed`. */
typedef struct cmhd_connection cmhd_connection;

/* One response that is being assembled. */
typedef struct cmhd_response cmhd_response;

typedef enum { CMHD_CLOSE = 0, CMHD_CONTINUE = 1 } cmhd_verdict;

typedef struct {
    /* Passed as the first argument of `opened`. */
    void *_Nullable context;

    /* A connection begins, inside `cmhd_add` or `cmhd_run`. Returns what the other callbacks receive as `connection`.
     */
    void *_Nonnull (*_Nonnull opened)(void *_Nullable context, int32_t descriptor);

    /* The library wants to read at most `capacity` bytes: recv(2). Returns how many bytes were written to `buffer`, 0
     * for the end of the stream, or the negative of an errno value. */
    ptrdiff_t (*_Nonnull receive)(void *_Nonnull connection, uint8_t *_Nonnull buffer, size_t capacity);

    /* A request that `receive` handed on is to be answered. Must queue a response, suspend the connection, or close it;
     * it is called again after the connection was resumed. */
    cmhd_verdict (*_Nonnull respond)(void *_Nonnull connection, cmhd_connection *_Nonnull handle);

    /* The response was sent, or the connection is lost and `is_sent` is 0. Once for each request for which `respond`
     * was called. */
    void (*_Nonnull completed)(void *_Nonnull connection, int32_t is_sent);

    /* The connection ends. Its descriptor is closed after this returns, and not before. */
    void (*_Nonnull closed)(void *_Nonnull connection);
} cmhd_callbacks;

typedef struct {
    uint32_t max_connections;
    /* The memory for the head that `receive` writes and for that of the response, per connection. */
    size_t connection_bytes;
} cmhd_options;

/* Returns a daemon without connections, for the calling thread; NULL with errno set if the library fails. */
cmhd_daemon *_Nullable cmhd_start(const cmhd_options *_Nonnull options, const cmhd_callbacks *_Nonnull callbacks);

/* Returns the descriptor that is readable (epoll(7)) when `cmhd_run` has something to do. */
int32_t cmhd_descriptor(cmhd_daemon *_Nonnull daemon);

/* Takes over a connected socket that does not block; it is closed if this fails. `address` is a sockaddr. Returns 0 or
 * an errno value. */
int32_t cmhd_add(cmhd_daemon *_Nonnull daemon, int32_t descriptor, const void *_Nonnull address,
                 uint32_t address_bytes);

/* Does what can be done without waiting. */
void cmhd_run(cmhd_daemon *_Nonnull daemon);

/* Whether `cmhd_run` is to be called again without waiting for the descriptor. Does not report resumed connections. */
int32_t cmhd_has_work(cmhd_daemon *_Nonnull daemon);

/* Closes every connection and releases the daemon. There must be no suspended connection: the library would abort. */
void cmhd_stop(cmhd_daemon *_Nonnull daemon);

/* From `respond` and from the `read` of a stream only: nothing is called for this connection until it is resumed. */
void cmhd_suspend(cmhd_connection *_Nonnull handle);

/* Lets a suspended connection go on at the next `cmhd_run`. */
void cmhd_resume(cmhd_connection *_Nonnull handle);

/* Takes over `bytes`, which `free` releases once they are sent; NULL when out of memory, and then they are released. */
cmhd_response *_Nullable cmhd_response_create(void *_Nullable bytes, size_t count);

/* Bytes that the library borrows. */
typedef struct {
    const void *_Nullable bytes;
    size_t count;
} cmhd_slice;

/* The content is `count` slices, whose bytes are valid until `release` is called with `context`: once, when the
 * response was sent or is discarded, or here if this fails and NULL is returned. */
cmhd_response *_Nullable cmhd_response_create_shared(const cmhd_slice *_Nullable slices, uint32_t count,
                                                     void *_Nonnull context,
                                                     void (*_Nonnull release)(void *_Nullable context));

/* What `read` of a stream returns besides a number of bytes. */
enum {
    /* The content is complete. */
    CMHD_STREAM_END = -1,
    /* The content cannot be completed: the connection is closed. */
    CMHD_STREAM_FAILED = -2,
};

/* The content is what `read` returns: it writes at most `capacity` bytes to `buffer`, and returns their number or one
 * of the numbers above. It must not return 0 without suspending the connection. `release` is called as above.
 *
 * `is_head` says that the request is HEAD: then the connection must be closed after the response, because the library
 * (0.9.75) would send the last chunk although there is no content. */
cmhd_response *_Nullable cmhd_response_create_stream(void *_Nonnull context, int32_t is_head,
                                                     ptrdiff_t (*_Nonnull read)(void *_Nonnull context,
                                                                                uint8_t *_Nonnull buffer,
                                                                                size_t capacity),
                                                     void (*_Nonnull release)(void *_Nullable context));

/* Adds a field; 0 if the library rejects the name or the value. */
int32_t cmhd_response_add(cmhd_response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);

/* From `respond` only. Sends the response, and releases it in any case. */
cmhd_verdict cmhd_response_queue(cmhd_connection *_Nonnull handle, uint32_t status, cmhd_response *_Nonnull response);

/* Returns the version of the library, which lives as long as the program: "0.9.75". Callable from any thread. */
const char *_Nonnull cmhd_version(void);

/* Releases a response that is not sent. */
void cmhd_response_discard(cmhd_response *_Nonnull response);

#endif
