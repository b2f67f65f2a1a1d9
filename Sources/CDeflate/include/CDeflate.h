#ifndef DECANT_C_DEFLATE_H
#define DECANT_C_DEFLATE_H

/*
 * A wrapper around libdeflate (Debian 12: 1.14), which inflates what is in memory completely, faster than zlib. Nothing
 * is kept between calls, and the function may be called on any thread.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CDEFLATE_DONE = 0,
    /* The member is longer than the room, is corrupt, or ends early. */
    CDEFLATE_FAILED,
    CDEFLATE_NO_MEMORY,
} cdeflate_outcome;

/* Inflates the first member of gzip in `content`, and checks its checksum and its length. `consumed` and `written` are
 * set if the outcome is CDEFLATE_DONE. The room is written to whatever the outcome. It allocates at most 32 KiB until
 * it returns. */
cdeflate_outcome cdeflate_gunzip(const uint8_t *_Nonnull content, size_t count, size_t *_Nonnull consumed,
                                 uint8_t *_Nonnull output, size_t room, size_t *_Nonnull written);

#endif
