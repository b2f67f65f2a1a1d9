/* Measures the heap of this process by standing in for malloc(3): the bytes of small blocks, and the pages that were
 * written of large ones. A block that is reserved and not written costs nothing, as in a control group. */
#ifndef CHEAPMETER_H
#define CHEAPMETER_H

#include <stddef.h>

/* Begins a measurement: what is allocated now does not count. */
void heapmeter_begin(void);

/* Returns the peak of the bytes in use since then. */
size_t heapmeter_peak(void);

#endif
