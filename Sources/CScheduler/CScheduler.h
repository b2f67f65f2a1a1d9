/* The part of the C library's scheduling that its Swift module leaves out: sched_getaffinity(2). The set is a bit for
 * each processor. */
#include <stddef.h>
#include <stdint.h>

int32_t sched_getaffinity(int32_t thread, size_t bytes, void *_Nonnull set);
