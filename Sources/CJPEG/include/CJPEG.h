#ifndef DECANT_C_JPEG_H
#define DECANT_C_JPEG_H

/*
 * A narrow border to libjpeg-turbo (Debian 12: 2.1.5): one call opens an image, one reads rows, one writes an image.
 *
 * No function of the caller's runs while the library does, and no longjmp leaves a call. The content is lent anew to
 * every call and may have moved in between, as long as its bytes are the same. All functions may be called on any
 * thread, a reader's one after another.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CJPEG_DONE = 0,
    /* The content ends before the image does. */
    CJPEG_TRUNCATED,
    /* The same after the last pixel. */
    CJPEG_MISSING_END,
    /* The library refused what it read, or warned that pixels suffer: cjpeg_fault says where. */
    CJPEG_CORRUPT,
    /* More scans than are allowed. */
    CJPEG_SCANS,
    /* It asked for more memory than it may have, or there was none. */
    CJPEG_NO_MEMORY,
    /* Of the format, and not in the library. */
    CJPEG_LOSSLESS_OR_HIERARCHICAL,
    CJPEG_PRECISION,
    CJPEG_COLOR_SPACE,
    CJPEG_SAMPLING,
    CJPEG_ARITHMETIC,
    CJPEG_UNKNOWN_HEIGHT,
    CJPEG_SIDE,
} cjpeg_outcome;

typedef enum {
    CJPEG_GREY = 1,
    CJPEG_COLOR,
    CJPEG_CMYK,
} cjpeg_model;

typedef struct cjpeg_reader cjpeg_reader;

typedef struct {
    uint32_t width;
    uint32_t height;
    cjpeg_model model;
    /* Of CMYK: whether 255 is no ink, as Adobe writes it. */
    uint8_t is_inverted;
    /* Whether all coefficients must be held, in coefficient_bytes, before the first row comes. */
    uint8_t has_multiple_scans;
    size_t coefficient_bytes;
    /* Of the colour profile, 0 for none. */
    uint32_t profile_bytes;
} cjpeg_header;

typedef struct {
    /* How many bytes of the content had been read. */
    size_t byte;
    /* The second byte of the marker whose segment was being read; 0 where that is not known. */
    uint8_t marker;
} cjpeg_fault;

/* NULL where memory is short.
 *
 * `max_memory_bytes`: for the coefficients of an image of several scans. `keeps_going`: whether damage is noted and
 * read over; otherwise the first ends the reading. */
cjpeg_reader *_Nullable cjpeg_open(size_t max_memory_bytes, uint32_t max_scans, int32_t keeps_going);

/* Reads up to the first scan. */
cjpeg_outcome cjpeg_read_header(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                                cjpeg_header *_Nonnull header);

/* Copies the colour profile, whose length the header said. */
void cjpeg_copy_profile(const cjpeg_reader *_Nonnull reader, uint8_t *_Nonnull profile, size_t count);

/* Says how rows are to be, and reads all scans where there are several.
 *
 * `reduction`: 1, 2, 4 or 8. `is_smooth`: whether colours that are coded smaller are interpolated. Rows are RGB with a
 * fourth byte of any value, or CMYK. */
cjpeg_outcome cjpeg_begin(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                          uint32_t reduction, int32_t is_smooth, uint32_t *_Nonnull width, uint32_t *_Nonnull height);

/* Reads the next `row_count` rows, each `row_bytes` after the one before; `done` says how many were written. */
cjpeg_outcome cjpeg_read_rows(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              uint8_t *_Nonnull rows, size_t row_bytes, uint32_t row_count, uint32_t *_Nonnull done);

/* Reads what follows the last row, to the end of the image: CJPEG_MISSING_END where that is all that is missing. */
cjpeg_outcome cjpeg_read_end(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count);

/* The first damage: CJPEG_DONE where there was none. */
cjpeg_outcome cjpeg_damage(const cjpeg_reader *_Nonnull reader, cjpeg_fault *_Nonnull fault);

/* How many bytes of the content were read. */
size_t cjpeg_position(const cjpeg_reader *_Nonnull reader);

void cjpeg_close(cjpeg_reader *_Nonnull reader);

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t is_grey;
    /* 1 to 100. */
    uint8_t quality;
} cjpeg_picture;

/* Writes opaque RGBA pixels, whose rows follow one another, as a JPEG without metadata. `*content` is the caller's, to
 * be given to cjpeg_release, where the outcome is CJPEG_DONE. */
cjpeg_outcome cjpeg_write(const uint8_t *_Nonnull pixels, const cjpeg_picture *_Nonnull picture,
                          uint8_t *_Nullable *_Nonnull content, size_t *_Nonnull count);

void cjpeg_release(uint8_t *_Nonnull content);

#endif
