/* Functions of the C library's heap that its Swift module lacks: mallopt(3) and malloc_trim(3). */
#include <malloc.h>
