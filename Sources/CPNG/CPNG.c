#include "CPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The maximum size of an ancillary chunk in memory: colour profiles are compressed. */
static const size_t max_chunk_bytes = 8 << 20;

/* The number of bytes of compressed data that are read at a time if some is missing. The library discards a piece that
 * is incomplete, so the last bytes before the end of the content are read one by one. */
static const size_t damaged_piece_bytes = 16;

/* The header of each block of the library; it preserves the alignment of malloc. */
typedef union {
    size_t bytes;
    max_align_t alignment;
} block;

struct cpng_reader {
    png_structp png;
    png_infop info;
    size_t max_memory_bytes, memory_bytes;
    bool is_out_of_memory;
    bool is_at_end;
    bool is_damaged;

    /* Borrowed for the duration of a call. */
    const uint8_t *content;
    size_t count;
    size_t offset;

    uint32_t height;
    bool is_interlaced;
    size_t row_bytes;
    png_const_bytep profile;
};

/* MARK: Callbacks of the library */

static png_voidp allocate(png_structp png, png_alloc_size_t bytes) {
    cpng_reader *reader = png_get_mem_ptr(png);
    size_t room = reader->max_memory_bytes - reader->memory_bytes;
    block *memory = room < sizeof(block) || bytes > room - sizeof(block) ? NULL : malloc(sizeof(block) + bytes);
    if (memory == NULL) {
        reader->is_out_of_memory = true;
        return NULL;
    }
    memory->bytes = sizeof(block) + bytes;
    reader->memory_bytes += memory->bytes;
    return memory + 1;
}

static void deallocate(png_structp png, png_voidp memory) {
    if (memory == NULL) return;
    cpng_reader *reader = png_get_mem_ptr(png);
    block *start = (block *)memory - 1;
    reader->memory_bytes -= start->bytes;
    free(start);
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
    cpng_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->offset) {
        reader->is_at_end = true;
        reader->offset = reader->count;
        png_longjmp(png, 1);
    }
    memcpy(bytes, reader->content + reader->offset, count);
    reader->offset += count;
    /* A piece can be preceded by the fields around it: a checksum, a length and a type, of 12 bytes together. */
    if (reader->is_damaged && reader->count - reader->offset < damaged_piece_bytes + 12)
        png_set_compression_buffer_size(png, 1);
}

