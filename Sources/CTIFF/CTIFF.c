#include "Reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MARK: Callbacks of the library */

static tmsize_t read_bytes(thandle_t handle, void *bytes, tmsize_t wanted) {
    ctiff_reader *reader = handle;
    if (wanted <= 0) return 0;
    size_t left = reader->offset < reader->count ? reader->count - (size_t)reader->offset : 0;
    size_t given = (size_t)wanted < left ? (size_t)wanted : left;
    if (given < (size_t)wanted) {
        reader->is_past_end = true;
        if ((size_t)wanted > reader->longest_missed) reader->longest_missed = (size_t)wanted;
    }
    if (given > 0) memcpy(bytes, reader->content + reader->offset, given);
    reader->offset += given;
    return (tmsize_t)given;
}

static tmsize_t write_bytes(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle;
    (void)bytes;
    (void)count;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int from) {
    ctiff_reader *reader = handle;
    if (from == SEEK_CUR) offset += reader->offset;
    if (from == SEEK_END) offset += reader->count;
    if (offset > reader->count) reader->is_past_end = true;
    reader->offset = offset;
    return offset;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t file_size(thandle_t handle) {
    return ((ctiff_reader *)handle)->count;
}

static int fail(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    (void)format;
    (void)arguments;
    ((ctiff_reader *)data)->has_failed = true;
    return 1;
}

static int warn(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    (void)format;
    (void)arguments;
    ctiff_reader *reader = data;
    if (reader->rejects_warnings) reader->has_failed = true;
    return 1;
}

static void borrow(ctiff_reader *reader, const uint8_t *content, size_t count) {
    reader->content = content;
    reader->count = count;
    reader->is_past_end = false;
    reader->longest_missed = 0;
    reader->has_failed = false;
    reader->rejects_warnings = false;
}

static ctiff_outcome failure(const ctiff_reader *reader) {
    if (reader->is_out_of_memory) return CTIFF_NO_MEMORY;
    return reader->is_past_end ? CTIFF_TRUNCATED : CTIFF_CORRUPT;
}

/* MARK: A page */

static ctiff_outcome unsupported(ctiff_reader *reader, const char *feature) {
    reader->feature = feature;
    return CTIFF_UNSUPPORTED;
}

static bool multiply(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product) && *product <= SIZE_MAX / 4;
}

/* Reads the colours of a palette. Their 16 bits are reduced, unless all were written as 8 bits. */
static bool read_palette(ctiff_reader *reader) {
    uint16_t *channels[3];
    if (!TIFFGetField(reader->tiff, TIFFTAG_COLORMAP, &channels[0], &channels[1], &channels[2])) return false;
    size_t count = (size_t)1 << reader->bits;
    bool is_wide = false;
    for (size_t index = 0; index < count; index++) {
        for (int channel = 0; channel < 3; channel++)
            is_wide = is_wide || channels[channel][index] > 255;
    }
    memset(reader->palette, 0, sizeof reader->palette);
    for (size_t index = 0; index < count; index++) {
        for (int channel = 0; channel < 3; channel++) {
            uint16_t value = channels[channel][index];
            reader->palette[channel][index] = (uint8_t)(is_wide ? value >> 8 : value);
        }
    }
    return true;
}

static void read_alpha(ctiff_reader *reader, uint16_t colors) {
    uint16_t count = 0;
    uint16_t *types = NULL;
    reader->alpha = 0;
    if (!TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_EXTRASAMPLES, &count, &types)) return;
    for (uint16_t index = 0; index < count && colors + index < reader->samples && colors + index < max_used_samples;
         index++) {
        if (types[index] != EXTRASAMPLE_ASSOCALPHA && types[index] != EXTRASAMPLE_UNASSALPHA) continue;
        reader->alpha = colors + index;
        reader->is_premultiplied = types[index] == EXTRASAMPLE_ASSOCALPHA;
        return;
    }
}

