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

/* Examines the source. Stops if its document type declaration is not accepted, and otherwise determines how much of
 * the source the parser receives, and where sections are split. */
void limits_scan(cxml_tape *tape);

/* Stops if the text of an entity has a tag or a comment that the parser must not receive. */
void limits_check_entity(cxml_tape *tape, const xmlChar *text, size_t count);

/* Stops if the text of a parameter entity has such a comment. */
void limits_check_parameter_entity(cxml_tape *tape, const xmlChar *text, size_t count);

/* Stops if the text of an entity has an enumeration or an attribute list that the parser must not receive. */
void limits_check_declarations(cxml_tape *tape, const xmlChar *text, size_t count);

#pragma GCC visibility pop

#endif
