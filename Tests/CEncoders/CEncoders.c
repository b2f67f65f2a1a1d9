#include "CEncoders.h"

#include <brotli/encode.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

size_t cencoders_deflate(const uint8_t *bytes, size_t count, int level, cencoders_wrapper wrapper, uint8_t *output,
                         size_t room) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    int window = wrapper == CENCODERS_GZIP ? 31 : wrapper == CENCODERS_ZLIB ? 15 : -15;
    if (deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    int result = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return result == Z_STREAM_END ? room - stream.avail_out : 0;
}

size_t cencoders_brotli(const uint8_t *bytes, size_t count, int quality, int window_bits, int is_large_window,
                        uint8_t *output, size_t room) {
    BrotliEncoderState *encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    if (encoder == NULL) return 0;
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, (uint32_t)quality);
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LARGE_WINDOW, (uint32_t)is_large_window);
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, (uint32_t)window_bits);
    size_t left = count, space = room;
    const uint8_t *next_in = bytes;
    uint8_t *next_out = output;
    int is_done =
        BrotliEncoderCompressStream(encoder, BROTLI_OPERATION_FINISH, &left, &next_in, &space, &next_out, NULL) &&
        BrotliEncoderIsFinished(encoder);
    BrotliEncoderDestroyInstance(encoder);
    return is_done ? room - space : 0;
}

size_t cencoders_zstd(const uint8_t *bytes, size_t count, int level, int has_checksum, uint8_t *output, size_t room) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (context == NULL) return 0;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksum);
    size_t result = ZSTD_compress2(context, output, room, bytes, count);
    ZSTD_freeCCtx(context);
    return ZSTD_isError(result) ? 0 : result;
}
