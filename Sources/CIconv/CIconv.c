#include "CIconv.h"

#include <iconv.h>

/* An iconv_t is a pointer, which only this file uses. */
ciconv_converter *ciconv_open(const char *charset) {
    iconv_t library = iconv_open("UTF-8", charset);
    return library == (iconv_t)-1 ? NULL : (ciconv_converter *)library;
}

uint32_t ciconv_text(ciconv_converter *converter, uint32_t sequence, size_t bytes) {
    iconv_t library = (iconv_t)converter;
    if (bytes == 0 || bytes > 4) return 0;

    char input[4];
    for (size_t i = 0; i < bytes; i++) {
        input[i] = (char)(sequence >> 8 * (bytes - 1 - i));
    }
    unsigned char text[4] = {0};
    char *from = input, *to = (char *)text;
    size_t from_bytes = bytes, to_bytes = sizeof text;

    /* The first call resets the state of an earlier sequence; the last one writes characters that wait for a
       successor. */
    iconv(library, NULL, NULL, NULL, NULL);
    if (iconv(library, &from, &from_bytes, &to, &to_bytes) != 0) return 0;
    if (iconv(library, NULL, NULL, &to, &to_bytes) != 0) return 0;
    return text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 | (uint32_t)text[3] << 24;
}

void ciconv_close(ciconv_converter *converter) {
    iconv_close((iconv_t)converter);
}
