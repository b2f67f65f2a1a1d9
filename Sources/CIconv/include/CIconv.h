#ifndef DECANT_C_ICONV_H
#define DECANT_C_ICONV_H

/*
 * A wrapper around iconv (glibc's, in libc): three plain functions, and no type of the library.
 *
 * Only sequences that we make up ourselves go through it, to learn a charset's table; no byte of a content does.
 */

#include <stddef.h>
#include <stdint.h>

/* A converter from one charset to UTF-8. For one thread at a time. */
typedef struct ciconv_converter ciconv_converter;

/* NULL where the library does not know the charset, or cannot load the module for it. */
ciconv_converter *_Nullable ciconv_open(const char *_Nonnull charset);

/* What the `bytes` (1 to 4) low bytes of `sequence`, the highest first, spell on their own, in UTF-8: the first byte is
 * the lowest of the result, and unused bytes are 0. 0 where they spell nothing, or more than fits. */
uint32_t ciconv_text(ciconv_converter *_Nonnull converter, uint32_t sequence, size_t bytes);

void ciconv_close(ciconv_converter *_Nonnull converter);

#endif
