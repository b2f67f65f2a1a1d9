#include "CJPEG.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* stdio.h must precede it, as it must precede jerror.h. */
#include <jpeglib.h>

#include <jerror.h>

struct cjpeg_reader {
    struct jpeg_decompress_struct library;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf failure;
    bool is_created;

    bool keeps_going;
    uint32_t max_scans;

    /* Borrowed for the duration of a call. */
    size_t count;
    size_t offset;
    bool is_at_end;

    cjpeg_outcome damage;
    cjpeg_fault fault;
    /* The reason why a call stopped, other than damage. */
    cjpeg_outcome refusal;
    bool is_after_header;

    JOCTET *profile;
    unsigned int profile_bytes;
};

/* The bytes that are read after the end of the content: the end of an image. */
static const JOCTET end_of_image[] = {0xFF, JPEG_EOI};

/* The maximum number of bytes after a scan's data that are treated as padding. */
static const int max_padding_bytes = 8;

/* MARK: Callbacks of the library */

static cjpeg_reader *get_reader(j_common_ptr library) {
    return library->client_data;
}

static size_t offset(const cjpeg_reader *reader) {
    return reader->is_at_end ? reader->count : reader->count - reader->source.bytes_in_buffer;
}

static void note(cjpeg_reader *reader, cjpeg_outcome damage) {
    if (reader->damage != CJPEG_DONE) return;
    /* An error after the last byte means that the content is truncated. */
    reader->damage = reader->is_at_end ? CJPEG_TRUNCATED : damage;
    reader->fault.byte = offset(reader);
    int marker = reader->library.unread_marker;
    /* In a scan, the marker is the one after it. */
    reader->fault.marker = reader->is_after_header ? 0xDA : (uint8_t)marker;
}

static void do_nothing(j_decompress_ptr library) {
    (void)library;
}

