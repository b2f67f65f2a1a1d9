#ifndef DECANT_C_TIFF_H
#define DECANT_C_TIFF_H

/*
 * A narrow border to libtiff (Debian 12: 4.5.0): one call opens a file, one reads rows of its page, one goes to the
 * next page. No function of the caller's runs while the library does. The content is lent anew to every call and may
 * have moved in between, as long as its bytes are the same. All functions may be called on any thread, a reader's one
 * after another.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CTIFF_DONE = 0,
    /* There is no further page. */
    CTIFF_END,
    /* The library asked for bytes after the content's last. */
    CTIFF_TRUNCATED,
    /* The library refused what it read; ctiff_position says where that is. */
    CTIFF_CORRUPT,
    /* The page is sound as far as it was read, and is not decoded here; ctiff_feature says why. */
    CTIFF_UNSUPPORTED,
    CTIFF_NO_MEMORY,
} ctiff_outcome;

typedef enum {
    CTIFF_RGBX8 = 0,
    CTIFF_RGBA8,
    CTIFF_RGBA16,
    /* 255 is no ink. */
    CTIFF_CMYK8,
} ctiff_layout;

typedef struct {
    uint32_t width;
    uint32_t height;
    /* Of the rows: four channels of 8 bits, or of 16 in the machine's byte order; alpha is straight. */
    ctiff_layout layout;
    uint8_t is_grey;
    /* Whether another page follows. */
    uint8_t has_next;
    /* Whether the directory, or what it refers to, reaches over the content's end. That no next page is named, not even
     * none, does not count. */
    uint8_t is_truncated;
    /* Of the colour profile, 0 for none. */
    uint32_t profile_bytes;
    /* What is held while rows are read, in bytes, beside the library's own tables. */
    uint64_t memory_bytes;
} ctiff_page;

typedef struct ctiff_reader ctiff_reader;

/* Opens a file and reads its first page's directory. `max_memory_bytes` bounds each block of memory that the library
 * takes for itself. `*reader` is the caller's where the outcome is CTIFF_DONE or CTIFF_UNSUPPORTED. */
ctiff_outcome ctiff_open(const uint8_t *_Nonnull content, size_t count, size_t max_memory_bytes,
                         ctiff_reader *_Nullable *_Nonnull reader, ctiff_page *_Nonnull page);

/* Copies the page's colour profile, whose length is known from it. */
void ctiff_copy_profile(const ctiff_reader *_Nonnull reader, uint8_t *_Nonnull profile, size_t count);

/* Reads the next `row_count` rows, which follow one another; `done` says how many were written. */
ctiff_outcome ctiff_read_rows(ctiff_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              uint8_t *_Nonnull rows, uint32_t row_count, uint32_t *_Nonnull done);

/* Goes to the next page. */
ctiff_outcome ctiff_next_page(ctiff_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              ctiff_page *_Nonnull page);

/* Where the strip or tile begins that was read last. */
size_t ctiff_position(const ctiff_reader *_Nonnull reader);

/* A short English noun phrase. */
const char *_Nonnull ctiff_feature(const ctiff_reader *_Nonnull reader);

void ctiff_close(ctiff_reader *_Nonnull reader);

#endif
