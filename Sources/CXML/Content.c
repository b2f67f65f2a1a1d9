#include "Handlers.h"

#include <endian.h>
#include <string.h>

static inline bool is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Returns the number of bytes of white space at the start of a text, usually a line feed and an indentation. */
static inline size_t leading_blanks(const uint8_t *text, size_t bytes) {
    size_t index = bytes > 0 && *text == '\n';
    while (bytes - index >= 8) {
        uint64_t word;
        memcpy(&word, text + index, 8);
        /* Its lowest byte other than 0 is the first one that is not a space. */
        word = le64toh(word) ^ 0x2020202020202020u;
        if (word != 0) {
            index += (size_t)__builtin_ctzll(word) / 8;
            if (!is_blank(text[index])) return index;
            index++;
        } else {
            index += 8;
        }
    }
    while (index < bytes && is_blank(text[index]))
        index++;
    return index;
}

/* Puts the open text on the tape before another record of the element, and records its kind. */
static NOINLINE void end_text(cxml_tape *tape, open_element *element) {
    if (tape->open_text == CXML_TEXT) {
        const cxml_slice text = tape->open_slice;
        bool is_blank = leading_blanks(tape->text + text.start, text.bytes) == text.bytes;
        element->content |= is_blank ? CXML_HAS_BLANKS : CXML_HAS_WORDS;
    }
    close_text(tape, tape->open_text);
}

/* Puts a CXML_CONTENT_END with an open value on the tape, before the first record other than the text at the start
 * of the content. */
static NOINLINE void begin_content(cxml_tape *tape, open_element *element) {
    if (!may_add_record(tape)) return;
    element->content |= CXML_HAS_RECORDS;
    element->content_end = (uint32_t)tape->record_bytes;
    uint8_t *record = tape->records + tape->record_bytes;
    *record = CXML_CONTENT_END;
    tape->record_bytes = (size_t)(put_number(record + 1, 0) - tape->records);
}

/* Reserves memory for a record, other than text, of the content of the innermost element. */
static ALWAYS_INLINE bool may_add_content(cxml_tape *tape) {
    if (tape->open_count > 0) {
        open_element *parent = &tape->open_elements[tape->open_count - 1];
        if (tape->open_text != 0) end_text(tape, parent);
        if (parent->content_end == 0) begin_content(tape, parent);
    }
    return may_add_record(tape);
}

static inline void note_child(cxml_tape *tape, open_element *parent, uint32_t name) {
    if (parent->last_name == name + 1) return;
    uint64_t bit = (uint64_t)1 << (name % 64);
    if ((parent->names & bit) != 0) parent->content |= CXML_MAY_RECUR;
    parent->names |= bit;
    parent->last_name = name + 1;
    tape->names[name].is_child = 1;
}

/* The number of comparisons of attributes that cost about as much as a byte of an entity. */
static const size_t comparisons_per_byte = 16;

COLD static bool reserve_element(cxml_tape *tape) {
    if (tape->open_count >= tape->options.max_depth) {
        tape_stop(tape, CXML_DEPTH, XML_ERR_USER_STOP);
        return false;
    }
    RESERVE(tape, open_elements, open_capacity, tape->open_count + 1, false);
    size_t max = tape->options.max_depth;
    tape->open_end = tape->open_capacity < max ? tape->open_capacity : max;
    return true;
}

/* Counts the attributes and namespace declarations of an element that are not in the source. They are the last ones.
 * The library compares each of them with all before it. */
