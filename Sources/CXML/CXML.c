#include "CXML.h"

#include <endian.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What happens once in a while stays out of what happens for every element, and so does what would make that keep
 * more in registers than it needs. */
#define SELDOM __attribute__((cold, noinline))
#define APART __attribute__((noinline))
#define WITHIN inline __attribute__((always_inline))

/* How much the push parser is given at a time, which it copies: small enough for the copy to stay in a near cache. */
static const size_t piece_bytes = 16 << 10;

/* What a use of an entity is charged beside its text: the library sets up a parser for each. */
static const size_t entity_charge_bytes = 16;

/* How many times its length the use of a parameter entity is charged: declarations cost more than text. */
static const size_t parameter_entity_weight = 16;

/* The shortest that an attribute can be, a space before it: ` a=""`. */
static const size_t shortest_attribute_bytes = 5;

/* One entry of the table that finds a name by the library's pointers, which are the same for the same text. */
typedef struct {
    const xmlChar *prefix;
    const xmlChar *local;
    const xmlChar *namespace_uri;
    /* Index of the name, plus 1; 0 for none. */
    uint32_t name;
} name_slot;

/* One entry of the table that finds where a part of a name was put. */
typedef struct {
    const xmlChar *part;
    cxml_slice slice;
} part_slot;

typedef struct {
    uint32_t record;
    /* Namespace declarations in scope around it. */
    uint32_t outer_scope_size;
    /* Of its children so far: what they are, the name of the last one, plus 1, and a bit for every name that they have:
     * 64 in turn. */
    uint8_t content;
    uint32_t last_name;
    uint64_t names;
} open_element;

struct cxml_tape {
    cxml_options options;
    xmlParserCtxtPtr parser;

    cxml_outcome outcome;
    int32_t number;
    size_t byte;

    cxml_record *records;
    size_t record_count, record_capacity;
    /* Up to where there is room, or where to stop. */
    size_t record_end;
    /* A source that is read whole, with a 0 behind it: what stands in it as it is needs no copy. All other text comes
     * after its `source_room` bytes, and is put behind it in the end. */
    uint8_t *source;
    size_t source_room, source_capacity;
    uint8_t *text;
    size_t text_bytes, text_capacity;
    cxml_name *names;
    size_t name_count, name_capacity;
    /* As many as a power of two, which the topmost bits of a hash tell: shifted by `slot_shift`. */
    name_slot *slots;
    size_t slot_count;
    uint32_t slot_shift;
    part_slot *parts;
    size_t part_count, part_slot_count;
    cxml_note *notes;
    size_t note_count, note_capacity, unlisted_note_count;

    open_element *open_elements;
    size_t open_count, open_capacity;
    /* Up to where there is room, or where it is too deep. */
    size_t open_end;
    /* Namespace declarations in scope. */
    uint32_t scope_size;
    bool has_root;

    /* Whether the last record is a CDATA section, and where in the source it may go on. */
    bool section_is_open;
    /* Whether more may be added to the text of a record, and of which: the last one, or the open element. */
    bool text_is_open;
    uint32_t text_record;
    /* How much of the beginning of that text is known to be white space. */
    uint32_t blank_bytes;
    size_t section_end;
    /* Whether the last byte of the section was a carriage return, which became a line feed. */
    bool section_ends_in_return;

    size_t expanded_bytes;
    size_t max_expansion_bytes;
    /* An entity that was declared just now: the library looks it up once for itself. */
    const xmlChar *declared;
    size_t source_bytes;

    /* How many default attributes an element has, by the number of its name. */
    uint32_t *default_counts;
    size_t default_capacity;

    cxml_slice version;
    int32_t standalone;
    cxml_slice public_identifier, system_identifier;
};

/* MARK: Stopping */

/* Where in the source the parser stands: in the document itself, whatever entity it may be reading. */
static size_t position(const cxml_tape *tape) {
    const xmlParserCtxt *parser = tape->parser;
    if (parser == NULL) return 0;
    if (parser->inputNr < 1) return tape->source_bytes;
    const xmlParserInput *input = parser->inputTab[0];
    size_t byte = (size_t)input->consumed + (size_t)(input->cur - input->base);
    return byte < tape->source_bytes ? byte : tape->source_bytes;
}

/* Only the first reason counts.
 *
 * What xmlStopParser does, freeing the input, must not be done here: an error is told while the library still reads in
 * it. These flags, which it sets itself after an error, make the push parser return after the token, the internal
 * subset or the entity that it is in; the other one needs to be told that the text ends. */
SELDOM static void stop_at(cxml_tape *tape, cxml_outcome outcome, int32_t number, size_t byte) {
    if (tape->outcome != CXML_WHOLE) return;
    tape->outcome = outcome;
    tape->number = number;
    tape->byte = byte;
    if (tape->parser == NULL) return;
    tape->parser->wellFormed = 0;
    tape->parser->disableSAX = 1;
    if (tape->parser->errNo == XML_ERR_OK) tape->parser->errNo = XML_ERR_USER_STOP;
    if (tape->source != NULL) tape->parser->instate = XML_PARSER_EOF;
}

SELDOM static void stop(cxml_tape *tape, cxml_outcome outcome, int32_t number) {
    stop_at(tape, outcome, number, position(tape));
}

/* MARK: Growing */

/* Room for `needed` things in all, where those that there are have moved to; NULL where there is none, and then the
 * parser is stopped. */
SELDOM static void *grow(cxml_tape *tape, void *things, size_t *capacity, size_t needed, size_t thing_bytes) {
    size_t grown = *capacity < 64 ? 64 : *capacity * 2;
    if (grown < needed) grown = needed;
    /* Offsets have 32 bits. */
    void *moved = grown > UINT32_MAX ? NULL : realloc(things, grown * thing_bytes);
    if (moved == NULL)
        stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
    else
        *capacity = grown;
    return moved;
}

