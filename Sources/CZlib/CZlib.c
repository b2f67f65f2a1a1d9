#include "CZlib.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Input is const. */
#define ZLIB_CONST
#include <zlib.h>

/* zlib's numbers for raw data and for gzip, each with the largest window. */
enum { raw_window = -15, gzip_window = 15 + 16 };

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
    /* zlib takes a pointer to nothing for an error. */
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
            /* More than zlib counts in one call. */
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

size_t czlib_gzip_bound(size_t count) {
    /* As in deflateBound for any level, with gzip's header and trailer. */
    size_t bound;
    if (__builtin_add_overflow(count, (count >> 3) + (count >> 6) + 64, &bound)) return 0;
    return bound;
}

size_t czlib_gzip(const uint8_t *content, size_t count, int level, uint8_t *gzip, size_t room) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    size_t consumed = 0, written = 0;
    int result;
    do {
        size_t left = count - consumed, space = room - written;
        stream.next_in = content == NULL ? NULL : content + consumed;
        stream.avail_in = clamped(left);
        stream.next_out = gzip + written;
        stream.avail_out = clamped(space);
        size_t given_in = stream.avail_in, given_out = stream.avail_out;
        result = deflate(&stream, left > given_in ? Z_NO_FLUSH : Z_FINISH);
        consumed += given_in - stream.avail_in;
        written += given_out - stream.avail_out;
    } while (result == Z_OK && written < room);
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}
