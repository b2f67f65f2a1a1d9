#ifndef DECANT_C_PNG_H
#define DECANT_C_PNG_H

/*
 * A narrow border to libpng (Debian 12: 1.6.39): one call opens an image, one reads rows, one writes an image.
 *
 * No function of the caller's runs while the library does, and no longjmp leaves a call. The content is lent anew to
 * every call and may have moved in between, as long as its bytes are the same. All functions may be called on any
 * thread, a reader's one after another.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CPNG_DONE = 0,
    /* The library asked for bytes after the content's last. */
    CPNG_TRUNCATED,
    /* The library refused what it read; cpng_position says how far that was. */
    CPNG_CORRUPT,
    /* It asked for more memory than it may have, or there was none. */
    CPNG_NO_MEMORY,
} cpng_outcome;

typedef struct cpng_reader cpng_reader;

/* What the rows will be. Always four channels: red, green, blue, alpha. */
typedef struct {
    uint32_t width;
    uint32_t height;
    /* Of a channel in the rows, 8 or 16; 16 in the machine's byte order. */
    uint8_t bits;
    /* Whether any pixel may be transparent; otherwise the fourth channel is at its largest throughout. */
    uint8_t has_alpha;
    uint8_t is_grey;
    uint8_t is_interlaced;
    uint8_t says_srgb;
    /* Of the colour profile, 0 for none. */
    uint32_t profile_bytes;
} cpng_header;

/* NULL where memory is short. `max_memory_bytes`: what the library may hold at one time. */
cpng_reader *_Nullable cpng_open(size_t max_memory_bytes);

/* Reads up to the image data. Its checksums are checked, those of other chunks are not. `is_damaged`: whether the
 * content is known to be; the library is then given small pieces, so that it gets to the damage. */
cpng_outcome cpng_read_header(cpng_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                              int32_t is_damaged, cpng_header *_Nonnull header);

/* Copies the colour profile, whose length the header said. */
void cpng_copy_profile(const cpng_reader *_Nonnull reader, uint8_t *_Nonnull profile, size_t count);

/* Reads the next `row_count` rows, each `row_bytes` after the one before; `done` says how many were written. Of an
 * interlaced image only all rows at once, into memory that was cleared. */
cpng_outcome cpng_read_rows(cpng_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count,
                            uint8_t *_Nonnull rows, size_t row_bytes, uint32_t row_count, uint32_t *_Nonnull done);

/* Reads what follows the last row, to the end of the image. */
cpng_outcome cpng_read_end(cpng_reader *_Nonnull reader, const uint8_t *_Nonnull content, size_t count);

/* How many bytes of the content were read. */
size_t cpng_position(const cpng_reader *_Nonnull reader);

void cpng_close(cpng_reader *_Nonnull reader);

/* The CRC-32 of a chunk's type and data. */
uint32_t cpng_checksum(const uint8_t *_Nonnull bytes, size_t count);

typedef struct {
    uint32_t width;
    uint32_t height;
    /* 1 grey, 3 RGB, 4 RGBA: what is written. The pixels are RGBA. */
    uint8_t channels;
    /* zlib's, 0 to 9. */
    uint8_t level;
} cpng_picture;

/* Writes pixels of 8 bits a channel, whose rows follow one another, as a PNG without metadata. `*content` is the
 * caller's, to be given to cpng_release, where the outcome is CPNG_DONE. */
cpng_outcome cpng_write(const uint8_t *_Nonnull pixels, const cpng_picture *_Nonnull picture,
                        uint8_t *_Nullable *_Nonnull content, size_t *_Nonnull count);

void cpng_release(uint8_t *_Nonnull content);

#endif
