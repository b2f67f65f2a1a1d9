#ifndef DECANT_C_ZLIB_H
#define DECANT_C_ZLIB_H

/*
 * A wrapper around zlib (Debian 12: 1.2.13). It inflates raw deflate data (RFC 1951) piece by piece, and computes the
 * checksums that follow the data in gzip (RFC 1952) and zlib (RFC 1950). All functions may be called on any thread, but
 * an inflater only on one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /* All input is consumed, or the output is full. */
    CZLIB_MORE = 0,
    /* The data has ended; bytes after it are not consumed. */
    CZLIB_END,
    CZLIB_CORRUPT,
    CZLIB_NO_MEMORY,
} czlib_outcome;

typedef struct czlib_inflater czlib_inflater;

/* Creates an inflater, which uses at most 48 KiB. Returns NULL if there is not enough memory. */
czlib_inflater *_Nullable czlib_open(void);

/* Inflates from `input` to `output`. `consumed` and `written` are set for every outcome. */
czlib_outcome czlib_inflate(czlib_inflater *_Nonnull inflater, const uint8_t *_Nullable input, size_t count,
                            size_t *_Nonnull consumed, uint8_t *_Nullable output, size_t room,
                            size_t *_Nonnull written);

/* Starts again with other data. */
void czlib_restart(czlib_inflater *_Nonnull inflater);

void czlib_close(czlib_inflater *_Nonnull inflater);

/* Returns the checksum of all bytes up to the end of `bytes`. `sum` is the checksum of the preceding bytes; if there
 * are none, it is 0 for CRC-32 and 1 for Adler-32. */
uint32_t czlib_crc32(uint32_t sum, const uint8_t *_Nullable bytes, size_t count);
uint32_t czlib_adler32(uint32_t sum, const uint8_t *_Nullable bytes, size_t count);

#endif
