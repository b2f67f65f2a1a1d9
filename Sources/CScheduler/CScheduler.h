/* A declaration of the C library that its Swift module does not contain: sched_getaffinity(2). The set contains one bit
 * per processor. */
#include <stddef.h>
#include <stdint.h>

int32_t sched_getaffinity(int32_t thread, size_t bytes, void *_Nonnull set);
