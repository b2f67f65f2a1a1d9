#ifndef DECANT_C_TIFF_H
#define DECANT_C_TIFF_H

/*
 * A wrapper around libtiff (Debian 12: 4.5.0): one call opens a file, one reads rows of its page, one goes to the
 * next page. The library calls no function of the caller. The content must be passed to every call. It may have
 * moved between calls, but its bytes must be the same. All functions may be called on any thread, but the calls for
 * one reader must not overlap.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CTIFF_DONE = 0,
    /* There is no further page. */
    CTIFF_END,
    /* The library requested bytes after the end of the content. */
    CTIFF_TRUNCATED,
    /* The library rejected the content; ctiff_offset returns the offset. */
    CTIFF_CORRUPT,
    /* The page is valid as far as it was read, but decoding it is not supported; ctiff_feature returns the reason. */
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
    /* The layout of the rows: four channels of 8 bits, or of 16 bits in the machine's byte order; alpha is straight. */
    ctiff_layout layout;
    uint8_t is_grey;
    /* Whether another page follows. */
    uint8_t has_next;
    /* Whether the directory, or data that it refers to, extends beyond the end of the content. A missing offset of
     * the next page does not count. */
    uint8_t is_truncated;
    /* The length of the colour profile, 0 for none. */
    uint32_t profile_bytes;
    /* The memory while rows are read, in bytes, in addition to the library's own tables. */
    uint64_t memory_bytes;
} ctiff_page;

typedef struct ctiff_reader ctiff_reader;

/* Opens a file and reads the directory of its first page. `max_memory_bytes` limits each block of memory that the
 * library allocates. If the outcome is CTIFF_DONE or CTIFF_UNSUPPORTED, the caller owns `*reader`. */
ctiff_outcome ctiff_open(const uint8_t *_Nonnull content, size_t count, size_t max_memory_bytes,
                         ctiff_reader *_Nullable *_Nonnull reader, ctiff_page *_Nonnull page);

/* Copies the page's colour profile, whose length is in the page. */
void ctiff_copy_profile(const ctiff_reader *_Nonnull reader, uint8_t *_Nonnull profile, size_t count);

/* Reads the next `row_count` consecutive rows; `done` receives the number of rows that were written. */
ctiff_outcome ctiff_read_rows(ctiff_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              uint8_t *_Nonnull rows, uint32_t row_count, uint32_t *_Nonnull done);

/* Goes to the next page. */
ctiff_outcome ctiff_next_page(ctiff_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              ctiff_page *_Nonnull page);

/* Returns the start of the last strip or tile that was read, or 0 if the directory has no such strip or tile. */
size_t ctiff_offset(const ctiff_reader *_Nonnull reader);

/* Returns the start of the directory of the last page, also if it could not be read. */
uint64_t ctiff_directory_offset(const ctiff_reader *_Nonnull reader);

/* Returns a short English noun phrase. */
const char *_Nonnull ctiff_feature(const ctiff_reader *_Nonnull reader);

void ctiff_close(ctiff_reader *_Nonnull reader);

#endif