/* Makes room in the array `field` for `needed` things in all; `return failed` where there is none. */
#define RESERVE(tape, field, capacity, needed, failed)                                                                 \
    do {                                                                                                               \
        if ((needed) > (tape)->capacity) {                                                                             \
            void *moved = grow(tape, (tape)->field, &(tape)->capacity, needed, sizeof(*(tape)->field));                \
            if (moved == NULL) return failed;                                                                          \
            (tape)->field = moved;                                                                                     \
        }                                                                                                              \
    } while (0)

/* MARK: Text */

/* Where the next copied text goes. */
static size_t text_end(const cxml_tape *tape) {
    return tape->source_room + tape->text_bytes;
}

static const uint8_t *text_at(const cxml_tape *tape, size_t start) {
    return start < tape->source_room ? tape->source + start : tape->text + (start - tape->source_room);
}

/* Where a text stands in the source; beyond it where it is a copy of the library's. */
static size_t source_offset(const cxml_tape *tape, const xmlChar *text) {
    return tape->source_room == 0 ? SIZE_MAX : (size_t)((uintptr_t)text - (uintptr_t)tape->source);
}

static bool reserve_text(cxml_tape *tape, size_t bytes) {
    /* Offsets have 32 bits. */
    if (bytes > UINT32_MAX - CXML_SLACK_BYTES - text_end(tape)) {
        stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
        return false;
    }
    RESERVE(tape, text, text_capacity, tape->text_bytes + bytes + CXML_SLACK_BYTES, false);
    return true;
}

static APART cxml_slice copy_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    if (bytes == 0 || !reserve_text(tape, bytes)) return (cxml_slice){0, 0};
    cxml_slice slice = {(uint32_t)text_end(tape), (uint32_t)bytes};
    memcpy(tape->text + tape->text_bytes, text, bytes);
    tape->text_bytes += bytes;
    return slice;
}

static WITHIN cxml_slice add_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    size_t offset = source_offset(tape, text);
    if (offset >= tape->source_room) return copy_text(tape, text, bytes);
    return (cxml_slice){(uint32_t)offset, (uint32_t)bytes};
}

/* Adds to a record's text. */
static APART void extend_text(cxml_tape *tape, cxml_record *record, const xmlChar *text, size_t bytes) {
    size_t end = (size_t)record->start + record->bytes;
    if (end == source_offset(tape, text)) {
        record->bytes += (uint32_t)bytes;
        return;
    }
    if (!reserve_text(tape, (size_t)record->bytes + bytes)) return;
    if (end != text_end(tape)) {
        size_t start = text_end(tape);
        memcpy(tape->text + tape->text_bytes, text_at(tape, record->start), record->bytes);
        tape->text_bytes += record->bytes;
        record->start = (uint32_t)start;
    }
    record->bytes += copy_text(tape, text, bytes).bytes;
}

static cxml_slice add_string(cxml_tape *tape, const xmlChar *text) {
    return copy_text(tape, text, text == NULL ? 0 : strlen((const char *)text));
}

/* MARK: Records */

/* Makes room for one more, unless this is where to stop. */
SELDOM static bool reserve_record(cxml_tape *tape) {
    if (tape->record_count == tape->options.stop_at) {
        stop(tape, CXML_STOPPED, XML_ERR_USER_STOP);
        return false;
    }
    RESERVE(tape, records, record_capacity, tape->record_count + 1, false);
    tape->record_end = tape->record_capacity < tape->options.stop_at ? tape->record_capacity : tape->options.stop_at;
    return true;
}

/* NULL where there is no room, or the parser is to stop. */
static WITHIN cxml_record *add_record(cxml_tape *tape, cxml_kind kind, uint32_t name) {
    if (tape->record_count == tape->record_end && !reserve_record(tape)) return NULL;
    cxml_record *record = &tape->records[tape->record_count++];
    *record = (cxml_record){.kind = (uint8_t)kind, .name = name};
    tape->text_is_open = tape->section_is_open = false;
    return record;
}

