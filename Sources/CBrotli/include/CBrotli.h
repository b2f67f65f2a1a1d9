#ifndef DECANT_C_BROTLI_H
#define DECANT_C_BROTLI_H

/*
 * A wrapper around libbrotlidec (Debian 12: 1.0.9), which decodes brotli (RFC 7932) piece by piece. The large
 * windows with which the library extends the RFC are disabled. All functions may be called on any thread, but a decoder
 * only on one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /* All input is consumed, or the output is full. */
    CBROTLI_MORE = 0,
    /* The stream has ended; bytes after it are not consumed. */
    CBROTLI_END,
    CBROTLI_CORRUPT,
    CBROTLI_NO_MEMORY,
} cbrotli_outcome;

typedef struct cbrotli_decoder cbrotli_decoder;

/* Creates a decoder. Returns NULL if there is not enough memory. */
cbrotli_decoder *_Nullable cbrotli_open(void);

/* Decodes from `input` to `output`. `consumed` and `written` are set for every outcome. */
cbrotli_outcome cbrotli_decode(cbrotli_decoder *_Nonnull decoder, const uint8_t *_Nullable input, size_t count,
                               size_t *_Nonnull consumed, uint8_t *_Nullable output, size_t room,
                               size_t *_Nonnull written);

void cbrotli_close(cbrotli_decoder *_Nonnull decoder);

#endif
