#include "CXMLReference.h"

#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static xmlParserInputPtr load_nothing(const char *url, const char *identifier, xmlParserCtxtPtr parser) {
    (void)url, (void)identifier, (void)parser;
    return NULL;
}

static void say_nothing(void *context, xmlErrorPtr error) {
    (void)context, (void)error;
}

static void prepare(void) {
    xmlInitParser();
    xmlSetExternalEntityLoader(load_nothing);
}

/* The tree, or NULL; and what the parser thinks of the text. */
static xmlDocPtr read_tree(const uint8_t *text, size_t count, cxml_reference_verdict *verdict) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    /* Of this thread. */
    xmlSetStructuredErrorFunc(NULL, say_nothing);

    *verdict = (cxml_reference_verdict){0, 0};
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (parser == NULL) return NULL;
    /* With the attributes that the document declares defaults for, as canonical forms have them. */
    int options = XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_DTDATTR;
    xmlDocPtr tree = xmlCtxtReadMemory(parser, (const char *)text, (int)count, NULL, NULL, options);
    verdict->is_well_formed = parser->wellFormed;
    verdict->is_namespace_well_formed = parser->wellFormed && parser->nsWellFormed;
    xmlFreeParserCtxt(parser);
    return tree;
}

cxml_reference_verdict cxml_reference_judge(const uint8_t *text, size_t count) {
    cxml_reference_verdict verdict;
    xmlFreeDoc(read_tree(text, count, &verdict));
    return verdict;
}

uint8_t *cxml_reference_canonical(const uint8_t *text, size_t count, size_t *canonical_count) {
    cxml_reference_verdict verdict;
    xmlDocPtr tree = read_tree(text, count, &verdict);
    if (tree == NULL) return NULL;
    xmlChar *canonical = NULL;
    int bytes = xmlC14NDocDumpMemory(tree, NULL, XML_C14N_1_0, NULL, 1, &canonical);
    xmlFreeDoc(tree);
    uint8_t *copy = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
    if (copy != NULL) memcpy(copy, canonical, (size_t)bytes);
    if (bytes >= 0) *canonical_count = (size_t)bytes;
    xmlFree(canonical);
    return copy;
}
