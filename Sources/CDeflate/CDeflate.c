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
