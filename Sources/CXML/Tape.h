#ifndef DECANT_C_XML_TAPE_H
#define DECANT_C_XML_TAPE_H

/* The tape while it is written: the state that all handlers of the parser use, and functions that are called so
 * often that they are inlined. */

#include "CXML.h"

#include <libxml/hash.h>
#include <libxml/parser.h>
#include <stdbool.h>
#include <string.h>

/* Rare code is kept out of the code for every element, and so is code that would make it keep more in registers than
 * it needs. */
#define COLD __attribute__((cold, noinline))
#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))

#pragma GCC visibility push(hidden)

/* Names in the arguments of a handler are in the parser's dictionary: equal texts have equal addresses. */

/* An entry of the table that finds a name by these addresses. */
typedef struct {
    const xmlChar *prefix;
    const xmlChar *local;
    const xmlChar *namespace_uri;
    /* The index of the name plus 1; 0 for none. */
    uint32_t name;
} name_slot;

/* An entry of the table with the positions of parts of names that were put into the text. A part that belongs to an
 * omitted instruction is only counted. */
typedef struct {
    const xmlChar *part;
    cxml_slice slice;
} part_slot;

typedef struct {
    uint32_t record;
    /* The index of its CXML_CONTENT_END; 0 without one. */
    uint32_t content_end;
    /* The number of namespace declarations in scope around it. */
    uint32_t outer_scope_size;
    /* The state of its children so far: their composition, the name of the last one plus 1, and a bit for each of
     * their names, modulo 64. */
    uint8_t content;
    uint32_t last_name;
    uint64_t names;
} open_element;

typedef struct {
    /* The number of default attributes of the element with this qualified name, and of namespace declarations among
     * those of all elements with this local name. */
    uint32_t attributes, namespaces;
} default_count;

/* A construct that the parser must not receive. */
typedef struct {
    /* CXML_WHOLE if there is none. */
    cxml_outcome outcome;
    int32_t number;
    /* The offset that is reported, and the length of the part of the source that the parser receives. */
    size_t byte, given_bytes;
} content_limit;

/* A section is split by ending it and starting another one. */
static const char split_mark[] = "]]><![CDATA[";
static const size_t split_mark_bytes = sizeof(split_mark) - 1;

struct cxml_tape {
    cxml_options options;
    xmlParserCtxtPtr parser;

    cxml_outcome outcome;
    int32_t number;
    size_t byte;

    /* The source, and what the parser receives of it: up to `limit.given_bytes`. */
    const uint8_t *source;
    size_t source_bytes;
    bool owns_source;
    content_limit limit;
    /* The length of the XML declaration. */
    size_t declaration_bytes;
    /* The offsets in the source at which sections are split, by `split_mark`. */
    size_t *splits;
    size_t split_count, split_capacity;
    /* The number of bytes that the parser has received, with marks, and of marks among them. */
    size_t given_bytes, given_splits;
    /* The end of the part of an owned source that was returned to the system. */
    size_t released_bytes;
    /* The last known offset of the parser in the source, and the number of marks before it. */
    size_t offset, passed_splits;

    uint8_t *records;
    size_t record_bytes, record_capacity;
    /* The limit up to which a record may be added, because of the capacity or because reading must stop there. */
    size_t record_limit;
    /* The texts that are longer than CXML_MAX_INLINE_BYTES, and parts of names. */
    uint8_t *text;
    size_t text_bytes, text_capacity;
    cxml_name *names;
    size_t name_count, name_capacity;
    /* The length of the entries in the library's dictionary: the different parts of names, and default values. */
    size_t name_bytes;
    /* Their number is a power of two. The topmost bits of a hash, shifted by `slot_shift`, select one. */
    name_slot *slots;
    size_t slot_count;
    uint32_t slot_shift;
    part_slot *parts;
    size_t part_count, part_slot_count;
    cxml_note *notes;
    size_t note_count, note_capacity, unlisted_note_count;
    /* The names in the notes, separate from the text, which may be open and must be extended at its end. */
    uint8_t *note_text;
    size_t note_text_bytes, note_text_capacity;

    open_element *open_elements;
    size_t open_count, open_capacity;
    /* The limit because of the capacity or the maximum depth. */
    size_t open_end;
    /* The number of namespace declarations in scope. */
    uint32_t scope_size;
    /* Whether the library has accepted two attributes of one name and namespace in the current tag. */
    bool has_redefined_attribute;

    /* A text, or a CDATA section, that may be extended before it is put on the tape; 0 for none. It follows the last
     * record. */
    cxml_kind open_text;
    cxml_slice open_slice;
    /* Whether the next section is another part of that section. */
    bool section_goes_on;