static WITHIN void add_text_record(cxml_tape *tape, cxml_kind kind, uint32_t name, const xmlChar *text, size_t bytes) {
    cxml_record *record = add_record(tape, kind, name);
    if (record == NULL) return;
    cxml_slice slice = add_text(tape, text, bytes);
    record->start = slice.start;
    record->bytes = slice.bytes;
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

SELDOM static bool grow_slots(cxml_tape *tape) {
    size_t old_count = tape->slot_count;
    name_slot *old = tape->slots;
    size_t count = old_count == 0 ? 64 : old_count * 2;
    name_slot *slots = calloc(count, sizeof(name_slot));
    if (slots == NULL) {
        stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
        return false;
    }
    tape->slots = slots;
    tape->slot_count = count;
    tape->slot_shift = 64 - (uint32_t)__builtin_ctzll(count);
    for (size_t index = 0; index < old_count; index++)
        if (old[index].name != 0)
            *find_slot(tape, old[index].prefix, old[index].local, old[index].namespace_uri) = old[index];
    free(old);
    return true;
}

static part_slot *find_part(const cxml_tape *tape, const xmlChar *part) {
    size_t index = (size_t)((uint64_t)(uintptr_t)part * 0x9E3779B97F4A7C15u >> 32);
    for (;; index++) {
        part_slot *slot = &tape->parts[index & (tape->part_slot_count - 1)];
        if (slot->part == part || slot->part == NULL) return slot;
    }
}

static bool grow_parts(cxml_tape *tape) {
    size_t old_count = tape->part_slot_count;
    part_slot *old = tape->parts;
    size_t count = old_count == 0 ? 64 : old_count * 2;
    part_slot *parts = calloc(count, sizeof(part_slot));
    if (parts == NULL) {
        stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
        return false;
    }
    tape->parts = parts;
    tape->part_slot_count = count;
    for (size_t index = 0; index < old_count; index++)
        if (old[index].part != NULL) *find_part(tape, old[index].part) = old[index];
    free(old);
    return true;
}

/* Puts a part of a name into the text, once: thousands of names may be in a namespace whose name is long. */
static cxml_slice add_part(cxml_tape *tape, const xmlChar *part) {
    cxml_slice none = {0, 0};
    if (part == NULL) return none;
    if (tape->part_count * 2 >= tape->part_slot_count && !grow_parts(tape)) return none;
    part_slot *slot = find_part(tape, part);
    if (slot->part == NULL) {
        *slot = (part_slot){part, add_string(tape, part)};
        tape->part_count++;
    }
    return slot->slice;
}

/* The same as `intern`, for a name that is not known yet. */
SELDOM static uint32_t add_name(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri) {
    if (tape->name_count * 2 >= tape->slot_count && !grow_slots(tape)) return 0;
    /* The library's dictionary has a fixed size, and becomes a list. */
    if (tape->name_count >= tape->options.max_names) {
        stop(tape, CXML_NAMES, XML_ERR_USER_STOP);
        return 0;
    }
    RESERVE(tape, names, name_capacity, tape->name_count + 1, 0);
    cxml_name name = {add_part(tape, prefix), add_part(tape, local), add_part(tape, uri), 0};
    tape->names[tape->name_count++] = name;
    *find_slot(tape, prefix, local, uri) = (name_slot){prefix, local, uri, (uint32_t)tape->name_count};
    return (uint32_t)tape->name_count - 1;
}

/* The index of a name whose parts are in the parser's dictionary, or NULL. 0 where memory is short. */
static WITHIN uint32_t intern(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri) {
    const name_slot *slot = tape->slot_count == 0 ? NULL : find_slot(tape, prefix, local, uri);
    return slot != NULL && slot->name != 0 ? slot->name - 1 : add_name(tape, prefix, local, uri);
}

/* The same for a part that is not in the dictionary yet. */
static uint32_t intern_text(cxml_tape *tape, const xmlChar *local) {
    return intern(tape, NULL, xmlDictLookup(tape->parser->dict, local, -1), NULL);
}

/* MARK: Expansion */

/* Counts what the text does not have itself: entities, each time they are used, and default attributes. */
static bool charge(cxml_tape *tape, size_t bytes) {
    tape->expanded_bytes += bytes;
    if (tape->expanded_bytes <= tape->max_expansion_bytes) return true;
    stop(tape, CXML_EXPANSION, XML_ERR_ENTITY_LOOP);
    return false;
}

/* MARK: Attributes too many
 *
 * The library compares each attribute of a tag with all others before anyone is told of the tag: 100 000 of them keep
 * it for seconds. So tags are counted before it sees them. A tag has no `<` in it after the first byte, and with more
 * than `max_attributes` it is long: nearly every block of the text has a `<`, which is found at once. */

/* Whether the tag that begins at `tag` has more attributes than `max`. `end` is the next `<`, or the end. */
static bool is_crowded(const uint8_t *tag, const uint8_t *end, size_t max) {
    size_t count = 0;
    uint8_t quote = 0;
    for (const uint8_t *byte = tag; byte < end; byte++) {
        if (quote != 0) {
            if (*byte == quote) quote = 0;
        } else if (*byte == '"' || *byte == '\'') {
            quote = *byte;
        } else if (*byte == '=') {
            if (++count > max) return true;
        } else if (*byte == '>') {
            return false;
        }
    }
    return false;
}

/* The first crowded tag that begins at or after `start`; `count` where there is none. */
static size_t next_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max) {
    size_t block = (max + 1) * shortest_attribute_bytes / 2;
    size_t offset = start;
    while (offset < count) {
        size_t rest = count - offset;
        const uint8_t *found = memchr(text + offset, '<', rest < block ? rest : block);
        if (found != NULL || offset == start) {
            /* Go to the last `<` of the block: what is long begins there. */
            size_t end = offset + (rest < block ? rest : block);
            size_t last = end;
            while (last > offset && text[last - 1] != '<')
                last--;
            if (last == offset) {
                offset = end;
                continue;
            }
            const uint8_t *next = end < count ? memchr(text + end, '<', count - end) : NULL;
            const uint8_t *tag_end = next == NULL ? text + count : next;
            const uint8_t *tag = text + last - 1;
            if ((size_t)(tag_end - tag) > 2 * block && is_crowded(tag, tag_end, max)) return (size_t)(tag - text);
            offset = (size_t)(tag_end - text);
        } else {
            offset += block;
        }
    }
    return count;
}

/* MARK: Document types too long
 *
 * The library reads an internal subset in one go, and some of its checks there are quadratic: each choice of an
 * enumeration is compared with all before it, 100 000 of them for a minute. So a document type declaration is measured
 * and looked through before it sees it. Where a subset is malformed it may end elsewhere for the library than here; it
 * stops at the fault then. */

/* Where `mark` ends after `offset`; `count` where it does not come. */
static size_t skip_past(const uint8_t *text, size_t offset, size_t count, const char *mark) {
    size_t bytes = strlen(mark);
    while (count - offset >= bytes) {
        const uint8_t *found = memchr(text + offset, mark[0], count - offset - bytes + 1);
        if (found == NULL) return count;
        offset = (size_t)(found - text);
        if (memcmp(found, mark, bytes) == 0) return offset + bytes;
        offset++;
    }
    return count;
}

static bool stands_at(const uint8_t *text, size_t offset, size_t count, const char *mark) {
    size_t bytes = strlen(mark);
    return count - offset >= bytes && memcmp(text + offset, mark, bytes) == 0;
}