/* Whether pixels are unpacked here, rather than by the library's RGBA interface. */
static bool is_plain(const ctiff_reader *reader, uint16_t compression) {
    if (compression == COMPRESSION_OJPEG) return false;
    switch (reader->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
        return true;
    case PHOTOMETRIC_RGB:
        return reader->samples >= 3;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
        return reader->samples >= 3 && (reader->bits == 8 || reader->bits == 16);
    case PHOTOMETRIC_PALETTE:
        return reader->bits <= 8;
    case PHOTOMETRIC_SEPARATED:
        return reader->samples >= 4;
    case PHOTOMETRIC_YCBCR:
        return compression == COMPRESSION_JPEG && reader->planes == 1 && reader->samples == 3;
    default:
        return false;
    }
}

static ctiff_outcome plan_bands(ctiff_reader *reader, bool is_tiled, size_t *bytes) {
    uint32_t rows = 0;
    TIFFGetFieldDefaulted(reader->tiff, is_tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
    if (rows == 0) return CTIFF_CORRUPT;
    reader->band_rows = rows < reader->height ? rows : reader->height;
    size_t tile_bytes = 0;
    if (is_tiled) {
        uint32_t tile_width = 0;
        TIFFGetField(reader->tiff, TIFFTAG_TILEWIDTH, &tile_width);
        tmsize_t size = TIFFTileSize(reader->tiff);
        if (tile_width == 0 || size <= 0) return CTIFF_CORRUPT;
        tile_bytes = (size_t)size;
        /* Tiles that extend beyond the edge need memory, too. */
        size_t across = (reader->width - 1) / tile_width + 1;
        tmsize_t row = TIFFTileRowSize(reader->tiff);
        if (row <= 0 || !multiply(across, (size_t)row, &reader->line_bytes)) return CTIFF_CORRUPT;
        if (rows > reader->band_rows) reader->band_rows = rows;
    } else {
        tmsize_t size = TIFFScanlineSize(reader->tiff);
        if (size <= 0) return CTIFF_CORRUPT;
        reader->line_bytes = (size_t)size;
    }
    if (!multiply(reader->line_bytes, reader->band_rows, bytes) || !multiply(*bytes, reader->planes, bytes)) {
        return CTIFF_CORRUPT;
    }
    *bytes += tile_bytes;
    return CTIFF_DONE;
}

static ctiff_outcome plan(ctiff_reader *reader, bool is_tiled, size_t *bytes) {
    if (reader->way == by_library) {
        uint32_t rows = 0;
        TIFFGetFieldDefaulted(reader->tiff, is_tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
        if (rows == 0) return CTIFF_CORRUPT;
        reader->band_rows = rows < reader->height ? rows : reader->height;
        reader->line_bytes = (size_t)reader->width * 4;
        if (!multiply(reader->line_bytes, reader->band_rows, bytes)) return CTIFF_CORRUPT;
        tmsize_t unit = is_tiled ? TIFFTileSize(reader->tiff) : TIFFStripSize(reader->tiff);
        if (unit <= 0) return CTIFF_CORRUPT;
        /* The library buffers the decoded data of each plane. */
        size_t held;
        if (!multiply((size_t)unit, reader->planes, &held)) return CTIFF_CORRUPT;
        *bytes += held;
        return CTIFF_DONE;
    }
    if (is_tiled || reader->planes > 1) {
        reader->way = by_band;
        return plan_bands(reader, is_tiled, bytes);
    }
    reader->way = by_scanline;
    tmsize_t size = TIFFScanlineSize(reader->tiff);
    if (size <= 0) return CTIFF_CORRUPT;
    reader->line_bytes = (size_t)size;
    *bytes = reader->line_bytes;
    return CTIFF_DONE;
}

/* Whether a line of samples is as long as the pixels require. */
static bool has_room(const ctiff_reader *reader) {
    size_t samples = reader->planes > 1 ? 1 : reader->samples, bits;
    if (!multiply(reader->width, samples, &bits) || !multiply(bits, reader->bits, &bits)) return false;
    return reader->line_bytes >= (bits + 7) / 8;
}

/* Whether `sample` supports the size of the samples. */
static bool has_readable_samples(const ctiff_reader *reader) {
    const uint16_t bits = reader->bits;
    switch (reader->format) {
    case SAMPLEFORMAT_INT:
        return bits == 8 || bits == 16 || bits == 24 || bits == 32 || bits == 64;
    case SAMPLEFORMAT_IEEEFP:
        return bits == 16 || bits == 32 || bits == 64;
    default:
        return (bits >= 1 && bits <= 16) || bits == 24 || bits == 32 || bits == 64;
    }
}

/* Whether only unsigned samples are supported, not signed or floating-point ones. */
static bool needs_unsigned(const ctiff_reader *reader) {
    return reader->way == by_library || reader->photometric == PHOTOMETRIC_PALETTE ||
           reader->photometric == PHOTOMETRIC_YCBCR || ctiff_is_lab(reader);
}

/* Creates the curve for linear light: floating-point samples without a profile, and the result of Lab. */
static bool make_curve(ctiff_reader *reader) {
    enum { count = 65536 };
    reader->curve = malloc(count * sizeof *reader->curve);
    if (reader->curve == NULL) return false;
    for (int index = 0; index < count; index++) {
        /* IEC 61966-2-1. */
        double light = index / 65535.0;
        double value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
        reader->curve[index] = (uint16_t)(value * 65535 + 0.5);
    }
    return true;
}

static ctiff_outcome begin_page(ctiff_reader *reader, ctiff_page *page) {
    TIFF *tiff = reader->tiff;
    uint16_t planar = PLANARCONFIG_CONTIG;
    reader->row = 0;
    reader->is_premultiplied = false;
    reader->strile_offset = 0;
    free(reader->band);
    free(reader->tile);
    free(reader->curve);
    reader->band = NULL;
    reader->tile = NULL;
    reader->curve = NULL;
    reader->compression = COMPRESSION_NONE;
    reader->format = SAMPLEFORMAT_UINT;
    *page = (ctiff_page){0};
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &reader->width)) return CTIFF_CORRUPT;
    if (!TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &reader->height)) return CTIFF_CORRUPT;
    if (reader->width == 0 || reader->height == 0) return CTIFF_CORRUPT;
    page->width = reader->width;
    page->height = reader->height;
    page->has_next = TIFFLastDirectory(tiff) == 0;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &reader->compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &reader->format);
    if (reader->format == SAMPLEFORMAT_VOID) reader->format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &reader->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &reader->samples);
    if (reader->samples == 0) return CTIFF_CORRUPT;
    /* The tag is often missing: three samples are then colours, and faxes are black on white. */
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &reader->photometric)) {
        bool is_fax = reader->compression >= COMPRESSION_CCITTRLE && reader->compression <= COMPRESSION_CCITTFAX4;
        reader->photometric = reader->samples >= 3 ? PHOTOMETRIC_RGB
                              : is_fax             ? PHOTOMETRIC_MINISWHITE
                                                   : PHOTOMETRIC_MINISBLACK;
    }
    reader->planes = planar == PLANARCONFIG_SEPARATE && reader->samples > 1 ? reader->samples : 1;

    if (!TIFFIsCODECConfigured(reader->compression)) return unsupported(reader, "this compression of TIFF");
    bool is_log = reader->photometric == PHOTOMETRIC_LOGL || reader->photometric == PHOTOMETRIC_LOGLUV;
    reader->way = is_plain(reader, reader->compression) ? by_scanline : by_library;
    if (!is_log && reader->format != SAMPLEFORMAT_UINT) {
        bool is_number = reader->format == SAMPLEFORMAT_INT || reader->format == SAMPLEFORMAT_IEEEFP;
        if (!is_number) return unsupported(reader, "complex samples");
        if (needs_unsigned(reader)) return unsupported(reader, "signed or floating-point samples in this colour space");
    }
    if (reader->way != by_library && !has_readable_samples(reader)) {
        return unsupported(reader, "samples with this number of bits");
    }
    if (reader->photometric == PHOTOMETRIC_YCBCR && reader->compression == COMPRESSION_JPEG &&
        reader->way != by_library) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    if (reader->photometric == PHOTOMETRIC_PALETTE && reader->way != by_library && !read_palette(reader)) {
        return CTIFF_CORRUPT;
    }
    if (reader->way == by_library) {
        char message[1024];
        reader->has_failed = false;
        if (!TIFFRGBAImageOK(tiff, message)) return unsupported(reader, "this kind of TIFF");
        reader->layout = reader->samples > 3 ? CTIFF_RGBA8 : CTIFF_RGBX8;
    } else {
        uint16_t ink = INKSET_CMYK;
        bool is_cmyk = reader->photometric == PHOTOMETRIC_SEPARATED;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &ink);
        if (is_cmyk && ink != INKSET_CMYK) return unsupported(reader, "inks other than CMYK");
        bool is_single = reader->photometric <= PHOTOMETRIC_MINISBLACK || reader->photometric == PHOTOMETRIC_PALETTE;
        read_alpha(reader, is_cmyk ? 4 : is_single ? 1 : 3);
        page->is_grey = reader->photometric <= PHOTOMETRIC_MINISBLACK;
        bool is_wide = reader->bits > 8 || ctiff_is_lab(reader);
        reader->layout = is_cmyk ? CTIFF_CMYK8 : is_wide ? CTIFF_RGBA16 : reader->alpha ? CTIFF_RGBA8 : CTIFF_RGBX8;
    }
    page->layout = reader->layout;

    size_t bytes = 0;
    ctiff_outcome outcome = plan(reader, TIFFIsTiled(tiff) != 0, &bytes);
    if (outcome != CTIFF_DONE) return outcome;
    if (reader->way != by_library && !has_room(reader)) return CTIFF_CORRUPT;
    page->memory_bytes = bytes;
    page->is_truncated = reader->longest_missed > (TIFFIsBigTIFF(tiff) ? sizeof(uint64_t) : sizeof(uint32_t));

    uint32_t count = 0;
    void *profile = NULL;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &count, &profile) && count > 0) {
        reader->profile = profile;
        page->profile_bytes = count;
    }
    /* What is made of Lab here is sRGB, so its profile has no use. */
    if (ctiff_is_lab(reader)) page->profile_bytes = 0;
    bool is_light = reader->format == SAMPLEFORMAT_IEEEFP || ctiff_is_lab(reader);
    if (is_light && reader->way != by_library && page->profile_bytes == 0 && reader->layout != CTIFF_CMYK8 &&
        !make_curve(reader))
        return CTIFF_NO_MEMORY;
    return CTIFF_DONE;
}

