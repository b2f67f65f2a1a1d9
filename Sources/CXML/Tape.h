#ifndef DECANT_C_XML_TAPE_H
#define DECANT_C_XML_TAPE_H

/* The tape while it is written: what every handler of the parser's calls stands on, and what happens so often that it
 * is inlined. */

#include "CXML.h"

#include <libxml/parser.h>
#include <stdbool.h>
#include <string.h>

/* What happens once in a while stays out of what happens for every element, and so does what would make that keep
 * more in registers than it needs. */
#define SELDOM __attribute__((cold, noinline))
#define APART __attribute__((noinline))
#define WITHIN inline __attribute__((always_inline))

#pragma GCC visibility push(hidden)

/* One entry of the table that finds a name by the library's pointers, which are the same for the same text. */
typedef struct {
    const xmlChar *prefix;
    const xmlChar *local;
    const xmlChar *namespace_uri;
    /* Index of the name, plus 1; 0 for none. */
    uint32_t name;
} name_slot;

/* One entry of the table that finds where a part of a name was put, if it was: that of an instruction that is left out
 * is only counted. */
typedef struct {
    const xmlChar *part;
    cxml_slice slice;
} part_slot;

typedef struct {
    uint32_t record;
    /* The index of its CXML_CONTENT_END; 0 without one. */
    uint32_t content_end;
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

    uint8_t *records;
    size_t record_bytes, record_capacity;
    /* Up to where there is room for one more, or where to stop. */
    size_t record_limit;
    /* The source, with a 0 behind it, from `source_start` on, if the tape has it. What stands in it as it is needs no
     * copy where it is read in one go: it is a slice of it. What is copied is put behind the last slice, in place of
     * what was read already, as long as it fits there. All other text comes after these `source_room` bytes. */
    uint8_t *source;
    size_t source_start, source_room;
    /* Where the last slice of the source ends. */
    size_t slices_end;
    /* Whether all slices are moved together, so that what lies behind them and was read already can be released. */
    bool compacts;
    /* Up to where the source was released, and how long the tape is when that is next done. */
    size_t released_end, release_at;
    /* Whether the parser reads in the source itself, all of it in one go. */
    bool is_whole;
    /* Whether an attribute is at most as long as what it was written as, and comes in the order of the source. */
    bool attributes_fit;
    uint8_t *text;
    size_t text_bytes, text_capacity;
    cxml_name *names;
    size_t name_count, name_capacity;
    /* What went into the library's dictionary: the different parts of names, and default values. */
    size_t name_bytes;
    /* As many as a power of two, which the topmost bits of a hash tell: shifted by `slot_shift`. */
    name_slot *slots;
    size_t slot_count;
    uint32_t slot_shift;
    part_slot *parts;
    size_t part_count, part_slot_count;
    cxml_note *notes;
    size_t note_count, note_capacity, unlisted_note_count;
    /* What the notes are about, away from the text: that may be open, and must go on where it ends. */
    uint8_t *note_text;
    size_t note_text_bytes, note_text_capacity;

    open_element *open_elements;
    size_t open_count, open_capacity;
    /* Up to where there is room, or where it is too deep. */
    size_t open_end;
    /* Namespace declarations in scope. */
    uint32_t scope_size;
    bool has_root;

    /* A text, or a CDATA section, that more may be added to before it is put on the tape; 0 for none. It is behind the
     * last record. */
    cxml_kind open_text;
    cxml_slice open_slice;
    /* How much of the beginning of that text is known to be white space. */
    uint32_t blank_bytes;
    /* Where in the source that section may go on. */
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

/* MARK: Opening */

/* NULL where memory is short. */
cxml_tape *tape_open(size_t count, const cxml_options *options);

/* Makes a source that the tape owns readable in one go: puts a 0 behind it, which is what the parser knows its end by.
 */
void tape_close_source(cxml_tape *tape);

/* Copies the source. */
bool tape_keep_source(cxml_tape *tape, const uint8_t *source, size_t count);

/* Makes room before the source for all that entities may add to texts. */
bool tape_shift_source(cxml_tape *tape);

/* Returns to the system what was read already of a source whose slices are moved together. To be called only where
 * every text that was read is a slice, or on the tape: not before the attributes of a tag are. */
SELDOM void tape_release_read(cxml_tape *tape);

/* Returns to the system what is not needed any more: the room for more records, and of a source whose slices are moved
 * together what is behind them. */
void tape_trim(cxml_tape *tape);

/* MARK: Stopping */

/* Where in the source the parser stands: in the document itself, whatever entity it may be reading. */
size_t tape_position(const cxml_tape *tape);

/* Only the first reason counts.
 *
 * What xmlStopParser does, freeing the input, must not be done here: an error is told while the library still reads in
 * it. These flags, which it sets itself after an error, make the push parser return after the token, the internal
 * subset or the entity that it is in; the other one needs to be told that the text ends. */
SELDOM void tape_stop_at(cxml_tape *tape, cxml_outcome outcome, int32_t number, size_t byte);

SELDOM void tape_stop(cxml_tape *tape, cxml_outcome outcome, int32_t number);

/* Tells a parser that has to stop, the tape's or one that this has made for an entity, that its text ends, where it
 * would go on otherwise and make an error of every reference: in an attribute's value, and outside a subset where it is
 * not the push parser. In a subset it must not be told so: there are loops that take no step then and do not end. */
SELDOM void tape_end_input(const cxml_tape *tape, xmlParserCtxtPtr parser);

/* MARK: Growing */

/* Room for `needed` things in all, where those that there are have moved to; NULL where there is none, and then the
 * parser is stopped. */
SELDOM void *tape_grow(cxml_tape *tape, void *things, size_t *capacity, size_t needed, size_t thing_bytes);

/* Makes room in the array `field` for `needed` things in all; `return failed` where there is none. */
#define RESERVE(tape, field, capacity, needed, failed)                                                                 \
    do {                                                                                                               \
        if ((needed) > (tape)->capacity) {                                                                             \
            void *moved = tape_grow(tape, (tape)->field, &(tape)->capacity, needed, sizeof(*(tape)->field));           \
            if (moved == NULL) return failed;                                                                          \
            (tape)->field = moved;                                                                                     \
        }                                                                                                              \
    } while (0)

/* MARK: Text */

/* Where the next copied text goes. */
static inline size_t text_end(const cxml_tape *tape) {
    return tape->source_room + tape->text_bytes;
}

static inline const uint8_t *text_at(const cxml_tape *tape, size_t start) {
    return start < tape->source_room ? tape->source + start : tape->text + (start - tape->source_room);
}

/* Where a text stands in the source; beyond it where it is a copy of the library's. */
static inline size_t source_offset(const cxml_tape *tape, const xmlChar *text) {
    return tape->source == NULL ? SIZE_MAX : (size_t)((uintptr_t)text - (uintptr_t)tape->source);
}

/* Copies a text to behind the last slice of the source, if it fits there, and to behind the source otherwise. */
APART cxml_slice tape_copy_text(cxml_tape *tape, const xmlChar *text, size_t bytes);

static WITHIN cxml_slice add_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    size_t offset = source_offset(tape, text);
    if (offset >= tape->source_room || tape->compacts) return tape_copy_text(tape, text, bytes);
    tape->slices_end = offset + bytes;
    return (cxml_slice){(uint32_t)offset, (uint32_t)bytes};
}