/* Where the document type declaration begins; `count` without one. */
static size_t find_doctype(const uint8_t *text, size_t count) {
    size_t offset = 0;
    while (offset < count) {
        if (text[offset] == ' ' || (text[offset] >= '\t' && text[offset] <= '\r')) {
            offset++;
        } else if (stands_at(text, offset, count, "<?")) {
            offset = skip_past(text, offset, count, "?>");
        } else if (stands_at(text, offset, count, "<!--")) {
            offset = skip_past(text, offset + 4, count, "-->");
        } else {
            return stands_at(text, offset, count, "<!DOCTYPE") ? offset : count;
        }
    }
    return count;
}

/* Where a document type declaration that begins at `offset` ends; `count` where it does not. `quiet_bytes` are those of
 * quoted text, comments and instructions, which cost no more than their length. */
static size_t doctype_end(const uint8_t *text, size_t offset, size_t count, size_t *quiet_bytes, bool *has_subset) {
    /* Whether `offset` is in the internal subset, and in a declaration, at first the outer one. */
    bool in_subset = false, in_declaration = true;
    while (offset < count) {
        uint8_t byte = text[offset];
        size_t start = offset;
        if (in_declaration && (byte == '"' || byte == '\'')) {
            const uint8_t *quote = memchr(text + offset + 1, byte, count - offset - 1);
            offset = quote == NULL ? count : (size_t)(quote - text) + 1;
            *quiet_bytes += offset - start - 1;
        } else if (in_subset && !in_declaration && stands_at(text, offset, count, "<!--")) {
            offset = skip_past(text, offset + 4, count, "-->");
            *quiet_bytes += offset - start;
        } else if (in_subset && !in_declaration && stands_at(text, offset, count, "<?")) {
            offset = skip_past(text, offset, count, "?>");
            *quiet_bytes += offset - start;
        } else {
            offset++;
            if (byte == '>') {
                if (!in_subset) return offset;
                in_declaration = false;
            } else if (byte == '<') {
                in_declaration = true;
            } else if (byte == '[' && !in_subset) {
                *has_subset = in_subset = true;
                in_declaration = false;
            } else if (byte == ']' && in_subset && !in_declaration) {
                in_subset = false;
                in_declaration = true;
            }
        }
    }
    return count;
}

/* The first place with more than `max` choices after one parenthesis; `count` where there is none. */
static size_t crowded_choice(const uint8_t *text, size_t count, size_t max) {
    size_t choices = 0;
    for (size_t offset = 0; offset < count; offset++) {
        uint8_t byte = text[offset];
        if (byte == '(')
            choices = 1;
        else if (byte == ')' || byte == '<' || byte == '>')
            choices = 0;
        else if (byte == '|' && choices > 0 && ++choices > max)
            return offset;
    }
    return count;
}

/* Stops before a document type declaration that is too long, or has an enumeration that is. Whether there is an
 * internal subset. */
static bool check_doctype(cxml_tape *tape, const uint8_t *source, size_t count) {
    size_t start = find_doctype(source, count);
    if (start == count) return false;
    size_t quiet_bytes = 0;
    bool has_subset = false;
    size_t bytes = doctype_end(source, start, count, &quiet_bytes, &has_subset) - start;
    size_t max = tape->options.max_doctype_bytes;
    size_t crowded = crowded_choice(source + start, bytes, tape->options.max_choices);
    if (bytes - quiet_bytes > max)
        stop_at(tape, CXML_DOCTYPE_BYTES, XML_ERR_USER_STOP, start);
    else if (crowded < bytes)
        stop_at(tape, CXML_CHOICES, XML_ERR_USER_STOP, start + crowded);
    return has_subset;
}

/* MARK: The document */

static void on_start_document(void *context) {
    cxml_tape *tape = context;
    xmlSAX2StartDocument(tape->parser);
    tape->version = add_string(tape, tape->parser->version);
    tape->standalone = tape->parser->standalone;
}

static void on_internal_subset(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    cxml_tape *tape = context;
    xmlSAX2InternalSubset(tape->parser, name, public, system);
    tape->public_identifier = add_string(tape, public);
    tape->system_identifier = add_string(tape, system);
    add_text_record(tape, CXML_DOCTYPE, intern_text(tape, name), NULL, 0);
}

