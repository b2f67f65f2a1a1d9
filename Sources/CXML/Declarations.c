#include "Handlers.h"
#include "Limits.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <string.h>

/* The factor by which the use of a parameter entity is charged: declarations cost more than text. */
static const size_t parameter_entity_weight = 16;

/* MARK: The document */

static void on_start_document(void *context) {
    cxml_tape *tape = context;
    xmlSAX2StartDocument(tape->parser);
    tape->version = tape_add_string(tape, tape->parser->version);
    tape->standalone = tape->parser->standalone;
}

static void on_internal_subset(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    cxml_tape *tape = context;
    xmlSAX2InternalSubset(tape->parser, name, public, system);
    tape->public_identifier = tape_add_string(tape, public);
    tape->system_identifier = tape_add_string(tape, system);
    if (!may_add_record(tape)) return;
    uint32_t index = tape_intern_text(tape, name);
    uint8_t *first = tape->records + tape->record_bytes;
    *first = CXML_DOCTYPE;
    tape->record_bytes = (size_t)(put_name(first + 1, index) - tape->records);
}

/* Does nothing, because no external data is read; without this handler, the library would load it. */
static void on_external_subset(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    (void)context, (void)name, (void)public, (void)system;
}

static int is_standalone(void *context) {
    return xmlSAX2IsStandalone(((cxml_tape *)context)->parser);
}

static int has_internal_subset(void *context) {
    return xmlSAX2HasInternalSubset(((cxml_tape *)context)->parser);
}

static int has_external_subset(void *context) {
    return xmlSAX2HasExternalSubset(((cxml_tape *)context)->parser);
}

/* MARK: Entities */

static void on_entity_declaration(void *context, const xmlChar *name, int type, const xmlChar *public,
                                  const xmlChar *system, xmlChar *content) {
    cxml_tape *tape = context;
    /* Only entities with a text in the document. */
    tape->declared = content == NULL ? NULL : name;
    if (content != NULL) {
        size_t bytes = strlen((const char *)content);
        size_t max = tape->options.max_attributes;
        if (limits_find_crowded_tag(content, 0, bytes, max) < bytes) {
            tape_stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
            return;
        }
        if (limits_find_long_attribute_list(content, bytes, tape->max_expansion_bytes) < bytes) {
            tape_stop(tape, CXML_NAME_BYTES, XML_ERR_USER_STOP);
            return;
        }
        if (limits_find_crowded_choice(content, bytes, tape->options.max_choices) < bytes) {
            tape_stop(tape, CXML_CHOICES, XML_ERR_USER_STOP);
            return;
        }
    }
    xmlSAX2EntityDecl(tape->parser, name, type, public, system, content);
}

static void on_unparsed_entity(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system,
                               const xmlChar *notation) {
    cxml_tape *tape = context;
    tape->declared = NULL;
    xmlSAX2UnparsedEntityDecl(tape->parser, name, public, system, notation);
}

/* The library requires the handler of notations to check that each has an identifier (XML 1.0 §4.7). */
static void on_notation(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    (void)name;
    if (public == NULL && system == NULL) tape_stop(context, CXML_MALFORMED, XML_ERR_NOTATION_PROCESSING);
}

/* Whether the library looks up the entity that it has just declared, to store its source. That is not a use of it. */
static bool is_declaring(cxml_tape *tape, const xmlChar *name) {
    const xmlChar *declared = tape->declared;
    tape->declared = NULL;
    return declared != NULL && tape->parser->inSubset != 0 && xmlStrEqual(declared, name);
}

/* Returns an entity of XHTML in a document that refers to a DTD, which would probably declare it. */
static xmlEntityPtr entity_of_xhtml(cxml_tape *tape, const xmlChar *name) {
    xmlDocPtr document = tape->parser->myDoc;
    if (document == NULL || document->intSubset == NULL) return NULL;
    if (document->intSubset->ExternalID == NULL && document->intSubset->SystemID == NULL) return NULL;
    const htmlEntityDesc *known = htmlEntityLookup(name);
    if (known == NULL) return NULL;
    xmlChar character[8];
    character[xmlCopyCharMultiByte(character, (int)known->value)] = 0;
    tape_add_note(tape, XML_ERR_UNDECLARED_ENTITY, name);
    return xmlAddDocEntity(document, name, XML_INTERNAL_GENERAL_ENTITY, NULL, NULL, character);
}

