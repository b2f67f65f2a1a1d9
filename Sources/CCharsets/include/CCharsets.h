#ifndef DECANT_C_CHARSETS_H
#define DECANT_C_CHARSETS_H

/*
 * The tables of the charsets, which the program contains.
 *
 * scripts/generate-charsets makes charsets.bin from the index files of the WHATWG Encoding Standard, whose license is
 * LICENSE in this folder. Sources/Serialization/Charset/CharsetResource.swift describes the format and reads it.
 */

#include <stddef.h>
#include <stdint.h>

/* The bytes of the file. They are constants of the program, and aligned to four bytes. */
typedef struct {
    const uint8_t *_Nonnull start;
    size_t count;
} ccharsets_file;

ccharsets_file ccharsets_tables(void);

#endif
