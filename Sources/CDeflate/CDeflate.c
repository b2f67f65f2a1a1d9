#include "CDeflate.h"

#include <libdeflate.h>

cdeflate_outcome cdeflate_gunzip(const uint8_t *content, size_t count, size_t *consumed, uint8_t *output, size_t room,
                                 size_t *written) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL) return CDEFLATE_NO_MEMORY;
    enum libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor, content, count, output, room, consumed, written);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ? CDEFLATE_DONE : CDEFLATE_FAILED;
}

size_t cdeflate_gzip_bound(size_t count) {
    /* Without a compressor, the bound applies to every level. */
    return libdeflate_gzip_compress_bound(NULL, count);
}

size_t cdeflate_gzip(const uint8_t *content, size_t count, int level, uint8_t *gzip, size_t room) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    if (compressor == NULL) return 0;
    /* A null pointer is not permitted, even if the length is 0. */
    const uint8_t nothing = 0;
    size_t written = libdeflate_gzip_compress(compressor, content == NULL ? &nothing : content, count, gzip, room);
    libdeflate_free_compressor(compressor);
    return written;
}
