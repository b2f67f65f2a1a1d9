#ifndef DECANT_C_CURL_H
#define DECANT_C_CURL_H

/*
 * The wrapper around libcurl (Debian 12: 7.88.1, OpenSSL flavour): plain functions, without types of the library.
 *
 * A set of transfers belongs to one thread. It resolves no names: each transfer is given the addresses that it may
 * connect to. It makes one HTTP/1.1 request without cookies, redirects, decoding or defaults of its own.
 *
 * docs/decisions/0026-libcurl-in-a-process.md lists the behaviour of the library that this wrapper prevents.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The transfers of one thread. */
typedef struct ccurl_set ccurl_set;

/* The connections of some transfers of a set. No other transfer uses them. */
typedef struct ccurl_pool ccurl_pool;

/* One transfer. */
typedef struct ccurl_transfer ccurl_transfer;

typedef enum {
    CCURL_CONTINUE = 0,
    CCURL_ABORT,
    /* Only for content. */
    CCURL_PAUSE,
    /* Only for lines: as `CCURL_CONTINUE`, and the connection is closed after the transfer. */
    CCURL_CLOSE,
} ccurl_verdict;

/* The functions that are called by `ccurl_perform` and `ccurl_resume`, each with the context of a transfer. They must
 * not call functions of this wrapper but `ccurl_keep`. */
typedef struct {
    /* A line of a head, as it was received, with its line break. Also a line of a trailer. */
    ccurl_verdict (*_Nonnull line)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);
    /* Content, without the transfer coding. It is received again after a pause. */
    ccurl_verdict (*_Nonnull content)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);
    /* Decides whether a socket may be connected to an address, of 4 or 16 bytes in network order. */
    ccurl_verdict (*_Nonnull address)(void *_Nonnull context, const uint8_t *_Nonnull address, size_t count,
                                      uint16_t port);
    /* Decides whether the request may be sent over the chosen connection, whose peer has the given address as text.
     * `is_clean` is false for an idle connection of another pool, or over which something was received after the end of
     * a response. */
    ccurl_verdict (*_Nonnull connection)(void *_Nonnull context, const char *_Nonnull address, int32_t port,
                                         bool is_clean);
} ccurl_callbacks;

/* Initializes the library, and returns whether it uses OpenSSL. Must be called once, before anything else, and before
 * any thread is started. */
bool ccurl_initialize(void);

/* Returns an empty set; NULL if there is no memory.
 *
 * `max_connections` is the number of connections above which a pool closes the oldest one that is idle. */
ccurl_set *_Nullable ccurl_create(const ccurl_callbacks *_Nonnull callbacks, uint32_t max_connections);

/* Returns a pool without connections; NULL if there is no memory. */
ccurl_pool *_Nullable ccurl_open_pool(ccurl_set *_Nonnull set);

/* Closes the connections of a pool that no transfer uses, and releases it. */
void ccurl_close_pool(ccurl_pool *_Nonnull pool);

/* Whether a transfer uses a pool. */
bool ccurl_is_used(const ccurl_pool *_Nonnull pool);

/* Return the numbers of connections, of a pool and of all pools, that are kept: they are idle, or will be after their
 * transfer. */
size_t ccurl_kept_in_pool(const ccurl_pool *_Nonnull pool);
size_t ccurl_kept_in_set(const ccurl_set *_Nonnull set);

/* A descriptor that `ccurl_wait` observes besides those of the transfers. */
typedef struct {
    int32_t descriptor;
    bool wants_read;
    bool wants_write;
    bool is_readable;
    bool is_writable;
} ccurl_watched;

/* Waits until a descriptor is ready or `milliseconds` have passed. */
void ccurl_wait(ccurl_set *_Nonnull set, ccurl_watched *_Nullable watched, size_t count, int32_t milliseconds);

/* Makes progress with all transfers. */
void ccurl_perform(ccurl_set *_Nonnull set);

/* The kinds of results. */
typedef enum {
    CCURL_COMPLETE = 0,
    /* A callback has decided so. */
    CCURL_ABORTED,
    CCURL_RESOLVE,
    CCURL_CONNECT,
    CCURL_PROXY,
    CCURL_TLS,
    CCURL_CERTIFICATE,
    CCURL_LOST,
    CCURL_MALFORMED,
    CCURL_TIMEOUT,
    /* The library has failed, for example because there is no memory. */
    CCURL_INTERNAL,
} ccurl_outcome;