/* Nothing outside the text is read, so there is nothing to do; without this the library would load it. */
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
    /* Only what has its text here. */
    tape->declared = content == NULL ? NULL : name;
    if (content != NULL) {
        size_t bytes = strlen((const char *)content);
        size_t max = tape->options.max_attributes;
        if (next_crowded_tag(content, 0, bytes, max) < bytes) {
            stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
            return;
        }
        if (crowded_choice(content, bytes, tape->options.max_choices) < bytes) {
            stop(tape, CXML_CHOICES, XML_ERR_USER_STOP);
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

/* The library leaves it to whoever keeps notations to see that one has no identifier (XML 1.0 §4.7). */
static void on_notation(void *context, const xmlChar *name, const xmlChar *public, const xmlChar *system) {
    (void)name;
    if (public == NULL && system == NULL) stop(context, CXML_MALFORMED, XML_ERR_NOTATION_PROCESSING);
}

/* Whether the library looks up what it has just declared, to keep its source beside it. That is no use of it. */
static bool is_declaring(cxml_tape *tape, const xmlChar *name) {
    const xmlChar *declared = tape->declared;
    tape->declared = NULL;
    return declared != NULL && tape->parser->inSubset != 0 && xmlStrEqual(declared, name);
}

static void add_note(cxml_tape *tape, int32_t number, const xmlChar *name) {
    if (tape->note_count >= tape->options.max_notes) {
        tape->unlisted_note_count++;
        return;
    }
    RESERVE(tape, notes, note_capacity, tape->note_count + 1, );
    cxml_note note = {number, (uint32_t)position(tape), add_string(tape, name)};
    tape->notes[tape->note_count++] = note;
}

/* An entity of XHTML's, in a document that refers to a DTD: most likely that would have declared it. */
static xmlEntityPtr entity_of_xhtml(cxml_tape *tape, const xmlChar *name) {
    xmlDocPtr document = tape->parser->myDoc;
    if (document == NULL || document->intSubset == NULL) return NULL;
    if (document->intSubset->ExternalID == NULL && document->intSubset->SystemID == NULL) return NULL;
    const htmlEntityDesc *known = htmlEntityLookup(name);
    if (known == NULL) return NULL;
    xmlChar character[8];
    character[xmlCopyCharMultiByte(character, (int)known->value)] = 0;
    add_note(tape, XML_ERR_UNDECLARED_ENTITY, name);
    return xmlAddDocEntity(document, name, XML_INTERNAL_GENERAL_ENTITY, NULL, NULL, character);
}

static xmlEntityPtr get_entity(void *context, const xmlChar *name) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return NULL;
    xmlEntityPtr entity = xmlSAX2GetEntity(tape->parser, name);
    if (is_declaring(tape, name)) return entity;
    if (entity == NULL) entity = entity_of_xhtml(tape, name);
    if (entity == NULL) {
        stop(tape, CXML_UNDECLARED_ENTITY, XML_ERR_UNDECLARED_ENTITY);
        return NULL;
    }
    if (entity->etype == XML_EXTERNAL_GENERAL_PARSED_ENTITY) {
        stop(tape, CXML_EXTERNAL_ENTITY, XML_ERR_ENTITY_IS_EXTERNAL);
        return NULL;
    }
    if (entity->etype == XML_INTERNAL_PREDEFINED_ENTITY) return entity;
    return charge(tape, (size_t)entity->length + entity_charge_bytes) ? entity : NULL;
}

static xmlEntityPtr get_parameter_entity(void *context, const xmlChar *name) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return NULL;
    xmlEntityPtr entity = xmlSAX2GetParameterEntity(tape->parser, name);
    if (is_declaring(tape, name) || entity == NULL) return entity;
    if (entity->etype == XML_EXTERNAL_PARAMETER_ENTITY) {
        stop(tape, CXML_EXTERNAL_ENTITY, XML_ERR_ENTITY_IS_EXTERNAL);
        return NULL;
    }
    size_t bytes = (size_t)entity->length * parameter_entity_weight + entity_charge_bytes;
    return charge(tape, bytes) ? entity : NULL;
}

/* MARK: Declarations of attributes
 *
 * The library keeps them in lists that it walks to the end for each. What it needs to know of them to give attributes
 * their defaults it keeps elsewhere. */

static void on_attribute_declaration(void *context, const xmlChar *element, const xmlChar *name, int type, int use,
                                     const xmlChar *value, xmlEnumerationPtr choices) {
    cxml_tape *tape = context;
    (void)name, (void)type, (void)use;
    xmlFreeEnumeration(choices);
    if (value == NULL) return;
    uint32_t index = intern_text(tape, element);
    size_t old = tape->default_capacity;
    RESERVE(tape, default_counts, default_capacity, index + 1, );
    if (tape->default_capacity > old)
        memset(tape->default_counts + old, 0, (tape->default_capacity - old) * sizeof(uint32_t));
    if (++tape->default_counts[index] > tape->options.max_attributes) stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
}

/* MARK: Content */

static inline bool is_blank(uint8_t byte, uint8_t line_end) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == line_end;
}

/* How many bytes of white space a text begins with, mostly a line feed and an indentation. `line_end` is '\n', or '\r'
 * for both. */
static inline size_t leading_blanks(const uint8_t *text, size_t bytes, uint8_t line_end) {
    size_t index = bytes > 0 && *text == '\n';
    while (bytes - index >= 8) {
        uint64_t word;
        memcpy(&word, text + index, 8);
        /* Its lowest byte that is not 0 is the first one that is no space. */
        word = le64toh(word) ^ 0x2020202020202020u;
        if (word != 0) {
            index += (size_t)__builtin_ctzll(word) / 8;
            if (!is_blank(text[index], line_end)) return index;
            index++;
        } else {
            index += 8;
        }
    }
    while (index < bytes && is_blank(text[index], line_end))
        index++;
    return index;
}

/* Notes what the text is that a tag ends in an element that has children, where the text has a record of its own. */
static APART void close_text(cxml_tape *tape, open_element *element) {
    tape->text_is_open = false;
    const cxml_record text = tape->records[tape->text_record];
    size_t blanks = tape->blank_bytes;
    if (blanks < text.bytes) blanks += leading_blanks(text_at(tape, text.start) + blanks, text.bytes - blanks, '\r');
    element->content |= blanks == text.bytes ? CXML_HAS_BLANKS : CXML_HAS_WORDS;
    if (tape->text_record != element->record) return;
    cxml_record *record = add_record(tape, CXML_TEXT, 0);
    if (record == NULL) return;
    record->start = text.start;
    record->bytes = text.bytes;
}

static inline void note_child(cxml_tape *tape, open_element *parent, uint32_t name) {
    if (tape->text_is_open) close_text(tape, parent);
    parent->content |= CXML_HAS_RECORDS;
    if (parent->last_name == name + 1) return;
    uint64_t bit = (uint64_t)1 << (name % 64);
    if ((parent->names & bit) != 0) parent->content |= CXML_MAY_RECUR;
    parent->names |= bit;
    parent->last_name = name + 1;
    tape->names[name].is_child = 1;
}

SELDOM static bool reserve_element(cxml_tape *tape) {
    if (tape->open_count >= tape->options.max_depth) {
        stop(tape, CXML_DEPTH, XML_ERR_USER_STOP);
        return false;
    }
    RESERVE(tape, open_elements, open_capacity, tape->open_count + 1, false);
    size_t max = tape->options.max_depth;
    tape->open_end = tape->open_capacity < max ? tape->open_capacity : max;
    return true;
}

