#ifndef DECANT_C_JPEG_H
#define DECANT_C_JPEG_H

/*
 * A wrapper around libjpeg-turbo (Debian 12: 2.1.5): one call opens an image, one reads rows, one writes an image.
 *
 * The library calls no function of the caller, and no longjmp leaves a call. The content must be passed to every
 * call. It may have moved between calls, but its bytes must be the same. All functions may be called on any thread,
 * but the calls for one reader must not overlap.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CJPEG_DONE = 0,
    /* The content ends before the image does. */
    CJPEG_TRUNCATED,
    /* The content ends after the last pixel, but before the end of the image. */
    CJPEG_MISSING_END,
    /* The library rejected the content, or warned that pixels are affected: cjpeg_fault contains the offset. */
    CJPEG_CORRUPT,
    /* There are more scans than allowed. */
    CJPEG_SCANS,
    /* The library exceeded its memory limit, or there was no memory. */
    CJPEG_NO_MEMORY,
    /* The format allows these, but the library does not support them. */
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
    /* For CMYK: whether 255 is no ink, as Adobe writes it. */
    uint8_t is_inverted;
    /* Whether all coefficients must be in memory, in coefficient_bytes, before the first row. */
    uint8_t has_multiple_scans;
    size_t coefficient_bytes;
    /* The length of the colour profile, 0 for none. */
    uint32_t profile_bytes;
} cjpeg_header;

typedef struct {
    /* The number of bytes of the content that had been read. */
    size_t byte;
    /* The second byte of the marker of the current segment; 0 if it is not known. */
    uint8_t marker;
} cjpeg_fault;

/* Returns NULL if there is no memory.
 *
 * `max_memory_bytes`: the maximum for the coefficients of an image with several scans. `keeps_going`: whether
 * decoding continues after damage, which is recorded; otherwise the first damage ends it. */
cjpeg_reader *_Nullable cjpeg_open(size_t max_memory_bytes, uint32_t max_scans, int32_t keeps_going);

/* Reads up to the first scan. */
cjpeg_outcome cjpeg_read_header(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                                cjpeg_header *_Nonnull header);

/* Copies the colour profile, whose length is in the header. */
void cjpeg_copy_profile(const cjpeg_reader *_Nonnull reader, uint8_t *_Nonnull profile, size_t count);

/* Sets the form of the rows, and reads all scans if there are several.
 *
 * `reduction`: 1, 2, 4 or 8. `is_smooth`: whether subsampled chroma is interpolated. Rows are RGB with a fourth byte
 * of any value, or CMYK. */
cjpeg_outcome cjpeg_begin(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                          uint32_t reduction, int32_t is_smooth, uint32_t *_Nonnull width, uint32_t *_Nonnull height);

/* Reads the next `row_count` rows, `row_bytes` apart; `done` receives the number of rows that were written. */
cjpeg_outcome cjpeg_read_rows(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              uint8_t *_Nonnull rows, size_t row_bytes, uint32_t row_count, uint32_t *_Nonnull done);

/* Reads the content after the last row up to the end of the image. Returns CJPEG_MISSING_END if only the end is
   missing. */
cjpeg_outcome cjpeg_read_end(cjpeg_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count);

/* Returns the first damage, or CJPEG_DONE if there was none. */
cjpeg_outcome cjpeg_damage(const cjpeg_reader *_Nonnull reader, cjpeg_fault *_Nonnull fault);

/* Returns the number of bytes of the content that were read. */
size_t cjpeg_offset(const cjpeg_reader *_Nonnull reader);

void cjpeg_close(cjpeg_reader *_Nonnull reader);

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t is_grey;
    /* The quality, 1 to 100. */
    uint8_t quality;
} cjpeg_picture;

/* Writes opaque RGBA pixels, in consecutive rows, as a JPEG without metadata. If the outcome is CJPEG_DONE, the
 * caller owns `*content` and must pass it to cjpeg_release. */
cjpeg_outcome cjpeg_write(const uint8_t *_Nonnull pixels, const cjpeg_picture *_Nonnull picture,
                          uint8_t *_Nullable *_Nonnull content, size_t *_Nonnull count);

void cjpeg_release(uint8_t *_Nonnull content);

#endif
