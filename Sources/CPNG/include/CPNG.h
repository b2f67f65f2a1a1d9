#ifndef DECANT_C_PNG_H
#define DECANT_C_PNG_H

/*
 * A wrapper around libpng (Debian 12: 1.6.39): one call opens an image, one reads rows, one writes an image.
 *
 * The library calls no function of the caller, and no longjmp leaves a call. The content must be passed to every
 * call. It may have moved between calls, but its bytes must be the same. All functions may be called on any thread,
 * but the calls for one reader must not overlap.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CPNG_DONE = 0,
    /* The library requested bytes after the end of the content. */
    CPNG_TRUNCATED,
    /* The library rejected the content; cpng_offset returns the number of bytes that were read. */
    CPNG_CORRUPT,
    /* The library exceeded its memory limit, or there was no memory. */
    CPNG_NO_MEMORY,
} cpng_outcome;

typedef struct cpng_reader cpng_reader;

/* The form of the rows, which always have four channels: red, green, blue, alpha. */
typedef struct {
    uint32_t width;
    uint32_t height;
    /* The number of bits per channel in the rows, 8 or 16; 16 in the machine's byte order. */
    uint8_t bits;
    /* Whether any pixel may be transparent; otherwise the fourth channel is always at its maximum. */
    uint8_t has_alpha;
    uint8_t is_grey;
    uint8_t is_interlaced;
    uint8_t says_srgb;
    /* The length of the colour profile, 0 for none. */
    uint32_t profile_bytes;
} cpng_header;

/* Returns NULL if there is no memory. `max_memory_bytes`: the maximum memory of the library at any time. */
cpng_reader *_Nullable cpng_open(size_t max_memory_bytes);

/* Reads up to the image data. The checksums of the image data are checked, but not those of other chunks.
 * `is_damaged`: whether the content is known to be damaged; the library then receives small pieces, so that it reads
 * up to the damage. */
cpng_outcome cpng_read_header(cpng_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              int32_t is_damaged, cpng_header *_Nonnull header);

/* Copies the colour profile, whose length is in the header. */
void cpng_copy_profile(const cpng_reader *_Nonnull reader, uint8_t *_Nonnull profile, size_t count);

/* Reads the next `row_count` rows, `row_bytes` apart; `done` receives the number of rows that were written. The rows
 * of an interlaced image must be read in one call, into cleared memory. */
cpng_outcome cpng_read_rows(cpng_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                            uint8_t *_Nonnull rows, size_t row_bytes, uint32_t row_count, uint32_t *_Nonnull done);

/* Reads the content after the last row up to the end of the image. */
cpng_outcome cpng_read_end(cpng_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count);

/* Returns the number of bytes of the content that were read. */
size_t cpng_offset(const cpng_reader *_Nonnull reader);

void cpng_close(cpng_reader *_Nonnull reader);

typedef struct {
    uint32_t width;
    uint32_t height;
    /* The format that is written: 1 grey, 3 RGB, 4 RGBA. The pixels are always RGBA. */
    uint8_t channels;
    /* The zlib level, 0 to 9. */
    uint8_t level;
} cpng_picture;

/* Writes pixels of 8 bits per channel, in consecutive rows, as a PNG without metadata. If the outcome is CPNG_DONE,
 * the caller owns `*content` and must pass it to cpng_release. */
cpng_outcome cpng_write(const uint8_t *_Nonnull pixels, const cpng_picture *_Nonnull picture,
                        uint8_t *_Nullable *_Nonnull content, size_t *_Nonnull count);

void cpng_release(uint8_t *_Nonnull content);

#endif