static void fail(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* MARK: Reading */

cpng_reader *cpng_open(size_t max_memory_bytes) {
    cpng_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->max_memory_bytes = max_memory_bytes;
    reader->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, NULL, fail, ignore, reader, allocate, deallocate);
    if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
    if (reader->info == NULL) {
        cpng_close(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, read_bytes);
    return reader;
}

void cpng_close(cpng_reader *reader) {
    if (reader->png != NULL) png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

size_t cpng_offset(const cpng_reader *reader) {
    return reader->offset;
}

static void borrow(cpng_reader *reader, const uint8_t *content, size_t count) {
    reader->content = content;
    reader->count = count;
    if (reader->offset > count) reader->offset = count;
}

static cpng_outcome failure(const cpng_reader *reader) {
    if (reader->is_at_end) return CPNG_TRUNCATED;
    return reader->is_out_of_memory ? CPNG_NO_MEMORY : CPNG_CORRUPT;
}

/* Only chunks that affect pixels are read; the others are skipped. */
static void choose_chunks(png_structp png) {
    static const png_byte used[] = "tRNS\0sRGB\0iCCP";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, used, 3);
    /* The caller has checked their checksums. A chunk with a wrong one is ignored. */
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
    png_set_chunk_malloc_max(png, max_chunk_bytes);
    /* The caller has limited the pixels. */
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
}

static void choose_rows(cpng_reader *reader, cpng_header *header) {
    png_structp png = reader->png;
    int bits, type, interlace;
    png_get_IHDR(png, reader->info, &header->width, &header->height, &bits, &type, &interlace, NULL, NULL);
    /* The chunk is present, but has no effect, if it precedes a palette of suggested colours. */
    int transparent_count = 0;
    png_get_tRNS(png, reader->info, NULL, &transparent_count, NULL);
    bool has_transparency = transparent_count > 0;

    png_set_expand(png);
    if (bits == 16) {
        uint16_t probe = 1;
        if (*(const uint8_t *)&probe == 1) png_set_swap(png);
    }
    if ((type & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
    header->has_alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || has_transparency;
    if (!header->has_alpha) png_set_add_alpha(png, bits == 16 ? 0xFFFF : 0xFF, PNG_FILLER_AFTER);
    header->bits = bits == 16 ? 16 : 8;
    header->is_grey = (type & PNG_COLOR_MASK_COLOR) == 0;
    header->is_interlaced = png_set_interlace_handling(png) > 1;
    png_read_update_info(png, reader->info);
    /* All rows are written with this length. */
    reader->row_bytes = (size_t)header->width * 4 * (header->bits / 8);
    if (png_get_rowbytes(png, reader->info) != reader->row_bytes) png_error(png, "unexpected length of rows");
}

static void find_profile(cpng_reader *reader, cpng_header *header) {
    png_charp name;
    png_bytep profile;
    png_uint_32 bytes;
    int compression;
    header->says_srgb = png_get_valid(reader->png, reader->info, PNG_INFO_sRGB) != 0;
    header->profile_bytes = 0;
    if (png_get_iCCP(reader->png, reader->info, &name, &compression, &profile, &bytes) != 0) {
        reader->profile = profile;
        header->profile_bytes = bytes;
    }
}

cpng_outcome cpng_read_header(cpng_reader *reader, const uint8_t *content, size_t count, int32_t is_damaged,
                              cpng_header *header) {
    borrow(reader, content, count);
    if (setjmp(png_jmpbuf(reader->png)) != 0) return failure(reader);
    choose_chunks(reader->png);
    reader->is_damaged = is_damaged != 0;
    if (is_damaged) png_set_compression_buffer_size(reader->png, damaged_piece_bytes);
    png_read_info(reader->png, reader->info);
    choose_rows(reader, header);
    find_profile(reader, header);
    reader->height = header->height;
    reader->is_interlaced = header->is_interlaced;
    return CPNG_DONE;
}

void cpng_copy_profile(const cpng_reader *reader, uint8_t *profile, size_t count) {
    memcpy(profile, reader->profile, count);
}

/* Whether all rows were written. The library then reads the end of the image data, in the same call as the last row. */
static bool has_all_rows(const cpng_reader *reader) {
    if (reader->is_interlaced) return png_get_current_pass_number(reader->png) >= 7;
    return png_get_current_row_number(reader->png) >= reader->height;
}

cpng_outcome cpng_read_rows(cpng_reader *reader, const uint8_t *content, size_t count, uint8_t *rows, size_t row_bytes,
                            uint32_t row_count, uint32_t *done) {
    borrow(reader, content, count);
    *done = 0;
    if (row_bytes < reader->row_bytes) return CPNG_CORRUPT;
    if (setjmp(png_jmpbuf(reader->png)) != 0) {
        /* If only the checksums are missing, cpng_read_end reports it. */
        if (!reader->is_at_end || !has_all_rows(reader)) return failure(reader);
        *done = row_count;
        return CPNG_DONE;
    }
    if (reader->is_interlaced) {
        for (int pass = 0; pass < 7; pass++)
            for (uint32_t y = 0; y < row_count; y++) {
                png_read_row(reader->png, rows + y * row_bytes, NULL);
                /* Every row contains pixels after the first pass. */
                if (pass == 0) *done = y + 1;
            }
        return CPNG_DONE;
    }
    for (uint32_t y = 0; y < row_count; y++) {
        png_read_row(reader->png, rows + y * row_bytes, NULL);
        *done = y + 1;
    }
    return CPNG_DONE;
}

cpng_outcome cpng_read_end(cpng_reader *reader, const uint8_t *content, size_t count) {
    borrow(reader, content, count);
    if (setjmp(png_jmpbuf(reader->png)) != 0) return failure(reader);
    png_read_end(reader->png, NULL);
    return CPNG_DONE;
}

/* MARK: Writing */

typedef struct {
    uint8_t *content;
    size_t count, capacity;
    uint8_t *row;
} output;

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    output *out = png_get_io_ptr(png);
    if (count > out->capacity - out->count) {
        size_t capacity = 2 * (out->count + count);
        uint8_t *content = realloc(out->content, capacity);
        if (content == NULL) png_longjmp(png, 1);
        out->content = content;
        out->capacity = capacity;
    }
    memcpy(out->content + out->count, bytes, count);
    out->count += count;
}

static void flush(png_structp png) {
    (void)png;
}

static void write_rows(png_structp png, png_infop info, output *out, const uint8_t *pixels,
                       const cpng_picture *picture) {
    static const int types[] = {[1] = PNG_COLOR_TYPE_GRAY, [3] = PNG_COLOR_TYPE_RGB, [4] = PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(png, out, write_bytes, flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, picture->width, picture->height, 8, types[picture->channels], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, picture->level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
    png_write_info(png, info);
    for (uint32_t y = 0; y < picture->height; y++) {
        const uint8_t *row = pixels + (size_t)y * picture->width * 4;
        if (picture->channels == 4) {
            png_write_row(png, row);
            continue;
        }
        for (uint32_t x = 0; x < picture->width; x++)
            memcpy(out->row + (size_t)x * picture->channels, row + (size_t)x * 4, picture->channels);
        png_write_row(png, out->row);
    }
    png_write_end(png, NULL);
}

cpng_outcome cpng_write(const uint8_t *pixels, const cpng_picture *picture, uint8_t **content, size_t *count) {
    /* Allocated, because a longjmp could restore variables in registers. */
    output *out = calloc(1, sizeof *out);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, ignore);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (out != NULL && info != NULL && (out->row = malloc((size_t)picture->width * picture->channels)) != NULL) {
        if (setjmp(png_jmpbuf(png)) == 0) {
            write_rows(png, info, out, pixels, picture);
            *content = out->content;
            *count = out->count;
            free(out->row);
            free(out);
            png_destroy_write_struct(&png, &info);
            return CPNG_DONE;
        }
    }
    if (png != NULL) png_destroy_write_struct(&png, &info);
    if (out != NULL) {
        free(out->row);
        free(out->content);
    }
    free(out);
    return CPNG_NO_MEMORY;
}

void cpng_release(uint8_t *content) {
    free(content);
}
