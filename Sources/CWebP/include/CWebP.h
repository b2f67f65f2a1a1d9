#ifndef DECANT_C_WEBP_H
#define DECANT_C_WEBP_H

/*
 * A wrapper around libwebp (Debian 12: 1.2.4). A frame is the data of a file, or of one frame of an animation, from
 * its ALPH or VP8 chunk, including the chunk headers. No state is kept between calls, and all functions may be
 * called on any thread.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CWEBP_DONE = 0,
    /* The frame ends early. */
    CWEBP_TRUNCATED,
    CWEBP_CORRUPT,
    CWEBP_NO_MEMORY,
} cwebp_outcome;

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t has_alpha;
    uint8_t is_lossless;
} cwebp_header;

cwebp_outcome cwebp_read_header(const uint8_t *_Nonnull frame, size_t count, cwebp_header *_Nonnull header);

/* Decodes a frame to RGBA with straight alpha and 8 bits per channel, reduced to `width` by `height` if these are
 * less than the size of the frame. The rows are consecutive. `rows` receives the number of rows that were written,
 * whatever the outcome. */
cwebp_outcome cwebp_decode(const uint8_t *_Nonnull frame, size_t count, uint32_t width, uint32_t height,
                           uint8_t *_Nonnull pixels, uint32_t *_Nonnull rows);

/* Encodes RGBA pixels, in consecutive rows, in the lossy format; `quality` is 0 to 100. If the outcome is
 * CWEBP_DONE, the caller owns `*content` and must pass it to cwebp_release. */
cwebp_outcome cwebp_encode(const uint8_t *_Nonnull pixels, uint32_t width, uint32_t height, float quality,
                           uint8_t *_Nullable *_Nonnull content, size_t *_Nonnull count);

void cwebp_release(uint8_t *_Nonnull content);

#endif
