#ifndef DECANT_C_ZSTD_H
#define DECANT_C_ZSTD_H

/*
 * A wrapper around the decoder of libzstd (Debian 12: 1.5.4), which decodes frames of zstd (RFC 8878), including
 * skippable frames, piece by piece. All functions may be called on any thread, but a decoder only on one thread at a
 * time.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /* All input is consumed, or the output is full. */
    CZSTD_MORE = 0,
    /* A frame has ended. The bytes after it are not consumed: they may be the next frame. */
    CZSTD_END,
    CZSTD_CORRUPT,
    /* A frame needs a window of more than 8 MiB, the maximum that RFC 9659 permits in HTTP. */
    CZSTD_WINDOW,
    /* A frame needs a dictionary. */
    CZSTD_DICTIONARY,
    CZSTD_NO_MEMORY,
} czstd_outcome;

typedef struct czstd_decoder czstd_decoder;

/* Creates a decoder. Returns NULL if there is not enough memory. */
czstd_decoder *_Nullable czstd_open(void);

/* Decodes from `input` to `output`, at most one frame. `consumed` and `written` are set for every outcome. */
czstd_outcome czstd_decode(czstd_decoder *_Nonnull decoder, const uint8_t *_Nullable input, size_t count,
                           size_t *_Nonnull consumed, uint8_t *_Nullable output, size_t room, size_t *_Nonnull written);

void czstd_close(czstd_decoder *_Nonnull decoder);

#endif
