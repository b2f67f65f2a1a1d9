#include "CZlib.h"

#include <limits.h>
#include <stdlib.h>

/* Declares the input as const. */
#define ZLIB_CONST
#include <zlib.h>

/* The value of windowBits for raw data with the largest window. */
enum { raw_window = -15 };

struct czlib_inflater {
    z_stream stream;
};

static uInt clamped(size_t count) {
    return count < UINT_MAX ? (uInt)count : UINT_MAX;
}

czlib_inflater *czlib_open(void) {
    czlib_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater == NULL) return NULL;
    if (inflateInit2(&inflater->stream, raw_window) != Z_OK) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

czlib_outcome czlib_inflate(czlib_inflater *inflater, const uint8_t *input, size_t count, size_t *consumed,
                            uint8_t *output, size_t room, size_t *written) {
    z_stream *stream = &inflater->stream;
    *consumed = 0;
    *written = 0;
    /* zlib rejects a null pointer, even if the length is 0. */
    uint8_t nothing = 0;
    if (count == 0) input = &nothing;
    if (room == 0) output = &nothing;
    for (;;) {
        stream->next_in = input + *consumed;
        stream->avail_in = clamped(count - *consumed);
        stream->next_out = output + *written;
        stream->avail_out = clamped(room - *written);
        int result = inflate(stream, Z_NO_FLUSH);
        *consumed = (size_t)(stream->next_in - input);
        *written = (size_t)(stream->next_out - output);
        switch (result) {
        case Z_STREAM_END:
            return CZLIB_END;
        case Z_MEM_ERROR:
            return CZLIB_NO_MEMORY;
        case Z_OK:
            /* The lengths exceed what zlib can process in one call. */
            if (*consumed < count && *written < room) continue;
            return CZLIB_MORE;
        case Z_BUF_ERROR:
            return CZLIB_MORE;
        default:
            return CZLIB_CORRUPT;
        }
    }
}

void czlib_restart(czlib_inflater *inflater) {
    inflateReset(&inflater->stream);
}

void czlib_close(czlib_inflater *inflater) {
    inflateEnd(&inflater->stream);
    free(inflater);
}

uint32_t czlib_crc32(uint32_t sum, const uint8_t *bytes, size_t count) {
    return bytes == NULL ? sum : (uint32_t)crc32_z(sum, bytes, count);
}

uint32_t czlib_adler32(uint32_t sum, const uint8_t *bytes, size_t count) {
    return bytes == NULL ? sum : (uint32_t)adler32_z(sum, bytes, count);
}
