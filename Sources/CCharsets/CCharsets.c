#include "CCharsets.h"

/* clang supports #embed as an extension of the C version that SwiftPM selects. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const _Alignas(4) uint8_t tables[] = {
#embed "charsets.bin"
};

ccharsets_file ccharsets_tables(void) {
    return (ccharsets_file){tables, sizeof tables};
}
