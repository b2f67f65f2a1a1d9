#ifndef DECANT_C_PIXELS_H
#define DECANT_C_PIXELS_H

/*
 * Two operations on pixels that Swift's vectors lack. Decision 11 describes the benefit. On x86-64 they are
 * instructions of its baseline, SSE2. On other processors, the compiler chooses the instructions; with NEON, there are
 * four or five.
 */

#include <stdint.h>

typedef int16_t cpixels_words __attribute__((ext_vector_type(8)));
typedef uint8_t cpixels_bytes __attribute__((ext_vector_type(16)));
typedef int32_t cpixels_sums __attribute__((ext_vector_type(4)));

/* Returns the sums of two products each, of the words 0 and 1, 2 and 3, 4 and 5, 6 and 7. No word may be -32768. */
static inline __attribute__((always_inline)) cpixels_sums cpixels_multiply_pairs(cpixels_words a, cpixels_words b) {
#if defined(__SSE2__)
    typedef short words __attribute__((vector_size(16)));
    return (cpixels_sums)__builtin_ia32_pmaddwd128((words)a, (words)b);
#else
    typedef int32_t products __attribute__((ext_vector_type(8)));
    const products all = __builtin_convertvector(a, products) * __builtin_convertvector(b, products);
    return all.even + all.odd;
#endif
}

/* Returns the 16 sums as bytes. Sums below 0 become 0, and sums above 255 become 255. They must be from -32768 to
 * 32767. */
static inline __attribute__((always_inline)) cpixels_bytes cpixels_bytes_of(cpixels_sums a, cpixels_sums b,
                                                                            cpixels_sums c, cpixels_sums d) {
#if defined(__SSE2__)
    typedef int sums __attribute__((vector_size(16)));
    return (cpixels_bytes)__builtin_ia32_packuswb128(__builtin_ia32_packssdw128((sums)a, (sums)b),
                                                     __builtin_ia32_packssdw128((sums)c, (sums)d));
#else
    typedef int32_t all __attribute__((ext_vector_type(16)));
    typedef int16_t narrowed __attribute__((ext_vector_type(16)));
    const narrowed least = 0, most = UINT8_MAX;
    all sums;
    sums.lo.lo = a;
    sums.lo.hi = b;
    sums.hi.lo = c;
    sums.hi.hi = d;
    const narrowed words = __builtin_convertvector(sums, narrowed);
    return __builtin_convertvector(__builtin_elementwise_min(__builtin_elementwise_max(words, least), most),
                                   cpixels_bytes);
#endif
}

#endif
