#ifndef DECANT_C_VECTOR_H
#define DECANT_C_VECTOR_H

/*
 * The operations that Swift's vectors lack, or that its compiler makes no vector instructions of.
 */

#include <stddef.h>
#include <stdint.h>

/* Numbers of bytes of a JSON text, inside and outside of strings. */
typedef struct {
    /* Commas, colons, opening brackets and braces. */
    size_t structure;
    size_t colons;
    size_t backslashes;
} cvector_json_bytes;

/* Counts with about one instruction per byte. */
cvector_json_bytes cvector_count_json(const uint8_t *_Nullable bytes, size_t count);

/* The following converts the mask of a comparison to a word, whose lowest set bit is the first match. Decision 9
 * describes the benefit. */

/* Sixteen bytes of 0x00 or 0xFF. */
typedef uint8_t cvector_mask __attribute__((ext_vector_type(16)));

#if defined(__SSE2__)

/* The number of bits in the word for each byte of the mask; the lowest of them is used. */
#define CVECTOR_LANE_BITS 1

static inline __attribute__((always_inline)) uint64_t cvector_bits(cvector_mask mask) {
    typedef char bytes __attribute__((vector_size(16)));
    return (uint64_t)__builtin_ia32_pmovmskb128((bytes)mask);
}

#else

/* Only x86 processors have an instruction for one bit per byte. Four bits per byte take one instruction with NEON:
 * every pair of bytes is shifted right by four and narrowed. */
#define CVECTOR_LANE_BITS 4

static inline __attribute__((always_inline)) uint64_t cvector_bits(cvector_mask mask) {
    typedef uint16_t pairs __attribute__((ext_vector_type(8)));
    typedef uint8_t halves __attribute__((ext_vector_type(8)));
    const halves nibbles = __builtin_convertvector((pairs)mask >> 4, halves);
    uint64_t bits;
    __builtin_memcpy(&bits, &nibbles, sizeof bits);
    return bits & 0x1111111111111111;
}

#endif

#endif
