#ifndef DECANT_C_XML_LIMITS_H
#define DECANT_C_XML_LIMITS_H

/* What the library would take too long for before it tells anyone: found before it gets the text. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* The first crowded tag that begins at or after `start`; `count` where there is none. */
size_t limits_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max);

/* The first place with more than `max` choices after one parenthesis; `count` where there is none. */
size_t limits_crowded_choice(const uint8_t *text, size_t count, size_t max);

/* Stops before a document type declaration that is too long, or has an enumeration that is. Whether there is an
 * internal subset. */
bool limits_check_doctype(cxml_tape *tape, const uint8_t *source, size_t count);

#pragma GCC visibility pop

#endif