static void on_start_element(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                             int namespace_count, const xmlChar **namespaces, int attribute_count, int default_count,
                             const xmlChar **attributes) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return;
    if (tape->open_count == tape->open_end && !reserve_element(tape)) return;
    size_t all_count = (size_t)namespace_count + (size_t)attribute_count;
    if (all_count > tape->options.max_attributes) return stop(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP);
    /* Each prefix is looked for in all of them. */
    uint32_t outer_scope_size = tape->scope_size;
    tape->scope_size += (uint32_t)namespace_count;
    if (tape->scope_size > tape->options.max_namespaces) return stop(tape, CXML_NAMESPACES, XML_ERR_USER_STOP);

    uint32_t name = intern(tape, prefix, local, uri);
    if (tape->open_count > 0 && tape->outcome == CXML_WHOLE)
        note_child(tape, &tape->open_elements[tape->open_count - 1], name);
    if (tape->outcome == CXML_STOPPED) return;
    uint32_t index = (uint32_t)tape->record_count;
    cxml_record *element = add_record(tape, CXML_ELEMENT, name);
    if (element == NULL) return;
    element->attributes = (uint16_t)all_count;
    tape->has_root = true;
    tape->open_elements[tape->open_count++] = (open_element){.record = index, .outer_scope_size = outer_scope_size};

    for (int pair = 0; pair < namespace_count; pair++) {
        const xmlChar *value = namespaces[2 * pair + 1];
        add_text_record(tape, CXML_NAMESPACE, intern(tape, NULL, namespaces[2 * pair], NULL), value,
                        value == NULL ? 0 : strlen((const char *)value));
    }
    for (int tuple = 0; tuple < attribute_count && tape->outcome == CXML_WHOLE; tuple++) {
        const xmlChar **attribute = attributes + 5 * tuple;
        size_t bytes = (size_t)(attribute[4] - attribute[3]);
        /* The defaults come last. */
        if (tuple >= attribute_count - default_count && !charge(tape, bytes + entity_charge_bytes)) return;
        add_text_record(tape, CXML_ATTRIBUTE, intern(tape, attribute[1], attribute[0], attribute[2]), attribute[3],
                        bytes);
    }
}

/* Takes the white space behind an end tag out of the source, if another tag follows it: an indentation, which the
 * library would go through byte by byte, counting columns that nobody asks for. It goes on behind it. */
static APART void take_blanks(cxml_tape *tape) {
    xmlParserInputPtr input = tape->parser->input;
    size_t start = source_offset(tape, input->cur);
    /* Behind the root, or in an entity. */
    if (tape->open_count == 0 || start >= tape->source_room) return;
    /* A 0 comes before the end. */
    size_t bytes = leading_blanks(input->cur, tape->source_room - start, '\n');
    if (bytes == 0 || input->cur[bytes] != '<') return;
    input->cur += bytes;
    cxml_record *record = add_record(tape, CXML_TEXT, 0);
    if (record == NULL) return;
    record->start = (uint32_t)start;
    record->bytes = tape->blank_bytes = (uint32_t)bytes;
    tape->text_record = (uint32_t)tape->record_count - 1;
    tape->text_is_open = true;
}

static void on_end_element(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    cxml_tape *tape = context;
    (void)local, (void)prefix, (void)uri;
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0) return;
    open_element *element = &tape->open_elements[--tape->open_count];
    tape->scope_size = element->outer_scope_size;
    if (element->content != 0 && tape->text_is_open) close_text(tape, element);
    if (tape->options.keep_all) element->content |= CXML_HAS_RECORDS;
    cxml_record *record = &tape->records[element->record];
    record->content = element->content;
    if (element->content != 0) record->end = (uint32_t)tape->record_count;
    tape->text_is_open = tape->section_is_open = false;
    if (*tape->parser->input->cur != '<') take_blanks(tape);
}

/* Text comes in pieces. */
static void on_characters(void *context, const xmlChar *text, int count) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0) return;
    if (tape->text_is_open) return extend_text(tape, &tape->records[tape->text_record], text, (size_t)count);
    tape->blank_bytes = 0;
    const open_element *element = &tape->open_elements[tape->open_count - 1];
    if (tape->options.keep_all || element->content != 0) {
        add_text_record(tape, CXML_TEXT, 0, text, (size_t)count);
        tape->text_record = (uint32_t)tape->record_count - 1;
    } else {
        cxml_slice slice = add_text(tape, text, (size_t)count);
        tape->text_record = element->record;
        tape->records[element->record].start = slice.start;
        tape->records[element->record].bytes = slice.bytes;
    }
    tape->text_is_open = tape->outcome == CXML_WHOLE;
}

static void add_section_text(cxml_tape *tape, const xmlChar *text, size_t count) {
    if (!tape->options.keep_all) return on_characters(tape, text, (int)count);
    if (tape->section_is_open) return extend_text(tape, &tape->records[tape->record_count - 1], text, count);
    add_text_record(tape, CXML_CDATA, 0, text, count);
    tape->section_is_open = tape->outcome == CXML_WHOLE;
}

/* A section comes in pieces too, which follow each other in the source; two sections have a `]]>` between them. The
 * push parser leaves the ends of lines as they are (XML 1.0 §2.11). */
