#ifndef DECANT_C_XML_LIMITS_H
#define DECANT_C_XML_LIMITS_H

/* Checks for constructs that would take the library too long before it reports them; they run before parsing. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* Whether a character that XML does not allow (1.0 §2.2) begins at `index` of a text in UTF-8. */
static inline bool is_invalid(const uint8_t *text, size_t index) {
    uint8_t byte = text[index];
    if (byte < ' ') return byte != '\t' && byte != '\n' && byte != '\r';
    /* U+FFFE and U+FFFF. */
    return byte == 0xEF && text[index + 1] == 0xBF && text[index + 2] >= 0xBE;
}

/* Returns the first crowded tag at or after `start`, or `count` if there is none. */
size_t limits_find_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max);

/* Text that would be a comment with a `--` in it (XML 1.0 §2.5). */
typedef struct {
    size_t start;
    /* The offset that the parser would report. */
    size_t error;
} bad_comment;

/* Finds the first such text at or after `start`. Returns false if there is none; both offsets are then `count`. */
bool limits_find_bad_comment(const uint8_t *text, size_t start, size_t count, bad_comment *found);

/* Returns the first offset with more than `max` choices after one parenthesis, or `count` if there is none. */
size_t limits_find_crowded_choice(const uint8_t *text, size_t count, size_t max);

/* Returns the offset at which the long names of elements in attribute lists, each counted for each of its
 * attributes, have more than `max` bytes in total; `count` if there is none. The library reads the name for each. */
size_t limits_find_long_attribute_list(const uint8_t *text, size_t count, size_t max);

/* Stops before a document type declaration that is too long, has an enumeration that is too long or a comment with a
 * `--` in it, or is malformed in a way that the library accepts. Returns whether there is an internal subset. */
bool limits_check_doctype(cxml_tape *tape, const uint8_t *source, size_t count);

#pragma GCC visibility pop

#endif
