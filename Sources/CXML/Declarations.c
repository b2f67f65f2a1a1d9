#include "Handlers.h"
#include "Limits.h"

#include <libxml/HTMLparser.h>
#include <stdlib.h>
#include <string.h>

/* The factor by which the use of a parameter entity is charged: declarations cost more than text. */
static const size_t parameter_entity_weight = 16;

/* MARK: The document type */

static void on_internal_subset(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return;
    tape->in_doctype = true;
    tape->refers_to_dtd = public != NULL || system != NULL;
    tape->document = xmlNewDoc(BAD_CAST "1.0");
    if (tape->document == NULL || xmlCreateIntSubset(tape->document, name, public, system) == NULL)
        return tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
    tape->public_identifier = tape_add_string(tape, public);
    tape->system_identifier = tape_add_string(tape, system);
    if (!may_add_record(tape)) return;
    uint32_t index = intern(tape, NULL, name, NULL);
    uint8_t *first = tape->records + tape->record_bytes;
    *first = CXML_DOCTYPE;
    tape->record_bytes = (size_t)(put_name(first + 1, index) - tape->records);
}

/* Receives the end of the document type declaration. The external subset is not read. */
static void on_external_subset(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    (void)name, (void)public, (void)system;
    ((cxml_tape *)context)->in_doctype = false;
}

/* MARK: Entities
 *
 * They are stored in a document of the tape, and the parser asks for each use of one. */

static void on_entity_declaration(void *context, const xmlChar *name, int type, const xmlChar *public,
                                  const xmlChar *system, xmlChar *content) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return;
    /* Only entities with a text in the document. */
    tape->declared = content == NULL ? NULL : name;
    if (content != NULL) limits_check_declarations(tape, content, strlen((const char *)content));
    if (tape->outcome == CXML_WHOLE) xmlAddDocEntity(tape->document, name, type, public, system, content);
}

static void on_unparsed_entity(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system,
                               const xmlChar *notation) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return;
    tape->declared = NULL;
    xmlAddDocEntity(tape->document, name, XML_EXTERNAL_GENERAL_UNPARSED_ENTITY, public, system, notation);
}

/* The library requires the handler of notations to check that each has an identifier (XML 1.0 §4.7). */
static void on_notation(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    (void)name;
    if (public == NULL && system == NULL) tape_stop(context, CXML_MALFORMED, XML_ERR_NOTATION_PROCESSING);
}

/* Whether the library looks up the entity that it has just declared, to store its source, which is not needed. */
static bool is_declaring(cxml_tape *tape, const xmlChar *name) {
    const xmlChar *declared = tape->declared;
    tape->declared = NULL;
    return declared != NULL && tape->in_doctype && xmlStrEqual(declared, name);
}

/* Returns an entity of XHTML in a document that refers to a DTD, which would probably declare it. */
static xmlEntityPtr entity_of_xhtml(cxml_tape *tape, const xmlChar *name) {
    const htmlEntityDesc *known = tape->refers_to_dtd ? htmlEntityLookup(name) : NULL;
    /* All others are predefined, and have at most 16 bits. */
    if (known == NULL || known->value < 0x80) return NULL;
    unsigned value = known->value;
    xmlChar three_bytes[] = {0xE0 | value >> 12, 0x80 | (value >> 6 & 0x3F), 0x80 | (value & 0x3F), 0};
    xmlChar two_bytes[] = {0xC0 | value >> 6, 0x80 | (value & 0x3F), 0};
    tape_add_note(tape, XML_ERR_UNDECLARED_ENTITY, name);
    return xmlAddDocEntity(tape->document, name, XML_INTERNAL_GENERAL_ENTITY, NULL, NULL,
                           value < 0x800 ? two_bytes : three_bytes);
}

/* What the parser receives for any entity after reading has stopped: it is not an error, and costs little. */
static xmlEntityPtr harmless_entity(void) {
    return xmlGetPredefinedEntity(BAD_CAST "amp");
}