ctiff_outcome ctiff_open(const uint8_t *content, size_t count, size_t max_memory_bytes, ctiff_reader **opened,
                         ctiff_page *page) {
    *opened = NULL;
    ctiff_reader *reader = calloc(1, sizeof *reader);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (reader == NULL || options == NULL) {
        free(reader);
        if (options != NULL) TIFFOpenOptionsFree(options);
        return CTIFF_NO_MEMORY;
    }
    reader->feature = "";
    borrow(reader, content, count);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)max_memory_bytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options, fail, reader);
    TIFFOpenOptionsSetWarningHandlerExtR(options, warn, reader);
    /* No memory map, because the content may move between calls. No strip chopping; offsets are only read when
       needed. */
    reader->tiff = TIFFClientOpenExt("", "rmcDO", reader, read_bytes, write_bytes, seek, close_file, file_size, NULL,
                                     NULL, options);
    TIFFOpenOptionsFree(options);
    ctiff_outcome outcome = reader->tiff == NULL ? failure(reader) : begin_page(reader, page);
    if (outcome == CTIFF_CORRUPT) outcome = failure(reader);
    if (outcome == CTIFF_DONE || outcome == CTIFF_UNSUPPORTED) {
        *opened = reader;
    } else {
        ctiff_close(reader);
    }
    return outcome;
}

