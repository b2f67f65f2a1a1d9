#ifndef DECANT_C_CARES_H
#define DECANT_C_CARES_H

/*
 * The wrapper around c-ares (Debian 12: 1.18.1): plain functions, without types of the library.
 *
 * A lookup asks for the addresses of one absolute name. It reads no files and no environment, and has its own sockets,
 * so that lookups neither wait for each other nor share a source port. All functions of a lookup are called on one
 * thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ccares_lookup ccares_lookup;

/* Initializes the library. Must be called once, before anything else, and before any thread is started. */
bool ccares_initialize(void);

/* The queries of a lookup. */
typedef enum { CCARES_A = 0, CCARES_AAAA = 1 } ccares_query;

typedef enum {
    CCARES_PENDING = 0,
    /* There is at least one address. */
    CCARES_FOUND,
    /* The name does not exist, or has no address of this kind. */
    CCARES_ABSENT,
    /* No server has responded, or with an error. */
    CCARES_FAILED,
    /* There are more addresses than the lookup stores. */
    CCARES_TOO_MANY,
} ccares_state;

/* The maximum number of addresses that a query stores. */
enum { CCARES_MAX_ADDRESSES = 256 };

/* Begins a lookup of `name`, which is absolute and has no trailing dot. `servers` are DNS servers, separated by commas:
 * `10.0.0.1`, `10.0.0.1:5353` or `[fd00::1]:53`. A query is repeated `tries` times per server; the first wait is
 * `milliseconds`, later ones are longer. Returns NULL if there is no memory or `servers` is malformed. */
ccares_lookup *_Nullable ccares_open(const char *_Nonnull name, const char *_Nonnull servers, uint32_t milliseconds,
                                     uint32_t tries);

ccares_state ccares_query_state(const ccares_lookup *_Nonnull lookup, ccares_query query);

/* Words about a query that has failed. */
const char *_Nonnull ccares_query_message(const ccares_lookup *_Nonnull lookup, ccares_query query);

/* Returns the number of addresses that were found. */
size_t ccares_address_count(const ccares_lookup *_Nonnull lookup, ccares_query query);

/* Returns an address in network order: 4 bytes for CCARES_A, 16 for CCARES_AAAA. */
const uint8_t *_Nonnull ccares_address(const ccares_lookup *_Nonnull lookup, ccares_query query, size_t index);

/* A socket of a lookup. */
typedef struct {
    int32_t descriptor;
    bool wants_read;
    bool wants_write;
} ccares_socket;

/* Stores the sockets that must be observed, at most `capacity`, and returns their number. */
size_t ccares_sockets(ccares_lookup *_Nonnull lookup, ccares_socket *_Nonnull sockets, size_t capacity);

/* Returns the number of milliseconds after which `ccares_process` must be called, at least 0; -1 for no limit. */
int32_t ccares_timeout(ccares_lookup *_Nonnull lookup);

/* Makes progress with a socket that is ready, and repeats queries. The descriptor -1 is no socket. */
void ccares_process(ccares_lookup *_Nonnull lookup, int32_t readable, int32_t writable);

/* Ends the lookup, complete or not. */
void ccares_close(ccares_lookup *_Nonnull lookup);

#endif