static void on_section(void *context, const xmlChar *text, int count) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0) return;
    const xmlParserInput *input = tape->parser->input;
    size_t start = SIZE_MAX;
    if (text >= input->base && text < input->end) start = (size_t)input->consumed + (size_t)(text - input->base);
    bool goes_on = start != SIZE_MAX && start == tape->section_end;
    tape->section_end = start == SIZE_MAX ? 0 : start + (size_t)count;
    if (!goes_on) tape->section_is_open = tape->section_ends_in_return = false;

    const xmlChar *end = text + count;
    if (tape->section_ends_in_return && count > 0 && *text == '\n') text++;
    tape->section_ends_in_return = count > 0 && end[-1] == '\r';
    const xmlChar *line_end;
    while ((line_end = memchr(text, '\r', (size_t)(end - text))) != NULL) {
        add_section_text(tape, text, (size_t)(line_end - text));
        add_section_text(tape, BAD_CAST "\n", 1);
        text = line_end + 1;
        if (text < end && *text == '\n') text++;
    }
    add_section_text(tape, text, (size_t)(end - text));
}

/* Those of a DTD are no content. */
static void on_comment(void *context, const xmlChar *text) {
    cxml_tape *tape = context;
    if (!tape->options.keep_all || tape->parser->inSubset != 0 || tape->outcome != CXML_WHOLE) return;
    add_text_record(tape, CXML_COMMENT, 0, text, strlen((const char *)text));
}

static void on_instruction(void *context, const xmlChar *target, const xmlChar *data) {
    cxml_tape *tape = context;
    if (!tape->options.keep_all || tape->parser->inSubset != 0 || tape->outcome != CXML_WHOLE) return;
    add_text_record(tape, CXML_INSTRUCTION, intern_text(tape, target), data,
                    data == NULL ? 0 : strlen((const char *)data));
}

/* MARK: Errors */

static void on_error(void *context, xmlErrorPtr error) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || error->level < XML_ERR_ERROR) return;
    if (error->code == XML_ERR_NO_MEMORY) return stop(tape, CXML_NO_MEMORY, error->code);
    if (error->domain == XML_FROM_NAMESPACE) return add_note(tape, error->code, (const xmlChar *)error->str1);
    if (error->level != XML_ERR_FATAL) return;
    switch (error->code) {
    case XML_ERR_ENTITY_LOOP:
        return stop(tape, CXML_EXPANSION, error->code);
    case XML_ERR_UNDECLARED_ENTITY:
        return stop(tape, CXML_UNDECLARED_ENTITY, error->code);
    case XML_ERR_ENTITY_IS_EXTERNAL:
        return stop(tape, CXML_EXTERNAL_ENTITY, error->code);
    default:
        return stop(tape, CXML_MALFORMED, error->code);
    }
}

/* MARK: Reading
 *
 * There are two ways. A source with nothing in it that has to be stopped in time, no crowded tag and no internal
 * subset, is read whole: in one go, by a parser that takes each thing as it comes. The push parser looks for the end of
 * everything first; it is given pieces, and says better what is wrong: so it has the last word on what is malformed. */

/* What would read files and networks reads nothing. */
static xmlParserInputPtr load_nothing(const char *url, const char *identifier, xmlParserCtxtPtr parser) {
    (void)url, (void)identifier, (void)parser;
    return NULL;
}

static void on_stray_error(void *context, xmlErrorPtr error) {
    (void)context, (void)error;
}

static void prepare(void) {
    xmlInitParser();
    xmlSetExternalEntityLoader(load_nothing);
}

static void fill_handler(xmlSAXHandler *handler) {
    memset(handler, 0, sizeof(*handler));
    handler->initialized = XML_SAX2_MAGIC;
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
    handler->startElementNs = on_start_element;
    handler->endElementNs = on_end_element;
    handler->characters = on_characters;
    handler->ignorableWhitespace = on_characters;
    handler->cdataBlock = on_section;
    handler->comment = on_comment;
    handler->processingInstruction = on_instruction;
    handler->serror = on_error;
}

/* Hands `source` to the parser from where it left off up to `end`. */
static void feed(cxml_tape *tape, const uint8_t *source, size_t *start, size_t end) {
    while (*start < end && tape->outcome == CXML_WHOLE) {
        /* What it waits with, in the middle of a tag, say, is looked through again from its start: so the next piece is
         * at least as long, and all of these take no more than twice the time of one. */
        size_t waiting = *start - position(tape);
        size_t max = waiting > piece_bytes ? waiting : piece_bytes;
        size_t bytes = end - *start < max ? end - *start : max;
        xmlParseChunk(tape->parser, (const char *)source + *start, (int)bytes, 0);
        *start += bytes;
    }
}

/* Whether the tag at `tag`, whose first two bytes the parser has got, is one: what stands within a comment or a section
 * is not, and there the parser waits, or is, elsewhere. In a DTD it waits, too, and may find the tag in an entity. */
static bool is_tag(const cxml_tape *tape, size_t tag) {
    switch (tape->parser->instate) {
    case XML_PARSER_CDATA_SECTION:
        return false;
    default:
        return tape->open_count == 0 || position(tape) == tag;
    }
}

/* Makes a parser the tape's. */
static bool open_parser(cxml_tape *tape, xmlParserCtxtPtr parser) {
    if (parser == NULL) {
        stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
        return false;
    }
    tape->parser = parser;
    /* What no parser is told, such as an entity `lt` that means something else, would be written to standard error. The
     * setting is the thread's. */
    xmlSetStructuredErrorFunc(NULL, on_stray_error);
    fill_handler(parser->sax);
    parser->userData = tape;
    xmlCtxtUseOptions(parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_COMPACT);
    return true;
}

static void close_parser(cxml_tape *tape) {
    const xmlParserCtxt *parser = tape->parser;
    /* Fewer than four bytes make the library say nothing at all. */
    bool is_document = parser->wellFormed && tape->open_count == 0 && tape->has_root;
    if (!is_document) stop(tape, CXML_MALFORMED, parser->errNo != 0 ? parser->errNo : XML_ERR_DOCUMENT_EMPTY);
    xmlFreeDoc(tape->parser->myDoc);
    tape->parser->myDoc = NULL;
    xmlFreeParserCtxt(tape->parser);
    tape->parser = NULL;
}

