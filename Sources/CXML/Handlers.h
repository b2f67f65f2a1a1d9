#ifndef DECANT_C_XML_HANDLERS_H
#define DECANT_C_XML_HANDLERS_H

/* The callbacks of the parser. Their context is the tape. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* Adds the handlers of the document, its type and its entities. */
void add_declaration_handlers(xmlSAXHandler *handler);

/* Adds the handlers of the content that is put on the tape. */
void add_content_handlers(xmlSAXHandler *handler);

/* Reads the rest of the CDATA section in which the push parser is, if the parser has not yet received its end before
 * `fed`: the parser would scan everything received again for each 300 bytes, and accepts at most 10 MB. Returns the
 * offset from which to feed the parser then: the end of the section. */
COLD size_t content_take_section(cxml_tape *tape, const uint8_t *source, size_t fed);

#pragma GCC visibility pop

#endif
