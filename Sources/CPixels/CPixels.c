/* The header contains the complete code; this file compiles it once on its own. */
#include "CPixels.h"