static bool charge_defaults(cxml_tape *tape, const xmlChar *local, int namespace_count, const xmlChar **namespaces,
                            int attribute_count, int default_attributes, const xmlChar **attributes) {
    size_t bytes = 0;
    for (int tuple = attribute_count - default_attributes; tuple < attribute_count; tuple++) {
        const xmlChar **attribute = attributes + 5 * tuple;
        bytes += entity_charge_bytes + (size_t)(attribute[4] - attribute[3]) + strlen((const char *)attribute[0]);
        if (attribute[1] != NULL) bytes += strlen((const char *)attribute[1]);
    }
    const default_count *counts = tape->has_default_namespaces ? xmlHashLookup(tape->defaults, local) : NULL;
    size_t default_namespaces = counts == NULL ? 0 : counts->namespaces;
    if (default_namespaces > (size_t)namespace_count) default_namespaces = (size_t)namespace_count;
    for (size_t pair = (size_t)namespace_count - default_namespaces; pair < (size_t)namespace_count; pair++)
        bytes += entity_charge_bytes + strlen((const char *)namespaces[2 * pair + 1]);
    size_t count = (size_t)default_attributes + default_namespaces;
    if (count == 0) return true;
    size_t compared = count * ((size_t)attribute_count + (size_t)namespace_count);
    return tape_charge(tape, bytes + compared / comparisons_per_byte);
}

/* Whether two attributes have the same qualified name (XML 1.0 §3.1: Unique Att Spec). The library looks no further
 * than the first attribute of the same local name and namespace, which may have another prefix. */
static bool has_duplicate(int attribute_count, const xmlChar **attributes) {
    for (int tuple = 1; tuple < attribute_count; tuple++) {
        for (int other = 0; other < tuple; other++) {
            /* Equal texts have equal addresses in the dictionary. */
            bool is_same_name = attributes[5 * tuple] == attributes[5 * other];
            if (is_same_name && attributes[5 * tuple + 1] == attributes[5 * other + 1]) return true;
        }
    }
    return false;
}

static void on_start_element(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                             int namespace_count, const xmlChar **namespaces, int attribute_count, int default_count,
                             const xmlChar **attributes) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return;
    if (tape->open_count == tape->open_end && !reserve_element(tape)) return;
    size_t all_count = (size_t)namespace_count + (size_t)attribute_count;
    if (all_count > tape->options.max_attributes) return tape_stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
    if (tape->has_redefined_attribute && has_duplicate(attribute_count, attributes))
        return tape_stop(tape, CXML_MALFORMED, XML_ERR_ATTRIBUTE_REDEFINED);
    tape->has_redefined_attribute = false;
    /* Each prefix is searched in all of them. */
    uint32_t outer_scope_size = tape->scope_size;
    tape->scope_size += (uint32_t)namespace_count;
    if (tape->scope_size > tape->options.max_namespaces) return tape_stop(tape, CXML_NAMESPACES, XML_ERR_USER_STOP);

    uint32_t name = intern(tape, prefix, local, uri);
    if (tape->outcome != CXML_WHOLE) return;
    if (tape->open_count > 0) note_child(tape, &tape->open_elements[tape->open_count - 1], name);
    if (!may_add_content(tape)) return;
    size_t index = tape->record_bytes;
    tape->open_elements[tape->open_count++] =
        (open_element){.record = (uint32_t)index, .outer_scope_size = outer_scope_size};
    uint8_t *element = tape->records + index;
    *element = all_count == 0 ? CXML_ELEMENT : CXML_ELEMENT_WITH_ATTRIBUTES;
    uint8_t *end = put_name(element + 1, name);
    if (all_count == 0) {
        tape->record_bytes = (size_t)(end - tape->records);
        return;
    }
    size_t size_index = (size_t)(end - tape->records);
    size_t attributes_index = (size_t)(put_number(end, 0) - tape->records);
    tape->record_bytes = attributes_index;

    if (!charge_defaults(tape, local, namespace_count, namespaces, attribute_count, default_count, attributes)) return;
    for (int pair = 0; pair < namespace_count; pair++) {
        cxml_slice slice = tape_add_part(tape, namespaces[2 * pair + 1]);
        uint32_t prefix_name = intern(tape, NULL, namespaces[2 * pair], NULL);
        if (tape->outcome != CXML_WHOLE || !may_add_record(tape)) return;
        uint8_t *first = tape->records + tape->record_bytes;
        *first = CXML_NAMESPACE;
        put_text(tape, first, put_name(first + 1, prefix_name), slice);
    }
    for (int tuple = 0; tuple < attribute_count; tuple++) {
        const xmlChar **attribute = attributes + 5 * tuple;
        size_t bytes = (size_t)(attribute[4] - attribute[3]);
        uint32_t attribute_name = intern(tape, attribute[1], attribute[0], attribute[2]);
        cxml_slice slice = add_text(tape, attribute[3], bytes);
        if (tape->outcome != CXML_WHOLE || !may_add_record(tape)) return;
        uint8_t *first = tape->records + tape->record_bytes;
        *first = CXML_ATTRIBUTE;
        put_own_text(tape, first, put_name(first + 1, attribute_name), slice);
    }
    put_number(tape->records + size_index, tape->record_bytes - attributes_index);
}

