#ifndef DECANT_C_WEBP_H
#define DECANT_C_WEBP_H

/*
 * A narrow border to libwebp (Debian 12: 1.2.4). A frame is what stands in a file, or in one of an animation's frames,
 * from its ALPH or VP8 chunk on, chunk heads included. Nothing is kept between calls, and all functions may be called
 * on any thread.
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

/* Decodes a frame to RGBA with straight alpha, 8 bits a channel, scaled to `width` by `height` where these are less
 * than the frame's. The pixels' rows follow one another. `rows`: how many were written, whatever the outcome. */
cwebp_outcome cwebp_decode(const uint8_t *_Nonnull frame, size_t count, uint32_t width, uint32_t height,
                           uint8_t *_Nonnull pixels, uint32_t *_Nonnull rows);

/* Writes RGBA pixels, whose rows follow one another, in the lossy coding; `quality` is 0 to 100. `*content` is the
 * caller's, to be given to cwebp_release, where the outcome is CWEBP_DONE. */
cwebp_outcome cwebp_encode(const uint8_t *_Nonnull pixels, uint32_t width, uint32_t height, float quality,
                           uint8_t *_Nullable *_Nonnull content, size_t *_Nonnull count);

void cwebp_release(uint8_t *_Nonnull content);

#endif
