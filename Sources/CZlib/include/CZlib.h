#ifndef DECANT_C_ZLIB_H
#define DECANT_C_ZLIB_H

/*
 * A wrapper around zlib (Debian 12: 1.2.13). It inflates raw deflate data (RFC 1951) piece by piece, and computes the
 * checksums that gzip (RFC 1952) and zlib (RFC 1950) put after them. All functions may be called on any
 * thread, an inflater on one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /* All of the input is consumed, or the room is full. */
    CZLIB_MORE = 0,
    /* The data has ended; bytes after it are not consumed. */
    CZLIB_END,
    CZLIB_CORRUPT,
    CZLIB_NO_MEMORY,
} czlib_outcome;

typedef struct czlib_inflater czlib_inflater;

/* NULL if there is no memory. An inflater has at most 48 KiB of its own. */
czlib_inflater *_Nullable czlib_open(void);

/* Inflates from `input` to `output`. `consumed` and `written` are set whatever the outcome. */
czlib_outcome czlib_inflate(czlib_inflater *_Nonnull inflater, const uint8_t *_Nullable input, size_t count,
                            size_t *_Nonnull consumed, uint8_t *_Nullable output, size_t room,
                            size_t *_Nonnull written);

/* Makes the inflater begin again with other data. */
void czlib_restart(czlib_inflater *_Nonnull inflater);

void czlib_close(czlib_inflater *_Nonnull inflater);

/* The checksum of bytes that follow others whose checksum is `sum`; 0 for CRC-32 and 1 for Adler-32 if there are none.
 */
uint32_t czlib_crc32(uint32_t sum, const uint8_t *_Nullable bytes, size_t count);
uint32_t czlib_adler32(uint32_t sum, const uint8_t *_Nullable bytes, size_t count);

#endif
