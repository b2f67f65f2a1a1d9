#ifndef DECANT_C_XML_HANDLERS_H
#define DECANT_C_XML_HANDLERS_H

/* What the parser calls, whose context is the tape. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* Of the document, its type and its entities. */
void add_declaration_handlers(xmlSAXHandler *handler);

/* Of what is on the tape in the end. */
void add_content_handlers(xmlSAXHandler *handler);

/* Takes what is left of the CDATA section that the push parser is in, where it has not got the end yet, which `fed` is
 * before: it would look through all that it has got for each 300 bytes of it, and takes no more than 10 MB. Where to
 * feed it from then: the section's end. */
SELDOM size_t content_take_section(cxml_tape *tape, const uint8_t *source, size_t fed);

#pragma GCC visibility pop

#endif
