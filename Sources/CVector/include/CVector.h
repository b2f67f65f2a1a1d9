#ifndef DECANT_C_VECTOR_H
#define DECANT_C_VECTOR_H

/*
 * The one step that Swift's vectors lack: from the mask that a comparison gives to a word, whose lowest bit that is set
 * then tells the first hit. Decision 9 says what it buys.
 */

#include <stdint.h>

/* Sixteen bytes that are 0x00 or 0xFF each. */
typedef uint8_t cvector_mask __attribute__((ext_vector_type(16)));

#if defined(__SSE2__)

/* Bits of the word for each byte of the mask, of which the lowest is used. */
#define CVECTOR_LANE_BITS 1

static inline __attribute__((always_inline)) uint64_t cvector_bits(cvector_mask mask) {
    typedef char bytes __attribute__((vector_size(16)));
    return (uint64_t)__builtin_ia32_pmovmskb128((bytes)mask);
}

#else

/* No processor but x86 has an instruction for one bit each. Four bits each are one instruction with NEON: every pair of
 * bytes is shifted right by four and halved. */
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
