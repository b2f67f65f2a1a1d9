#ifndef DECANT_C_ENCODERS_H
#define DECANT_C_ENCODERS_H

/* The encoders of the libraries whose decoders the service uses, for tests. Each function encodes a whole buffer, and
 * returns the number of bytes that it wrote, or 0 if it failed. */

#include <stddef.h>
#include <stdint.h>

typedef enum { CENCODERS_GZIP, CENCODERS_ZLIB, CENCODERS_RAW } cencoders_wrapper;

size_t cencoders_deflate(const uint8_t *_Nullable bytes, size_t count, int level, cencoders_wrapper wrapper,
                         uint8_t *_Nonnull output, size_t room);

size_t cencoders_brotli(const uint8_t *_Nullable bytes, size_t count, int quality, int window_bits, int is_large_window,
                        uint8_t *_Nonnull output, size_t room);

size_t cencoders_zstd(const uint8_t *_Nullable bytes, size_t count, int level, int has_checksum,
                      uint8_t *_Nonnull output, size_t room);

#endif