static boolean fill(j_decompress_ptr library) {
    cjpeg_reader *reader = get_reader((j_common_ptr)library);
    reader->is_at_end = true;
    /* In a scan all pixels may be present: the end of the image is supplied, and missing data causes a warning. */
    if (!reader->is_after_header) {
        note(reader, CJPEG_TRUNCATED);
        if (!reader->keeps_going) longjmp(reader->failure, 1);
    }
    reader->source.next_input_byte = end_of_image;
    reader->source.bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void skip(j_decompress_ptr library, long count) {
    cjpeg_reader *reader = get_reader((j_common_ptr)library);
    if (count <= 0) return;
    if ((size_t)count > reader->source.bytes_in_buffer) {
        fill(library);
        return;
    }
    reader->source.next_input_byte += count;
    reader->source.bytes_in_buffer -= (size_t)count;
}

/* Returns the meaning of an error of the library, by its number. */
static cjpeg_outcome classify(const struct jpeg_error_mgr *errors) {
    switch (errors->msg_code) {
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF:
        return CJPEG_TRUNCATED;
    case JERR_SOF_UNSUPPORTED:
        return CJPEG_LOSSLESS_OR_HIERARCHICAL;
    case JERR_BAD_PRECISION:
        /* T.81 has 8 and 12, and up to 16 for lossless coding. */
        return errors->msg_parm.i[0] > 8 && errors->msg_parm.i[0] <= 16 ? CJPEG_PRECISION : CJPEG_CORRUPT;
    case JERR_CONVERSION_NOTIMPL:
    case JERR_COMPONENT_COUNT:
        return CJPEG_COLOR_SPACE;
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
        return CJPEG_SAMPLING;
    case JERR_ARITH_NOTIMPL:
        return CJPEG_ARITHMETIC;
    case JERR_EMPTY_IMAGE:
        return CJPEG_UNKNOWN_HEIGHT;
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return CJPEG_NO_MEMORY;
    case JERR_WIDTH_OVERFLOW:
    case JERR_IMAGE_TOO_BIG:
        return CJPEG_SIDE;
    default:
        return CJPEG_CORRUPT;
    }
}

static void fail(j_common_ptr library) {
    cjpeg_reader *reader = get_reader(library);
    cjpeg_outcome outcome = classify(library->err);
    if (outcome == CJPEG_TRUNCATED || outcome == CJPEG_CORRUPT)
        note(reader, outcome);
    else
        reader->refusal = outcome;
    longjmp(reader->failure, 1);
}

/* Warnings have a negative level; other messages are traces. */
static void take_message(j_common_ptr library, int level) {
    if (level >= 0) return;
    cjpeg_reader *reader = get_reader(library);
    switch (library->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
        break;
    case JWRN_EXTRANEOUS_DATA:
        /* Between two segments it is harmless. After a scan it is data that was not decoded, except for a few bytes:
         * some cameras pad to a whole word. */
        if (!reader->is_after_header || library->err->msg_parm.i[0] <= max_padding_bytes) return;
        break;
    default:
        return;
    }
    note(reader, CJPEG_CORRUPT);
    if (!reader->keeps_going) longjmp(reader->failure, 1);
}

/* Whether all pixels of an image without an end are present: the last scan may be missing without a warning. */
static bool has_all_pixels(const cjpeg_reader *reader) {
    const struct jpeg_decompress_struct *library = &reader->library;
    /* The arithmetic decoder reads zeros after the last byte, without a warning. */
    if (library->arith_code) return false;
    for (int index = 0; index < library->num_components; index++) {
        /* It is stored when the first scan of a component begins. */
        if (library->comp_info[index].quant_table == NULL) return false;
        if (!library->progressive_mode) continue;
        if (library->coef_bits == NULL) return false;
        for (int coefficient = 0; coefficient < DCTSIZE2; coefficient++)
            if (library->coef_bits[index][coefficient] != 0) return false;
    }
    return true;
}

static void ignore(j_common_ptr library) {
    (void)library;
}

static void watch(j_common_ptr library) {
    cjpeg_reader *reader = get_reader(library);
    if ((uint32_t)reader->library.input_scan_number <= reader->max_scans) return;
    reader->refusal = CJPEG_SCANS;
    longjmp(reader->failure, 1);
}

/* MARK: Reading */

cjpeg_reader *cjpeg_open(size_t max_memory_bytes, uint32_t max_scans, int32_t keeps_going) {
    cjpeg_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->keeps_going = keeps_going != 0;
    reader->max_scans = max_scans;
    reader->library.client_data = reader;
    reader->library.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = fail;
    reader->errors.emit_message = take_message;
    reader->errors.output_message = ignore;
    if (setjmp(reader->failure) != 0) {
        cjpeg_close(reader);
        return NULL;
    }
    jpeg_create_decompress(&reader->library);
    reader->is_created = true;
    reader->library.mem->max_memory_to_use = max_memory_bytes < (size_t)1 << 40 ? (long)max_memory_bytes : 1L << 40;

    reader->source.init_source = do_nothing;
    reader->source.fill_input_buffer = fill;
    reader->source.skip_input_data = skip;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = do_nothing;
    reader->library.src = &reader->source;
    reader->progress.progress_monitor = watch;
    reader->library.progress = &reader->progress;
    jpeg_save_markers(&reader->library, JPEG_APP0 + 2, 0xFFFF);
    return reader;
}

void cjpeg_close(cjpeg_reader *reader) {
    if (reader->is_created) jpeg_destroy_decompress(&reader->library);
    free(reader->profile);
    free(reader);
}

size_t cjpeg_offset(const cjpeg_reader *reader) {
    return reader->offset;
}

cjpeg_outcome cjpeg_damage(const cjpeg_reader *reader, cjpeg_fault *fault) {
    *fault = reader->fault;
    return reader->damage;
}

static void borrow(cjpeg_reader *reader, const uint8_t *content, size_t count) {
    reader->count = count;
    if (reader->is_at_end) return;
    if (reader->offset > count) reader->offset = count;
    reader->source.next_input_byte = content + reader->offset;
    reader->source.bytes_in_buffer = count - reader->offset;
}

/* Ends a call: the content is no longer valid after it. */
static cjpeg_outcome result(cjpeg_reader *reader, cjpeg_outcome outcome) {
    reader->offset = offset(reader);
    return outcome;
}

static cjpeg_outcome failure(cjpeg_reader *reader) {
    return result(reader, reader->refusal != CJPEG_DONE ? reader->refusal : reader->damage);
}

static size_t coefficient_bytes(const struct jpeg_decompress_struct *library) {
    size_t bytes = 0;
    for (int index = 0; index < library->num_components; index++) {
        const jpeg_component_info *component = &library->comp_info[index];
        /* As the library rounds them: to whole units of several blocks. */
        size_t across = component->width_in_blocks + (size_t)component->h_samp_factor;
        size_t along = component->height_in_blocks + (size_t)component->v_samp_factor;
        bytes += across * along * sizeof(JBLOCK);
    }
    return bytes;
}

cjpeg_outcome cjpeg_read_header(cjpeg_reader *reader, const uint8_t *content, size_t count, cjpeg_header *header) {
    borrow(reader, content, count);
    if (setjmp(reader->failure) != 0) return failure(reader);
    struct jpeg_decompress_struct *library = &reader->library;
    if (jpeg_read_header(library, FALSE) != JPEG_HEADER_OK) {
        /* The content has tables, but no image. */
        note(reader, CJPEG_CORRUPT);
        return failure(reader);
    }
    header->width = library->image_width;
    header->height = library->image_height;
    switch (library->jpeg_color_space) {
    case JCS_GRAYSCALE:
        header->model = CJPEG_GREY;
        break;
    case JCS_RGB:
    case JCS_YCbCr:
        header->model = CJPEG_COLOR;
        break;
    case JCS_CMYK:
    case JCS_YCCK:
        header->model = CJPEG_CMYK;
        break;
    default:
        reader->refusal = CJPEG_COLOR_SPACE;
        return failure(reader);
    }
    header->is_inverted = library->saw_Adobe_marker != 0;
    header->has_multiple_scans = jpeg_has_multiple_scans(library) != 0;
    header->coefficient_bytes = coefficient_bytes(library);
    if (!jpeg_read_icc_profile(library, &reader->profile, &reader->profile_bytes)) reader->profile_bytes = 0;
    header->profile_bytes = reader->profile_bytes;
    reader->is_after_header = true;
    return result(reader, CJPEG_DONE);
}

void cjpeg_copy_profile(const cjpeg_reader *reader, uint8_t *profile, size_t count) {
    memcpy(profile, reader->profile, count);
}

cjpeg_outcome cjpeg_begin(cjpeg_reader *reader, const uint8_t *content, size_t count, uint32_t reduction,
                          int32_t is_smooth, uint32_t *width, uint32_t *height) {
    borrow(reader, content, count);
    if (setjmp(reader->failure) != 0) return failure(reader);
    struct jpeg_decompress_struct *library = &reader->library;
    bool has_ink = library->jpeg_color_space == JCS_CMYK || library->jpeg_color_space == JCS_YCCK;
    library->out_color_space = has_ink ? JCS_CMYK : JCS_EXT_RGBX;
    library->scale_num = 1;
    library->scale_denom = reduction;
    library->do_fancy_upsampling = is_smooth ? TRUE : FALSE;
    jpeg_start_decompress(library);
    /* All rows are written with this length. */
    if (library->output_components != 4) {
        reader->refusal = CJPEG_COLOR_SPACE;
        return failure(reader);
    }
    *width = library->output_width;
    *height = library->output_height;
    return result(reader, CJPEG_DONE);
}

cjpeg_outcome cjpeg_read_rows(cjpeg_reader *reader, const uint8_t *content, size_t count, uint8_t *rows,
                              size_t row_bytes, uint32_t row_count, uint32_t *done) {
    borrow(reader, content, count);
    *done = 0;
    if (row_bytes < (size_t)reader->library.output_width * 4) {
        reader->refusal = CJPEG_COLOR_SPACE;
        return failure(reader);
    }
    if (setjmp(reader->failure) != 0) return failure(reader);
    JSAMPROW wanted[16];
    while (*done < row_count) {
        uint32_t batch = row_count - *done < 16 ? row_count - *done : 16;
        for (uint32_t index = 0; index < batch; index++)
            wanted[index] = rows + (*done + index) * row_bytes;
        *done += jpeg_read_scanlines(&reader->library, wanted, batch);
    }
    return result(reader, CJPEG_DONE);
}

cjpeg_outcome cjpeg_read_end(cjpeg_reader *reader, const uint8_t *content, size_t count) {
    borrow(reader, content, count);
    if (setjmp(reader->failure) != 0) return failure(reader);
    bool is_whole = has_all_pixels(reader);
    jpeg_finish_decompress(&reader->library);
    if (reader->is_at_end && reader->damage == CJPEG_DONE) {
        if (is_whole) return result(reader, CJPEG_MISSING_END);
        note(reader, CJPEG_TRUNCATED);
    }
    return result(reader, CJPEG_DONE);
}

/* MARK: Writing */

typedef struct {
    struct jpeg_compress_struct library;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf failure;
    uint8_t *content;
    size_t capacity;
} cjpeg_writer;

static void fail_writing(j_common_ptr library) {
    cjpeg_writer *writer = library->client_data;
    longjmp(writer->failure, 1);
}

static void ignore_level(j_common_ptr library, int level) {
    (void)library;
    (void)level;
}

static void grow(cjpeg_writer *writer, size_t used) {
    size_t capacity = writer->capacity == 0 ? 32 << 10 : 2 * writer->capacity;
    uint8_t *content = realloc(writer->content, capacity);
    if (content == NULL) longjmp(writer->failure, 1);
    writer->content = content;
    writer->capacity = capacity;
    writer->destination.next_output_byte = content + used;
    writer->destination.free_in_buffer = capacity - used;
}

static void begin_output(j_compress_ptr library) {
    grow(library->client_data, 0);
}

static boolean empty_buffer(j_compress_ptr library) {
    cjpeg_writer *writer = library->client_data;
    grow(writer, writer->capacity);
    return TRUE;
}

static void end_output(j_compress_ptr library) {
    (void)library;
}

static void write_rows(cjpeg_writer *writer, const uint8_t *pixels, const cjpeg_picture *picture) {
    struct jpeg_compress_struct *library = &writer->library;
    jpeg_create_compress(library);
    library->client_data = writer;
    library->dest = &writer->destination;
    library->image_width = picture->width;
    library->image_height = picture->height;
    library->input_components = 4;
    library->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(library);
    if (picture->is_grey) jpeg_set_colorspace(library, JCS_GRAYSCALE);
    jpeg_set_quality(library, picture->quality, TRUE);
    library->optimize_coding = TRUE;
    jpeg_start_compress(library, TRUE);
    while (library->next_scanline < library->image_height) {
        /* The library does not write to it. */
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)library->next_scanline * picture->width * 4);
        jpeg_write_scanlines(library, &row, 1);
    }
    jpeg_finish_compress(library);
}

cjpeg_outcome cjpeg_write(const uint8_t *pixels, const cjpeg_picture *picture, uint8_t **content, size_t *count) {
    cjpeg_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return CJPEG_NO_MEMORY;
    writer->library.client_data = writer;
    writer->library.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = fail_writing;
    writer->errors.emit_message = ignore_level;
    writer->errors.output_message = ignore;
    writer->destination.init_destination = begin_output;
    writer->destination.empty_output_buffer = empty_buffer;
    writer->destination.term_destination = end_output;
    cjpeg_outcome outcome = CJPEG_DONE;
    if (setjmp(writer->failure) == 0) {
        write_rows(writer, pixels, picture);
        *content = writer->content;
        *count = writer->capacity - writer->destination.free_in_buffer;
    } else {
        free(writer->content);
        outcome = CJPEG_NO_MEMORY;
    }
    jpeg_destroy_compress(&writer->library);
    free(writer);
    return outcome;
}

void cjpeg_release(uint8_t *content) {
    free(content);
}