/* The result of a transfer. Durations are microseconds since its start; 0 if the point was not reached. */
typedef struct {
    /* The context of the transfer. */
    void *_Nullable context;
    ccurl_outcome outcome;
    /* Words about the failure, which can contain bytes that the origin sent. They exist until the transfer is closed.
     */
    const char *_Nullable message;
    /* Whether a connection was opened. */
    bool is_new_connection;
    /* Whether a connection exists that may not have completed its TLS handshake. False after the end of the transfer.
     */
    bool is_connected;
    /* The status of the proxy's response to CONNECT; 0 if there is none. */
    int32_t connect_status;
    uint64_t connected;
    uint64_t secured;
    uint64_t ready;
    uint64_t first_byte;
    uint64_t total;
} ccurl_result;

/* Stores the result of the next transfer that has ended. Returns false if there is none. */
bool ccurl_next_result(ccurl_set *_Nonnull set, ccurl_result *_Nonnull result);

/* Stores the state of a transfer that has not ended, as in a result. */
void ccurl_progress(ccurl_transfer *_Nonnull transfer, ccurl_result *_Nonnull result);

/* Returns the number of bytes of content that were sent. */
uint64_t ccurl_sent_bytes(ccurl_transfer *_Nonnull transfer);

/* The settings of a transfer that are text. */
typedef enum {
    /* The scheme, host and port of the origin, and a slash. */
    CCURL_URL,
    /* The target of the request line. */
    CCURL_TARGET,
    CCURL_METHOD,
    CCURL_USER_AGENT,
    CCURL_CA_FILE,
    /* scheme://host:port. Without it, there is no proxy. */
    CCURL_PROXY_URL,
    CCURL_PROXY_USER,
    CCURL_PROXY_PASSWORD,
} ccurl_text;

/* Returns a transfer that has not begun; NULL if there is no memory. `context` is passed to the callbacks. The pool
 * must outlive the transfer. */
ccurl_transfer *_Nullable ccurl_open(ccurl_pool *_Nonnull pool, void *_Nonnull context);

/* The functions that configure a transfer return false if there is no memory. Text is copied. */
bool ccurl_set_text(ccurl_transfer *_Nonnull transfer, ccurl_text name, const char *_Nonnull value);

/* Adds a field as a line: `name: value`, `name;` for an empty value, or `name:` for none, even if the library has a
 * default. */
bool ccurl_add_field(ccurl_transfer *_Nonnull transfer, const char *_Nonnull line);

/* Specifies the addresses of a host: `+host:port:address,address`. */
bool ccurl_set_addresses(ccurl_transfer *_Nonnull transfer, const char *_Nonnull entry);

/* Specifies the content of the request, which is copied. */
bool ccurl_set_content(ccurl_transfer *_Nonnull transfer, const uint8_t *_Nullable bytes, size_t count);

/* The response has no content (HEAD). Must be called before `ccurl_set_content`. */
bool ccurl_set_head(ccurl_transfer *_Nonnull transfer);

/* Uses no idle connection. */
bool ccurl_set_fresh(ccurl_transfer *_Nonnull transfer);

/* Uses no idle connection, and closes the connection after the transfer. */
bool ccurl_set_exclusive(ccurl_transfer *_Nonnull transfer);

/* The timeout of the connection and the TLS handshake together. */
bool ccurl_set_connect_timeout(ccurl_transfer *_Nonnull transfer, uint32_t milliseconds);

/* Returns whether the connection of the transfer is kept. It is not if more than the given numbers of connections would
 * be kept, of its pool and of all pools. Called by `line` at the end of a head, which returns `CCURL_CLOSE` otherwise.
 */
bool ccurl_keep(ccurl_transfer *_Nonnull transfer, size_t max_in_pool, size_t max_in_set);

/* Adds the transfer to its set, which begins it. */
bool ccurl_begin(ccurl_transfer *_Nonnull transfer);

/* Ends the pause that a callback has begun. */
void ccurl_resume(ccurl_transfer *_Nonnull transfer);

/* Ends the transfer and releases it. Its connection is closed, unless the transfer is complete. */
void ccurl_close(ccurl_transfer *_Nonnull transfer);

#endif
