#include "CVector.h"

/* The counts of a block fit into a byte, so that vector instructions count in each lane. */
enum { block_bytes = 192 };

cvector_json_bytes cvector_count_json(const uint8_t *bytes, size_t count) {
    cvector_json_bytes counts = {0, 0, 0};
    size_t start = 0;
    while (start < count) {
        size_t end = count - start < block_bytes ? count : start + block_bytes;
        uint8_t structure = 0, colons = 0, backslashes = 0;
        for (; start < end; start++) {
            uint8_t byte = bytes[start];
            structure += (byte == ',') | (byte == ':') | ((byte | 0x20) == '{');
            colons += byte == ':';
            backslashes += byte == '\\';
        }
        counts.structure += structure;
        counts.colons += colons;
        counts.backslashes += backslashes;
    }
    return counts;
}