    size_t expanded_bytes;
    size_t max_expansion_bytes;
    /* The length of the long names of accepted errors, with the same limit. */
    size_t error_bytes;
    /* The entity that was declared last: the library looks it up once for itself. */
    const xmlChar *declared;
    /* Whether the parser is in the document type declaration, and whether that refers to a DTD. */
    bool in_doctype, refers_to_dtd;
    /* The entities. NULL without a document type declaration. */
    xmlDocPtr document;

    /* The defaults of elements, by name: values are of type default_count. */
    xmlHashTablePtr defaults;
    /* Whether there are namespace declarations among them. */
    bool has_default_namespaces;

    /* The records that are still to be located, the first of which is `stop_at`, and the place of their offsets. */
    const size_t *wanted_records;
    size_t *wanted_bytes;
    size_t wanted_count;

    cxml_slice public_identifier, system_identifier;
    /* The name of the undeclared entity at which reading stopped, in `note_text`. */
    cxml_slice undeclared_entity;
};

/* MARK: Opening */

/* Returns NULL if there is no memory. */
cxml_tape *tape_open(size_t count, const cxml_options *options);

/* Reserves memory for a usual document. */
bool tape_reserve(cxml_tape *tape);

/* Returns unneeded memory to the system. */
void tape_trim(cxml_tape *tape);

/* MARK: Stopping */

/* Returns the parser's offset in the source: in the document itself, even while it reads an entity. */
size_t tape_offset(cxml_tape *tape);

/* Whether the section that the parser has just read was split at its end. */
bool tape_is_at_split(cxml_tape *tape);

/* Stops: the parser receives no further piece, and what it still reports is ignored. Only the first reason counts.
 *
 * xmlStopParser must not be used here, because it frees the input: errors are reported while the library still reads
 * it. */
COLD void tape_stop_at(cxml_tape *tape, cxml_outcome outcome, int32_t number, size_t byte);

COLD void tape_stop(cxml_tape *tape, cxml_outcome outcome, int32_t number);

/* Stops at a reference to the entity `name`, which is not declared. */
COLD void tape_stop_at_undeclared(cxml_tape *tape, const xmlChar *name);

/* MARK: Growing */

/* Returns memory for `needed` elements in total, with the existing ones moved to it. If there is none, stops the
 * parser and returns NULL. */
COLD void *tape_grow(cxml_tape *tape, void *things, size_t *capacity, size_t needed, size_t thing_bytes);

/* Reserves memory in the array `field` for `needed` elements in total; executes `return failed` if there is none. */
#define RESERVE(tape, field, capacity, needed, failed)                                                                 \
    do {                                                                                                               \
        if ((needed) > (tape)->capacity) {                                                                             \
            void *moved = tape_grow(tape, (tape)->field, &(tape)->capacity, needed, sizeof(*(tape)->field));           \
            if (moved == NULL) return failed;                                                                          \
            (tape)->field = moved;                                                                                     \
        }                                                                                                              \
    } while (0)

/* MARK: Text */

/* Reserves memory for `bytes` more of text. */
COLD bool tape_reserve_text(cxml_tape *tape, size_t bytes);

static ALWAYS_INLINE cxml_slice add_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    cxml_slice slice = {(uint32_t)tape->text_bytes, (uint32_t)bytes};
    if (tape->text_capacity - tape->text_bytes < bytes + CXML_SLACK_BYTES && !tape_reserve_text(tape, bytes))
        return (cxml_slice){0, 0};
    if (bytes > 0) memcpy(tape->text + tape->text_bytes, text, bytes);
    tape->text_bytes += bytes;
    return slice;
}

/* Adds to the open text, which is the last one. */
static ALWAYS_INLINE void extend_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    tape->open_slice.bytes += add_text(tape, text, bytes).bytes;
}

cxml_slice tape_add_string(cxml_tape *tape, const xmlChar *text);

/* MARK: Records */

/* Reserves memory for one more record, unless reading must stop here. */
COLD bool tape_reserve_record(cxml_tape *tape);

/* Whether one more record may be added: there is capacity, and reading need not stop here. */
static ALWAYS_INLINE bool may_add_record(cxml_tape *tape) {
    return tape->record_bytes < tape->record_limit || tape_reserve_record(tape);
}

static ALWAYS_INLINE uint8_t *put_number(uint8_t *end, size_t number) {
    uint32_t four_bytes = (uint32_t)number;
    memcpy(end, &four_bytes, sizeof(four_bytes));
    return end + sizeof(four_bytes);
}

