#ifndef DECANT_C_XML_REFERENCE_H
#define DECANT_C_XML_REFERENCE_H

/*
 * For tests only: what libxml2 makes of a document when it builds its own tree, with the functions that everyone calls.
 * The service reads with the same library in another way, over callbacks and a tape, and is held against this.
 */

#include <stddef.h>
#include <stdint.h>

/* Well-formed, and well-formed by Namespaces in XML 1.0. Nothing outside the text is read. */
typedef struct {
    int32_t is_well_formed;
    int32_t is_namespace_well_formed;
} cxml_reference_verdict;

cxml_reference_verdict cxml_reference_judge(const uint8_t *_Nonnull text, size_t count);

/* The canonical form (Canonical XML 1.0, with comments), to be freed with `free`. NULL where the text is not
 * well-formed, or has no canonical form: one namespace is relative, or an entity is not declared. */
uint8_t *_Nullable cxml_reference_canonical(const uint8_t *_Nonnull text, size_t count,
                                            size_t *_Nonnull canonical_count);

#endif
