#ifndef DECANT_C_MICRO_HTTPD_H
#define DECANT_C_MICRO_HTTPD_H

/*
 * A narrow border to libmicrohttpd (Debian 12: 0.9.75): plain functions, and no type of the library.
 *
 * The library calls one function again and again for a request. Here that call is split by what it means:
 *
 *   opened -> ( target -> begin -> receive* -> finish -> completed )* -> closed
 *
 * and `received` comes whenever bytes did, before the library looks at them.
 *
 * All calls for one connection come one after another, on the thread that the connection belongs to.
 * Strings that a callback receives are valid during that callback only, unless it says otherwise.
 */

#include <stddef.h>
#include <stdint.h>

/* One running thread of the library's, and its connections. */
typedef struct cmhd_daemon cmhd_daemon;

/* One connection inside a callback. Never kept beyond the callback that received it, but to resume it. */
typedef struct cmhd_connection cmhd_connection;

/* One answer that is being put together. */
typedef struct cmhd_response cmhd_response;

/* What the library read of a request's head. Not terminated by NUL. */
typedef struct {
    const uint8_t *_Nonnull method;
    size_t method_bytes;
    /* Where the library keeps the target, which is not what was sent any more. Use what `target` got. */
    const uint8_t *_Nonnull target;
    const uint8_t *_Nonnull version;
    size_t version_bytes;
    /* From the method's first byte to the last line feed, as the library counts it; 0 where it does not say. */
    size_t head_bytes;
    /* Right after the head: what has come of the content, and of later requests. How much `received` tells. */
    uint8_t *_Nonnull rest;
} cmhd_head;

typedef enum { CMHD_CLOSE = 0, CMHD_CONTINUE = 1 } cmhd_verdict;

typedef struct {
    /* Passed as the first argument of `opened`. */
    void *_Nullable context;

    /* A connection begins, on the daemon's thread. Returns what the other callbacks get as `connection`. */
    void *_Nonnull (*_Nonnull opened)(void *_Nullable context, int32_t descriptor);

    /* Bytes came, which the library has not seen yet, and which may be changed. Those before them that the library has
     * received and not made out a whole line of stand right before these, as they came, and may be changed, too. */
    void (*_Nonnull received)(void *_Nonnull connection, uint8_t *_Nonnull bytes, size_t count);

    /* A connection ends. Its descriptor is closed after this returns, and not before. */
    void (*_Nonnull closed)(void *_Nonnull connection);

    /* A request line is in: the target as it was sent, before the library decodes it in place. */
    void (*_Nonnull target)(void *_Nonnull connection, const uint8_t *_Nonnull bytes, size_t count);

    /* A head is in. Returns what the other callbacks get as `exchange`; NULL closes the connection.
     * Answering here is final: content that still comes is dropped and the connection is closed. */
    void *_Nullable (*_Nonnull begin)(void *_Nonnull connection, cmhd_connection *_Nonnull handle,
                                      const cmhd_head *_Nonnull head);

    /* Some content came. There can be no answer from here. */
    cmhd_verdict (*_Nonnull receive)(void *_Nonnull exchange, const uint8_t *_Nonnull bytes, size_t count);

    /* All content is in. Must answer, close, or suspend the connection; it is called again once that was resumed. */
    cmhd_verdict (*_Nonnull finish)(void *_Nonnull exchange, cmhd_connection *_Nonnull handle);

    /* The exchange is over, answered or not. Comes once for each that `begin` returned. */
    void (*_Nonnull completed)(void *_Nonnull exchange);
} cmhd_callbacks;

typedef struct {
    uint32_t max_connections;
    /* Seconds without a byte in either direction after which the library closes a connection. */
    uint32_t inactivity_seconds;
    /* Memory for one connection's head and input. Longer heads get 414 or 431 from the library. */
    size_t connection_bytes;
} cmhd_options;

/* Starts a thread without connections; NULL with errno set where the library cannot. */
cmhd_daemon *_Nullable cmhd_start(const cmhd_options *_Nonnull options, const cmhd_callbacks *_Nonnull callbacks);

/* Takes a connection off the queue of a listening socket that does not block, and serves it from now on; callable from
 * any thread. Returns 0, or the value of errno of accept(2). */
int32_t cmhd_accept(cmhd_daemon *_Nonnull daemon, int32_t listener);

/* Closes every connection, ends the thread and releases the daemon. */
void cmhd_stop(cmhd_daemon *_Nonnull daemon);

/* From `finish` only: nothing more is called for this connection until it is resumed. */
void cmhd_suspend(cmhd_connection *_Nonnull handle);

/* Lets a suspended connection go on, from any thread. A daemon must not be stopped while there is a suspended one. */
void cmhd_resume(cmhd_connection *_Nonnull handle);

/* Calls `each` with every header field in the order they came; bytes as the library keeps them, each with its length.
 */
void cmhd_each_field(cmhd_connection *_Nonnull handle, void *_Nullable context,
                     void (*_Nonnull each)(void *_Nullable context, const uint8_t *_Nullable name, size_t name_bytes,
                                           const uint8_t *_Nullable value, size_t value_bytes));

/* Takes `bytes` over, which `free` releases once they are sent; NULL when out of memory, and then they are released. */
cmhd_response *_Nullable cmhd_response_create(void *_Nullable bytes, size_t count);

/* Adds a field; 0 where the library refuses the name or the value. */
int32_t cmhd_response_add(cmhd_response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);

/* Sends the response, and releases it in any case. */
cmhd_verdict cmhd_response_queue(cmhd_connection *_Nonnull handle, uint32_t status, cmhd_response *_Nonnull response);

/* Releases a response that is not sent. */
void cmhd_response_discard(cmhd_response *_Nonnull response);

#endif