ctiff_outcome ctiff_next_page(ctiff_reader *reader, const uint8_t *content, size_t count, ctiff_page *page) {
    borrow(reader, content, count);
    if (TIFFLastDirectory(reader->tiff)) return CTIFF_END;
    if (!TIFFReadDirectory(reader->tiff)) return failure(reader);
    ctiff_outcome outcome = begin_page(reader, page);
    return outcome == CTIFF_CORRUPT ? failure(reader) : outcome;
}

void ctiff_copy_profile(const ctiff_reader *reader, uint8_t *profile, size_t count) {
    memcpy(profile, reader->profile, count);
}

size_t ctiff_offset(const ctiff_reader *reader) {
    return reader->strile_offset;
}

uint64_t ctiff_directory_offset(const ctiff_reader *reader) {
    return TIFFCurrentDirOffset(reader->tiff);
}

const char *ctiff_feature(const ctiff_reader *reader) {
    return reader->feature;
}

void ctiff_close(ctiff_reader *reader) {
    if (reader->tiff != NULL) TIFFClose(reader->tiff);
    free(reader->band);
    free(reader->tile);
    free(reader->curve);
    free(reader);
}

/* MARK: Rows */

static bool read_strip_band(ctiff_reader *reader, uint16_t plane, uint8_t *lines, size_t bytes) {
    uint32_t strip = TIFFComputeStrip(reader->tiff, reader->row, plane);
    reader->strile_offset = (size_t)TIFFGetStrileOffset(reader->tiff, strip);
    uint32_t left = reader->height - reader->row;
    size_t rows = left < reader->band_rows ? left : reader->band_rows;
    size_t wanted = rows * reader->line_bytes;
    return wanted <= bytes && TIFFReadEncodedStrip(reader->tiff, strip, lines, (tmsize_t)wanted) == (tmsize_t)wanted;
}

