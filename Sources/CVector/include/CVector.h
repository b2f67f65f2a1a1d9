#ifndef DECANT_C_VECTOR_H
#define DECANT_C_VECTOR_H

/*
 * The only operation that Swift's vectors lack: it converts the mask of a comparison to a word, whose lowest set bit
 * is the first match. Decision 9 describes the benefit.
 */

#include <stdint.h>

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
