#ifndef DECANT_C_DEFLATE_H
#define DECANT_C_DEFLATE_H

/*
 * A wrapper around libdeflate (Debian 12: 1.14), which inflates and compresses content that is completely in memory,
 * faster than zlib. No state is kept between calls, and the functions may be called on any thread.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CDEFLATE_DONE = 0,
    /* The output of the member does not fit, or the member is corrupt or truncated. */
    CDEFLATE_FAILED,
    CDEFLATE_NO_MEMORY,
} cdeflate_outcome;

/* Inflates the first member of gzip in `content`, and checks its checksum and its length. `consumed` and `written` are
 * set if the outcome is CDEFLATE_DONE. Bytes of `output` may be written for every outcome. The call allocates at
 * most 32 KiB, and frees them before it returns. */
cdeflate_outcome cdeflate_gunzip(const uint8_t *_Nonnull content, size_t count, size_t *_Nonnull consumed,
                                 uint8_t *_Nonnull output, size_t room, size_t *_Nonnull written);

/* Returns the maximum length of `count` bytes as one member of gzip, in bytes. */
size_t cdeflate_gzip_bound(size_t count);

/* Compresses `content` as one member of gzip, without a file name and with the time 0. `level` is 1 (fast) to 12
 * (small). Returns the number of bytes written to `gzip`; 0 if `room` is too small or there is not enough memory. At
 * level 1, the call allocates 200 KiB, and frees them before it returns. */
size_t cdeflate_gzip(const uint8_t *_Nullable content, size_t count, int level, uint8_t *_Nonnull gzip, size_t room);

#endif