static void on_end_element(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    cxml_tape *tape = context;
    (void)local, (void)prefix, (void)uri;
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0) return;
    open_element *element = &tape->open_elements[--tape->open_count];
    tape->scope_size = element->outer_scope_size;
    if (element->content_end != 0) {
        if (tape->open_text != 0) end_text(tape, element);
        put_number(tape->records + element->content_end + 1, tape->record_bytes);
    } else if (tape->open_text != 0) {
        close_text(tape, tape->options.keep_all ? CXML_TEXT : CXML_OWN_TEXT);
        element->content = CXML_HAS_TEXT;
    }
    tape->records[element->record] |= (uint8_t)(element->content << 4);
}

/* Receives text, in pieces. */
static void on_characters(void *context, const xmlChar *text, int count) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0) return;
    if (tape->open_text == CXML_TEXT) return extend_text(tape, text, (size_t)count);
    if (tape->open_text != 0) close_text(tape, tape->open_text);
    if (!may_add_record(tape)) return;
    tape->open_slice = add_text(tape, text, (size_t)count);
    tape->open_text = CXML_TEXT;
}

/* Empty text is not a record, unless sections are separate records. */
static void on_section(void *context, const xmlChar *text, int count) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0) return;
    if (!tape->options.keep_all) {
        if (count > 0) on_characters(tape, text, count);
        return;
    }
    bool goes_on = tape->section_goes_on;
    tape->section_goes_on = tape_is_at_split(tape);
    if (goes_on) return extend_text(tape, text, (size_t)count);
    if (!may_add_content(tape)) return;
    tape->open_slice = add_text(tape, text, (size_t)count);
    tape->open_text = CXML_CDATA;
}

/* Those of a DTD are not content. */
static void on_comment(void *context, const xmlChar *text) {
    cxml_tape *tape = context;
    if (!tape->options.keep_all || tape->in_doctype || tape->outcome != CXML_WHOLE) return;
    if (!may_add_content(tape)) return;
    cxml_slice slice = add_text(tape, text, strlen((const char *)text));
    uint8_t *first = tape->records + tape->record_bytes;
    *first = CXML_COMMENT;
    put_own_text(tape, first, first + 1, slice);
}

static void on_instruction(void *context, const xmlChar *target, const xmlChar *data) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return;
    if (!tape->options.keep_all || tape->in_doctype) return (void)tape_charge_part(tape, target);
    if (!may_add_content(tape)) return;
    uint32_t name = intern(tape, NULL, target, NULL);
    cxml_slice slice = add_text(tape, data, data == NULL ? 0 : strlen((const char *)data));
    uint8_t *first = tape->records + tape->record_bytes;
    *first = CXML_INSTRUCTION;
    put_own_text(tape, first, put_name(first + 1, name), slice);
}

void add_content_handlers(xmlSAXHandler *handler) {
    handler->startElementNs = on_start_element;
    handler->endElementNs = on_end_element;
    handler->characters = on_characters;
    handler->ignorableWhitespace = on_characters;
    handler->cdataBlock = on_section;
    handler->comment = on_comment;
    handler->processingInstruction = on_instruction;
}