static xmlEntityPtr get_entity(void *context, const xmlChar *name) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return NULL;
    xmlEntityPtr entity = xmlSAX2GetEntity(tape->parser, name);
    if (is_declaring(tape, name)) return entity;
    if (entity == NULL) entity = entity_of_xhtml(tape, name);
    if (entity == NULL) {
        tape_stop(tape, CXML_UNDECLARED_ENTITY, XML_ERR_UNDECLARED_ENTITY);
        return NULL;
    }
    if (entity->etype == XML_EXTERNAL_GENERAL_PARSED_ENTITY) {
        tape_stop(tape, CXML_EXTERNAL_ENTITY, XML_ERR_ENTITY_IS_EXTERNAL);
        return NULL;
    }
    if (entity->etype == XML_INTERNAL_PREDEFINED_ENTITY) return entity;
    /* The library stores a short text in its dictionary: if that was full, the text is lost. */
    if (entity->content == NULL && entity->etype == XML_INTERNAL_GENERAL_ENTITY) {
        tape_stop(tape, CXML_NAME_BYTES, XML_ERR_NO_MEMORY);
        return NULL;
    }
    return tape_charge(tape, (size_t)entity->length + entity_charge_bytes) ? entity : NULL;
}

static xmlEntityPtr get_parameter_entity(void *context, const xmlChar *name) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return NULL;
    xmlEntityPtr entity = xmlSAX2GetParameterEntity(tape->parser, name);
    if (is_declaring(tape, name) || entity == NULL) return entity;
    if (entity->etype == XML_EXTERNAL_PARAMETER_ENTITY) {
        tape_stop(tape, CXML_EXTERNAL_ENTITY, XML_ERR_ENTITY_IS_EXTERNAL);
        return NULL;
    }
    size_t bytes = (size_t)entity->length * parameter_entity_weight + entity_charge_bytes;
    return tape_charge(tape, bytes) ? entity : NULL;
}

/* MARK: Declarations of attributes
 *
 * The library stores them in lists that it traverses completely for each one. It stores the data for default
 * attributes elsewhere, and the values in its dictionary. */

/* Returns the counts for a name, or NULL if there is no memory. */
static default_count *find_defaults(cxml_tape *tape, const xmlChar *name) {
    uint32_t index = tape_intern_text(tape, name);
    size_t old = tape->default_capacity;
    RESERVE(tape, default_counts, default_capacity, index + 1, NULL);
    if (tape->default_capacity > old)
        memset(tape->default_counts + old, 0, (tape->default_capacity - old) * sizeof(default_count));
    return &tape->default_counts[index];
}

static void on_attribute_declaration(void *context, const xmlChar *element, const xmlChar *name, int type, int use,
                                     const xmlChar *value, xmlEnumerationPtr choices) {
    cxml_tape *tape = context;
    (void)type, (void)use;
    xmlFreeEnumeration(choices);
    if (value == NULL || !tape_charge_name_bytes(tape, strlen((const char *)value))) return;
    default_count *defaults = find_defaults(tape, element);
    if (defaults == NULL) return;
    if (++defaults->attributes > tape->options.max_attributes)
        return tape_stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
    if (!xmlStrEqual(name, BAD_CAST "xmlns") && xmlStrncmp(name, BAD_CAST "xmlns:", 6) != 0) return;
    const xmlChar *colon = xmlStrchr(element, ':');
    defaults = find_defaults(tape, colon == NULL ? element : colon + 1);
    if (defaults == NULL) return;
    defaults->namespaces++;
    tape->has_default_namespaces = true;
}

void add_declaration_handlers(xmlSAXHandler *handler) {
    handler->startDocument = on_start_document;
    handler->internalSubset = on_internal_subset;
    handler->externalSubset = on_external_subset;
    handler->isStandalone = is_standalone;
    handler->hasInternalSubset = has_internal_subset;
    handler->hasExternalSubset = has_external_subset;
    handler->entityDecl = on_entity_declaration;
    handler->unparsedEntityDecl = on_unparsed_entity;
    handler->notationDecl = on_notation;
    handler->getEntity = get_entity;
    handler->getParameterEntity = get_parameter_entity;
    handler->attributeDecl = on_attribute_declaration;
}
