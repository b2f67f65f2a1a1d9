#ifndef DECANT_C_ICONV_H
#define DECANT_C_ICONV_H

/*
 * A wrapper around iconv (glibc's, in libc): three plain functions without types of the library.
 *
 * Only sequences that this project generates are passed to it, to build the table of a charset; content is never
 * passed.
 */

#include <stddef.h>
#include <stdint.h>

/* A converter from one charset to UTF-8, for one thread at a time. */
typedef struct ciconv_converter ciconv_converter;

/* Returns NULL if the library does not know the charset, or cannot load the module for it. */
ciconv_converter *_Nullable ciconv_open(const char *_Nonnull charset);

/* Converts the `bytes` (1 to 4) low bytes of `sequence`, the highest first, to UTF-8. The first byte of the text is the
 * lowest byte of the result, and unused bytes are 0. Returns 0 if the sequence is not assigned, or the text does not
 * fit. */
uint32_t ciconv_text(ciconv_converter *_Nonnull converter, uint32_t sequence, size_t bytes);

void ciconv_close(ciconv_converter *_Nonnull converter);

#endif