static xmlEntityPtr get_entity(void *context, const xmlChar *name) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return harmless_entity();
    if (is_declaring(tape, name)) return NULL;
    xmlEntityPtr entity = xmlGetDocEntity(tape->document, name);
    if (entity == NULL) entity = entity_of_xhtml(tape, name);
    if (entity == NULL)
        tape_stop_at_undeclared(tape, name);
    else if (entity->etype == XML_EXTERNAL_GENERAL_PARSED_ENTITY)
        tape_stop(tape, CXML_EXTERNAL_ENTITY, XML_ERR_ENTITY_IS_EXTERNAL);
    else if (entity->etype != XML_INTERNAL_PREDEFINED_ENTITY &&
             tape_charge(tape, (size_t)entity->length + entity_charge_bytes) && entity->content != NULL)
        limits_check_entity(tape, entity->content, (size_t)entity->length);
    return tape->outcome == CXML_WHOLE ? entity : harmless_entity();
}

static xmlEntityPtr get_parameter_entity(void *context, const xmlChar *name) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || is_declaring(tape, name)) return NULL;
    /* If it has a text, the parser's offset is in that text next. */
    tape_offset(tape);
    xmlEntityPtr entity = xmlGetParameterEntity(tape->document, name);
    if (entity == NULL) return NULL;
    size_t bytes = (size_t)entity->length;
    if (entity->etype == XML_EXTERNAL_PARAMETER_ENTITY)
        tape_stop(tape, CXML_EXTERNAL_ENTITY, XML_ERR_ENTITY_IS_EXTERNAL);
    else if (tape_charge(tape, bytes * parameter_entity_weight + entity_charge_bytes) && entity->content != NULL)
        limits_check_parameter_entity(tape, entity->content, bytes);
    return tape->outcome == CXML_WHOLE ? entity : NULL;
}

/* MARK: Declarations of attributes
 *
 * The library stores them in lists that it traverses completely for each one. It stores the data for default
 * attributes elsewhere, and the values in its dictionary. */

/* Returns the counts for a name, or NULL if there is no memory, or the names are too long. */
static default_count *find_defaults(cxml_tape *tape, const xmlChar *name) {
    if (tape->defaults == NULL) tape->defaults = xmlHashCreate(0);
    default_count *found = xmlHashLookup(tape->defaults, name);
    if (found != NULL || !tape_charge_name_bytes(tape, strlen((const char *)name))) return found;
    found = calloc(1, sizeof(default_count));
    if (found != NULL && xmlHashAddEntry(tape->defaults, name, found) == 0) return found;
    free(found);
    tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
    return NULL;
}

static void on_attribute_declaration(void *context, const xmlChar *element, const xmlChar *name, int type, int use,
                                     const xmlChar *value, xmlEnumerationPtr choices) {
    cxml_tape *tape = context;
    (void)type, (void)use;
    xmlFreeEnumeration(choices);
    if (tape->outcome != CXML_WHOLE) return;
    if (value == NULL || !tape_charge_name_bytes(tape, strlen((const char *)value))) return;
    default_count *counts = find_defaults(tape, element);
    if (counts == NULL) return;
    if (++counts->attributes > tape->options.max_attributes) return tape_stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
    if (!xmlStrEqual(name, BAD_CAST "xmlns") && xmlStrncmp(name, BAD_CAST "xmlns:", 6) != 0) return;
    const xmlChar *colon = xmlStrchr(element, ':');
    counts = find_defaults(tape, colon == NULL ? element : colon + 1);
    if (counts == NULL) return;
    counts->namespaces++;
    tape->has_default_namespaces = true;
}

void add_declaration_handlers(xmlSAXHandler *handler) {
    handler->internalSubset = on_internal_subset;
    handler->externalSubset = on_external_subset;
    handler->entityDecl = on_entity_declaration;
    handler->unparsedEntityDecl = on_unparsed_entity;
    handler->notationDecl = on_notation;
    handler->getEntity = get_entity;
    handler->getParameterEntity = get_parameter_entity;
    handler->attributeDecl = on_attribute_declaration;
}
