#ifndef DECANT_C_XML_HANDLERS_H
#define DECANT_C_XML_HANDLERS_H

/* The callbacks of the parser. Their context is the tape. */

#include "Tape.h"

#pragma GCC visibility push(hidden)

/* Adds the handlers of the document type and the entities. */
void add_declaration_handlers(xmlSAXHandler *handler);

/* Adds the handlers of the content that is put on the tape. */
void add_content_handlers(xmlSAXHandler *handler);

#pragma GCC visibility pop

#endif