static ALWAYS_INLINE uint8_t *put_name(uint8_t *end, uint32_t name) {
    if (name >= 0x80) *end++ = (uint8_t)(0x80 | name >> 8);
    *end = (uint8_t)name;
    return end + 1;
}

/* Completes the record that begins with `first` with its text, and adds it to the tape. */
static ALWAYS_INLINE void put_text(cxml_tape *tape, uint8_t *first, uint8_t *end, cxml_slice slice) {
    uint32_t bytes = slice.bytes;
    *first |= (uint8_t)((bytes < 15 ? bytes : 15) << 4);
    if (bytes >= 15) {
        for (; bytes >= 0x80; bytes >>= 7)
            *end++ = (uint8_t)(0x80 | bytes);
        *end++ = (uint8_t)bytes;
    }
    if (slice.bytes > CXML_MAX_INLINE_BYTES) {
        end = put_number(end, slice.start);
    } else if (slice.bytes > 0) {
        /* That many bytes may be read after every text, and written on the tape. */
        memcpy(end, tape->text + slice.start, CXML_MAX_INLINE_BYTES);
        end += slice.bytes;
    }
    tape->record_bytes = (size_t)(end - tape->records);
}

/* The same for a text that no other record has, which is not kept twice. */
static ALWAYS_INLINE void put_own_text(cxml_tape *tape, uint8_t *first, uint8_t *end, cxml_slice slice) {
    put_text(tape, first, end, slice);
    bool is_last = slice.start + slice.bytes == tape->text_bytes;
    if (is_last && slice.bytes <= CXML_MAX_INLINE_BYTES) tape->text_bytes = slice.start;
}

/* Puts the open text on the tape. */
static ALWAYS_INLINE void close_text(cxml_tape *tape, cxml_kind kind) {
    uint8_t *first = tape->records + tape->record_bytes;
    *first = (uint8_t)kind;
    put_own_text(tape, first, first + 1, tape->open_slice);
    tape->open_text = 0;
}

/* MARK: Names */

static inline size_t slot_index(const cxml_tape *tape, const xmlChar *prefix, const xmlChar *local,
                                const xmlChar *uri) {
    uint64_t parts = (uint64_t)(uintptr_t)local ^ (uint64_t)(uintptr_t)prefix << 17 ^ (uint64_t)(uintptr_t)uri << 34;
    return (size_t)(parts * 0x9E3779B97F4A7C15u >> tape->slot_shift);
}

static inline name_slot *find_slot(const cxml_tape *tape, const xmlChar *prefix, const xmlChar *local,
                                   const xmlChar *uri) {
    size_t index = slot_index(tape, prefix, local, uri);
    for (;; index = (index + 1) & (tape->slot_count - 1)) {
        name_slot *slot = &tape->slots[index];
        if (slot->local == local && slot->prefix == prefix && slot->namespace_uri == uri) return slot;
        if (slot->name == 0) return slot;
    }
}

/* Counts bytes in the library's dictionary. Returns false if there are too many. */
bool tape_charge_name_bytes(cxml_tape *tape, size_t bytes);

/* Counts a part of a name, which is in the dictionary, once. Returns NULL if the limit is exceeded. */
part_slot *tape_charge_part(cxml_tape *tape, const xmlChar *part);

/* Puts a part of a name into the text, once: thousands of names may be in a namespace with a long name, and
 * thousands of elements may declare it. Returns an empty slice for NULL. */
cxml_slice tape_add_part(cxml_tape *tape, const xmlChar *part);

/* Adds a name that `intern` did not find. */
COLD uint32_t tape_add_name(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri);

/* Returns the index of a name whose parts are in the parser's dictionary or NULL. Returns 0 if there is no memory. */
static ALWAYS_INLINE uint32_t intern(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri) {
    const name_slot *slot = tape->slot_count == 0 ? NULL : find_slot(tape, prefix, local, uri);
    return slot != NULL && slot->name != 0 ? slot->name - 1 : tape_add_name(tape, prefix, local, uri);
}

/* MARK: Expansion */

/* The charge for a use of an entity in addition to its text: the library creates a parser for each. */
static const size_t entity_charge_bytes = 16;

/* Counts text that is not in the source: entities, for each use, and default attributes. */
bool tape_charge(cxml_tape *tape, size_t bytes);

/* MARK: Notes */

/* Notes an error that is accepted, unless there are too many notes. */
void tape_add_note(cxml_tape *tape, int32_t number, const xmlChar *name);

#pragma GCC visibility pop

#endif
