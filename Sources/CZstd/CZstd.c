#include "CZstd.h"

#include <zstd.h>
#include <zstd_errors.h>

/* The binary logarithm of 8 MiB. */
enum { max_window_log = 23 };

/* A decoder is an object of the library; only this file depends on that. */
static ZSTD_DCtx *context(czstd_decoder *decoder) {
    return (ZSTD_DCtx *)decoder;
}

czstd_decoder *czstd_open(void) {
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (context == NULL) return NULL;
    if (ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, max_window_log))) {
        ZSTD_freeDCtx(context);
        return NULL;
    }
    return (czstd_decoder *)context;
}

czstd_outcome czstd_decode(czstd_decoder *decoder, const uint8_t *input, size_t count, size_t *consumed,
                           uint8_t *output, size_t room, size_t *written) {
    ZSTD_inBuffer in = {input, count, 0};
    ZSTD_outBuffer out = {output, room, 0};
    size_t result = 1;
    do {
        size_t before = in.pos + out.pos;
        result = ZSTD_decompressStream(context(decoder), &out, &in);
        if (ZSTD_isError(result) || result == 0 || in.pos + out.pos == before) break;
    } while (in.pos < count && out.pos < room);
    *consumed = in.pos;
    *written = out.pos;
    if (result == 0) return CZSTD_END;
    if (!ZSTD_isError(result)) return CZSTD_MORE;
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return CZSTD_WINDOW;
    case ZSTD_error_dictionary_wrong:
        return CZSTD_DICTIONARY;
    case ZSTD_error_memory_allocation:
        return CZSTD_NO_MEMORY;
    default:
        return CZSTD_CORRUPT;
    }
}

void czstd_close(czstd_decoder *decoder) {
    ZSTD_freeDCtx(context(decoder));
}
