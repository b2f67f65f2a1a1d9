#ifndef DECANT_C_XML_HANDLERS_H
#define DECANT_C_XML_HANDLERS_H

/* What the parser calls, whose context is the tape. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* Of the document, its type and its entities. */
void add_declaration_handlers(xmlSAXHandler *handler);

/* Of what is on the tape in the end. */
void add_content_handlers(xmlSAXHandler *handler);

#pragma GCC visibility pop

#endif