static void read_pieces(cxml_tape *tape, const uint8_t *source, size_t count) {
    if (!open_parser(tape, xmlCreatePushParserCtxt(NULL, NULL, NULL, 0, NULL))) return;
    /* Not to be told from the first bytes: they are UTF-8. */
    tape->parser->charset = XML_CHAR_ENCODING_UTF8;
    size_t fed = 0;
    size_t tag = 0;
    while (tape->outcome == CXML_WHOLE) {
        tag = next_crowded_tag(source, tag, count, tape->options.max_attributes);
        if (tag == count) break;
        feed(tape, source, &fed, tag + 2 < count ? tag + 2 : count);
        if (tape->outcome == CXML_WHOLE && is_tag(tape, tag)) stop_at(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP, tag);
        tag++;
    }
    feed(tape, source, &fed, count);
    if (tape->outcome == CXML_WHOLE) xmlParseChunk(tape->parser, NULL, 0, 1);
    close_parser(tape);
}

/* Copies the source to where all other text will come behind it, and a 0 behind it, which is what the parser knows its
 * end by. */
static bool keep_source(cxml_tape *tape, const uint8_t *source, size_t count) {
    tape->source_capacity = count + count / 2 + 4096;
    tape->source = malloc(tape->source_capacity);
    if (tape->source == NULL) {
        stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
        return false;
    }
    memcpy(tape->source, source, count);
    tape->source[count] = 0;
    tape->source_room = count + 1;
    /* Memory that is not used is not there yet. */
    RESERVE(tape, records, record_capacity, count / 16 + 64, false);
    tape->record_end = tape->record_capacity < tape->options.stop_at ? tape->record_capacity : tape->options.stop_at;
    return true;
}

/* Makes one text of the source and all that was copied. */
static void join_text(cxml_tape *tape) {
    size_t bytes = text_end(tape);
    if (bytes + CXML_SLACK_BYTES > tape->source_capacity) {
        uint8_t *moved = realloc(tape->source, bytes + CXML_SLACK_BYTES);
        if (moved == NULL) return stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
        tape->source = moved;
    }
    if (tape->text_bytes > 0) memcpy(tape->source + tape->source_room, tape->text, tape->text_bytes);
    free(tape->text);
    tape->text = tape->source;
    tape->text_bytes = bytes;
    tape->source = NULL;
    tape->source_room = 0;
}

static void read_whole(cxml_tape *tape, const uint8_t *source, size_t count) {
    if (!keep_source(tape, source, count) || !open_parser(tape, xmlNewParserCtxt())) return;
    xmlParserInputPtr input = xmlNewInputStream(tape->parser);
    /* Said before, it is not told from the first bytes. */
    tape->parser->encoding = xmlCharStrdup("UTF-8");
    if (input == NULL || tape->parser->encoding == NULL) {
        stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
    } else {
        input->base = input->cur = tape->source;
        input->end = tape->source + count;
        input->length = (int)count;
        inputPush(tape->parser, input);
        xmlParseDocument(tape->parser);
        /* It takes any 0 for the end. */
        if (position(tape) != count) stop(tape, CXML_MALFORMED, XML_ERR_DOCUMENT_END);
    }
    close_parser(tape);
    join_text(tape);
}

/* NULL where memory is short. */
static cxml_tape *open_tape(size_t count, const cxml_options *options) {
    cxml_tape *tape = calloc(1, sizeof(cxml_tape));
    if (tape == NULL) return NULL;
    tape->options = *options;
    tape->source_bytes = count;
    tape->standalone = -1;
    /* 64 KiB, or five times the source, and never more than the limit. */
    size_t share = count < SIZE_MAX / 5 ? 5 * count : SIZE_MAX;
    if (share < 64 << 10) share = 64 << 10;
    tape->max_expansion_bytes = share < options->max_expansion_bytes ? share : options->max_expansion_bytes;
    return tape;
}

cxml_tape *cxml_read(const uint8_t *source, size_t count, const cxml_options *options) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);

    cxml_tape *tape = open_tape(count, options);
    if (tape == NULL) return NULL;
    bool has_subset = check_doctype(tape, source, count);
    if (tape->outcome != CXML_WHOLE) return tape;
    if (!has_subset && next_crowded_tag(source, 0, count, options->max_attributes) == count) {
        read_whole(tape, source, count);
        if (tape->outcome != CXML_MALFORMED) return tape;
        cxml_free(tape);
        tape = open_tape(count, options);
        if (tape == NULL) return NULL;
    }
    read_pieces(tape, source, count);
    return tape;
}

uint32_t cxml_open_element(const cxml_tape *tape, size_t depth) {
    return tape->open_elements[depth].record;
}

cxml_summary cxml_summarize(const cxml_tape *tape) {
    return (cxml_summary){
        .outcome = tape->outcome,
        .number = tape->number,
        .byte = tape->byte,
        .records = tape->records,
        .record_count = tape->record_count,
        .names = tape->names,
        .name_count = tape->name_count,
        .text = tape->text,
        .text_bytes = tape->text_bytes,
        .open_count = tape->open_count,
        .notes = tape->notes,
        .note_count = tape->note_count,
        .unlisted_note_count = tape->unlisted_note_count,
        .version = tape->version,
        .standalone = tape->standalone,
        .public_identifier = tape->public_identifier,
        .system_identifier = tape->system_identifier,
    };
}

void cxml_free(cxml_tape *tape) {
    free(tape->records);
    free(tape->source);
    free(tape->text);
    free(tape->names);
    free(tape->slots);
    free(tape->parts);
    free(tape->notes);
    free(tape->open_elements);
    free(tape->default_counts);
    free(tape);
}
