/* All of it is in the header; this lets the compiler see it once by itself. */
#include "CVector.h"