static bool read_tile_band(ctiff_reader *reader, uint16_t plane, uint8_t *lines) {
    uint32_t tile_width = 0, tile_rows = 0;
    TIFFGetField(reader->tiff, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(reader->tiff, TIFFTAG_TILELENGTH, &tile_rows);
    size_t size = (size_t)TIFFTileSize(reader->tiff), row_bytes = (size_t)TIFFTileRowSize(reader->tiff);
    if (tile_width == 0 || size < tile_rows * row_bytes || tile_rows > reader->band_rows) return false;
    size_t across = (reader->width - 1) / tile_width + 1;
    if (across * row_bytes > reader->line_bytes) return false;
    for (size_t column = 0; column < across; column++) {
        uint32_t tile = TIFFComputeTile(reader->tiff, (uint32_t)(column * tile_width), reader->row, 0, plane);
        reader->strile_offset = (size_t)TIFFGetStrileOffset(reader->tiff, tile);
        if (TIFFReadEncodedTile(reader->tiff, tile, reader->tile, (tmsize_t)size) != (tmsize_t)size) return false;
        for (size_t line = 0; line < tile_rows; line++) {
            memcpy(lines + line * reader->line_bytes + column * row_bytes, reader->tile + line * row_bytes, row_bytes);
        }
    }
    return true;
}

static bool read_library_band(ctiff_reader *reader) {
    char message[1024];
    TIFFRGBAImage image;
    uint32_t left = reader->height - reader->row;
    uint32_t rows = left < reader->band_rows ? left : reader->band_rows;
    if (!TIFFIsTiled(reader->tiff)) {
        uint32_t strip = TIFFComputeStrip(reader->tiff, reader->row, 0);
        reader->strile_offset = (size_t)TIFFGetStrileOffset(reader->tiff, strip);
    }
    if (!TIFFRGBAImageBegin(&image, reader->tiff, 1, message)) return false;
    /* Rows in stored order: the caller rotates the picture. */
    image.req_orientation = image.orientation;
    image.row_offset = (int)reader->row;
    image.col_offset = 0;
    int done = TIFFRGBAImageGet(&image, (uint32_t *)(void *)reader->band, reader->width, rows);
    TIFFRGBAImageEnd(&image);
    return done != 0;
}

static bool read_band(ctiff_reader *reader) {
    if (reader->way == by_library) return read_library_band(reader);
    size_t plane_bytes = reader->line_bytes * reader->band_rows;
    bool is_tiled = TIFFIsTiled(reader->tiff) != 0;
    for (uint16_t plane = 0; plane < reader->planes; plane++) {
        uint8_t *lines = reader->band + plane_bytes * plane;
        bool is_read =
            is_tiled ? read_tile_band(reader, plane, lines) : read_strip_band(reader, plane, lines, plane_bytes);
        if (!is_read) return false;
    }
    return true;
}

static bool read_scanline(ctiff_reader *reader) {
    uint32_t strip = TIFFComputeStrip(reader->tiff, reader->row, 0);
    reader->strile_offset = (size_t)TIFFGetStrileOffset(reader->tiff, strip);
    return TIFFReadScanline(reader->tiff, reader->band, reader->row, 0) == 1;
}

/* Allocates zeroed memory for a band, so that data that the library does not write reveals nothing. */
static bool make_room(ctiff_reader *reader) {
    size_t planes = reader->way == by_band ? reader->planes : 1;
    size_t rows = reader->way == by_scanline ? 1 : reader->band_rows;
    reader->band = calloc(rows * planes, reader->line_bytes);
    if (reader->way == by_band && TIFFIsTiled(reader->tiff)) {
        reader->tile = calloc(1, (size_t)TIFFTileSize(reader->tiff));
        if (reader->tile == NULL) reader->is_out_of_memory = true;
    }
    if (reader->band == NULL) reader->is_out_of_memory = true;
    return !reader->is_out_of_memory;
}

/* Whether the library only warns of data that it cannot decode, and goes on with wrong pixels: runs that leave their
 * row, in the codings of runs. */
static bool only_warns(uint16_t compression) {
    bool is_fax = compression >= COMPRESSION_CCITTRLE && compression <= COMPRESSION_CCITTFAX4;
    return is_fax || compression == COMPRESSION_CCITTRLEW || compression == COMPRESSION_PACKBITS;
}

ctiff_outcome ctiff_read_rows(ctiff_reader *reader, const uint8_t *content, size_t count, uint8_t *rows,
                              uint32_t row_count, uint32_t *done) {
    borrow(reader, content, count);
    reader->rejects_warnings = only_warns(reader->compression);
    *done = 0;
    if (reader->band == NULL && !make_room(reader)) return CTIFF_NO_MEMORY;
    const uint8_t *lines[max_used_samples];
    size_t row_bytes = (size_t)reader->width * (reader->layout == CTIFF_RGBA16 ? 8 : 4);
    for (; *done < row_count && reader->row < reader->height; (*done)++, reader->row++) {
        size_t line = 0;
        if (reader->way == by_scanline) {
            if (!read_scanline(reader) || reader->has_failed) return failure(reader);
        } else {
            line = reader->row % reader->band_rows;
            if (line == 0 && (!read_band(reader) || reader->has_failed)) return failure(reader);
        }
        const uint8_t *start = reader->band + line * reader->line_bytes;
        if (reader->way == by_library) {
            ctiff_convert_library(reader, start, rows + *done * row_bytes);
            continue;
        }
        if (ctiff_convert_bytes(reader, start, rows + *done * row_bytes)) continue;
        for (uint16_t plane = 0; plane < reader->planes && plane < max_used_samples; plane++) {
            lines[plane] = start + reader->line_bytes * reader->band_rows * plane;
        }
        ctiff_convert(reader, lines, rows + *done * row_bytes);
    }
    return CTIFF_DONE;
}
