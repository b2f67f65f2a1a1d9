/* The state of a reader, for the files of this wrapper. */
#ifndef CTIFF_READER_H
#define CTIFF_READER_H

#include "CTIFF.h"

#include <stdbool.h>
#include <tiffio.h>

/* Samples of a pixel that are looked at: its colours, and alpha among the further ones. */
enum { max_used_samples = 255 };

/* How a page's pixels come. */
typedef enum {
    /* Row by row, all samples of a pixel together. */
    by_scanline,
    /* A row of tiles, or a strip of each plane, at a time. */
    by_band,
    /* As the library's own RGBA, a band at a time: for what is rare. */
    by_library,
} way;

struct ctiff_reader {
    TIFF *tiff;
    /* Lent to the call that runs. */
    const uint8_t *content;
    size_t count;
    uint64_t offset;
    bool is_past_end;
    /* Of the reads that the content was too short for, the longest. */
    size_t longest_missed;
    bool has_failed;
    /* Whether a warning is a failure too. */
    bool rejects_warnings;
    bool is_out_of_memory;
    const char *feature;

    /* The page. */
    way way;
    ctiff_layout layout;
    uint32_t width, height;
    uint16_t compression, photometric, format, bits, samples, planes;
    uint32_t band_rows;
    size_t line_bytes;
    /* Which sample is alpha, 0 for none, and whether colours are multiplied by it. */
    uint16_t alpha;
    bool is_premultiplied;
    uint8_t palette[3][256];
    const void *profile;
    /* sRGB of linear light, both of 16 bits; NULL where samples are not linear. */
    uint16_t *curve;

    /* A scanline, a band's scanlines plane by plane, or a band of RGBA. */
    uint8_t *band;
    uint8_t *tile;
    uint32_t row;
    size_t strile_offset;
};

/* Samples.c */

/* Whether the colours are CIELAB, in the coding of TIFF or of ICC profiles. */
static inline bool ctiff_is_lab(const ctiff_reader *reader) {
    return reader->photometric == PHOTOMETRIC_CIELAB || reader->photometric == PHOTOMETRIC_ICCLAB;
}

/* Writes one row. `lines` contains a line of each plane. */
void ctiff_convert(const ctiff_reader *reader, const uint8_t *const *lines, uint8_t *row);

/* Writes one row of the most common pages: bytes, all samples of a pixel together, and no alpha or a straight one.
 * Returns whether the page is of this kind. */
bool ctiff_convert_bytes(const ctiff_reader *reader, const uint8_t *line, uint8_t *row);

/* Writes one row of the library's RGBA, whose colours are multiplied by alpha. */
void ctiff_convert_library(const ctiff_reader *reader, const uint8_t *line, uint8_t *row);

#endif