/* Adds to the open text. */
APART void tape_extend_text(cxml_tape *tape, const xmlChar *text, size_t bytes);

/* Copies a text to behind the source. */
cxml_slice tape_append_text(cxml_tape *tape, const xmlChar *text, size_t bytes);

cxml_slice tape_add_string(cxml_tape *tape, const xmlChar *text);

/* MARK: Records */

/* Makes room for one more, unless this is where to stop. */
SELDOM bool tape_reserve_record(cxml_tape *tape);

/* Whether there is room for one more record, and it is not where to stop. */
static WITHIN bool may_add_record(cxml_tape *tape) {
    return tape->record_bytes < tape->record_limit || tape_reserve_record(tape);
}

static WITHIN uint8_t *put_number(uint8_t *end, size_t number) {
    uint32_t four_bytes = (uint32_t)number;
    memcpy(end, &four_bytes, sizeof(four_bytes));
    return end + sizeof(four_bytes);
}

static WITHIN uint8_t *put_name(uint8_t *end, uint32_t name) {
    if (name >= 0x80) *end++ = (uint8_t)(0x80 | name >> 8);
    *end = (uint8_t)name;
    return end + 1;
}

/* Ends the record that begins with `first` with its text, and with it the tape. */
static WITHIN void put_text(cxml_tape *tape, uint8_t *first, uint8_t *end, cxml_slice slice) {
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
        /* There are as many bytes to read behind every text, and to write on the tape. */
        memcpy(end, text_at(tape, slice.start), CXML_MAX_INLINE_BYTES);
        end += slice.bytes;
        if (tape->compacts && slice.start + slice.bytes == tape->slices_end) tape->slices_end = slice.start;
    }
    tape->record_bytes = (size_t)(end - tape->records);
}

/* Puts the open text on the tape. */
static WITHIN void close_text(cxml_tape *tape, cxml_kind kind) {
    uint8_t *first = tape->records + tape->record_bytes;
    *first = (uint8_t)kind;
    put_text(tape, first, first + 1, tape->open_slice);
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

/* Counts bytes that go into the library's dictionary, unless there are too many. */
bool tape_charge_name_bytes(cxml_tape *tape, size_t bytes);

/* Counts a part of a name, which is in the dictionary, once; NULL where that is too much. */
part_slot *tape_charge_part(cxml_tape *tape, const xmlChar *part);

/* Puts a part of a name into the text, once: thousands of names may be in a namespace whose name is long, and thousands
 * of elements may declare it. Nothing for NULL. */
cxml_slice tape_add_part(cxml_tape *tape, const xmlChar *part);

/* The same as `intern`, for a name that is not known yet. */
SELDOM uint32_t tape_add_name(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri);

/* The index of a name whose parts are in the parser's dictionary, or NULL. 0 where memory is short. */
static WITHIN uint32_t intern(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri) {
    const name_slot *slot = tape->slot_count == 0 ? NULL : find_slot(tape, prefix, local, uri);
    return slot != NULL && slot->name != 0 ? slot->name - 1 : tape_add_name(tape, prefix, local, uri);
}

/* The same for a part that is not in the dictionary yet. */
uint32_t tape_intern_text(cxml_tape *tape, const xmlChar *local);

/* MARK: Expansion */

/* What a use of an entity is charged beside its text: the library sets up a parser for each. */
static const size_t entity_charge_bytes = 16;

/* Counts what the text does not have itself: entities, each time they are used, and default attributes. */
bool tape_charge(cxml_tape *tape, size_t bytes);

/* MARK: Notes */

/* Notes something that is let pass, unless there are too many. */
void tape_add_note(cxml_tape *tape, int32_t number, const xmlChar *name);

#pragma GCC visibility pop

#endif
