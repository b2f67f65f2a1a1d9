#ifndef DECANT_C_XML_LIMITS_H
#define DECANT_C_XML_LIMITS_H

/* Checks for constructs that would take the library too long before it reports them; they run before parsing. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* Returns the first crowded tag at or after `start`, or `count` if there is none. */
size_t limits_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max);

/* Returns the first position with more than `max` choices after one parenthesis, or `count` if there is none. */
size_t limits_crowded_choice(const uint8_t *text, size_t count, size_t max);

/* Stops before a document type declaration that is too long, or has an enumeration that is too long. Returns whether
 * there is an internal subset. */
bool limits_check_doctype(cxml_tape *tape, const uint8_t *source, size_t count);

#pragma GCC visibility pop

#endif
