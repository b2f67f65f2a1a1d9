#include "Tape.h"

#include <stdlib.h>
#include <string.h>

/* MARK: Opening */

cxml_tape *tape_open(size_t count, const cxml_options *options) {
    cxml_tape *tape = calloc(1, sizeof(cxml_tape));
    if (tape == NULL) return NULL;
    tape->options = *options;
    tape->source_bytes = count;
    /* 64 KiB or five times the source, and never more than the limit. */
    size_t share = count < SIZE_MAX / 5 ? 5 * count : SIZE_MAX;
    if (share < 64 << 10) share = 64 << 10;
    tape->max_expansion_bytes = share < options->max_expansion_bytes ? share : options->max_expansion_bytes;
    return tape;
}

/* The capacity for records that one callback of the parser may add in addition to those for which it reserves
 * memory: an open text, and the end of a content. */
static const size_t record_slack_bytes = 4 * CXML_MAX_RECORD_BYTES;

/* Reserves memory for `bytes` in total. */
static bool reserve_records(cxml_tape *tape, size_t bytes) {
    RESERVE(tape, records, record_capacity, bytes + record_slack_bytes, false);
    size_t limit = tape->record_capacity - record_slack_bytes;
    tape->record_limit = limit < tape->options.stop_at ? limit : tape->options.stop_at;
    return true;
}

bool tape_reserve(cxml_tape *tape) {
    /* Unused memory is not allocated by the system. */
    return tape_reserve_text(tape, tape->source_bytes) && reserve_records(tape, tape->source_bytes / 4 + 1024);
}

void tape_trim(cxml_tape *tape) {
    if (tape->records == NULL) return;
    uint8_t *trimmed = realloc(tape->records, tape->record_bytes + CXML_MAX_RECORD_BYTES);
    if (trimmed == NULL) return;
    tape->records = trimmed;
    tape->record_capacity = tape->record_bytes + CXML_MAX_RECORD_BYTES;
}

/* MARK: Stopping */

/* Returns the number of bytes that the parser has read, with marks. In a parameter entity, the function of the library
 * returns the offset in that entity, which is shorter than what precedes its use. */
static size_t consumed_bytes(const cxml_tape *tape) {
    long bytes = tape->parser == NULL ? 0 : xmlByteConsumed(tape->parser);
    return bytes < 0 ? 0 : (size_t)bytes;
}

size_t tape_offset(cxml_tape *tape) {
    size_t consumed = consumed_bytes(tape);
    size_t passed = tape->passed_splits;
    while (passed < tape->split_count && consumed >= tape->splits[passed] + (passed + 1) * split_mark_bytes)
        passed++;
    size_t marks_bytes = passed * split_mark_bytes;
    size_t offset = consumed < marks_bytes ? 0 : consumed - marks_bytes;
    size_t end = passed < tape->split_count ? tape->splits[passed] : tape->source_bytes;
    if (offset > end) offset = end;
    tape->passed_splits = passed;
    if (offset > tape->offset) tape->offset = offset;
    return tape->offset;
}

bool tape_is_at_split(cxml_tape *tape) {
    if (tape->split_count == 0) return false;
    size_t offset = tape_offset(tape);
    return tape->passed_splits < tape->split_count && offset == tape->splits[tape->passed_splits];
}

void tape_stop_at(cxml_tape *tape, cxml_outcome outcome, int32_t number, size_t byte) {
    if (tape->outcome != CXML_WHOLE) return;
    tape->outcome = outcome;
    tape->number = number;
    tape->byte = byte;
}

void tape_stop(cxml_tape *tape, cxml_outcome outcome, int32_t number) {
    tape_stop_at(tape, outcome, number, tape_offset(tape));
}

/* MARK: Growing */

void *tape_grow(cxml_tape *tape, void *things, size_t *capacity, size_t needed, size_t thing_bytes) {
    size_t grown = *capacity < 64 ? 64 : *capacity * 2;
    /* Offsets have 32 bits. */
    if (grown > UINT32_MAX) grown = UINT32_MAX;
    if (grown < needed) grown = needed;
    void *moved = grown > UINT32_MAX ? NULL : realloc(things, grown * thing_bytes);
    if (moved == NULL)
        tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
    else
        *capacity = grown;
    return moved;
}

/* MARK: Text */

bool tape_reserve_text(cxml_tape *tape, size_t bytes) {
    /* Offsets have 32 bits. */
    if (bytes > UINT32_MAX - CXML_SLACK_BYTES - tape->text_bytes) {
        tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
        return false;
    }
    RESERVE(tape, text, text_capacity, tape->text_bytes + bytes + CXML_SLACK_BYTES, false);
    return true;
}

cxml_slice tape_add_string(cxml_tape *tape, const xmlChar *text) {
    return add_text(tape, text, text == NULL ? 0 : strlen((const char *)text));
}

/* MARK: Records */

/* Writes the offset of the record `stop_at`, if it is to be located. Returns whether reading continues. */
static bool locate_record(cxml_tape *tape) {
    if (tape->wanted_count == 0) return false;
    *tape->wanted_bytes++ = tape_offset(tape);
    tape->wanted_records++;
    tape->wanted_count--;
    if (tape->wanted_count == 0) return false;
    tape->options.stop_at = *tape->wanted_records;
    return true;
}

bool tape_reserve_record(cxml_tape *tape) {
    while (tape->record_bytes >= tape->options.stop_at) {
        if (locate_record(tape)) continue;
        tape_stop(tape, CXML_STOPPED, XML_ERR_USER_STOP);
        return false;
    }
    return reserve_records(tape, tape->record_bytes + 1);
}

/* MARK: Names */

COLD static bool grow_slots(cxml_tape *tape) {
    size_t old_count = tape->slot_count;
    name_slot *old = tape->slots;
    size_t count = old_count == 0 ? 64 : old_count * 2;
    name_slot *slots = calloc(count, sizeof(name_slot));
    if (slots == NULL) {
        tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
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
        tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
        return false;
    }
    tape->parts = parts;
    tape->part_slot_count = count;
    for (size_t index = 0; index < old_count; index++)
        if (old[index].part != NULL) *find_part(tape, old[index].part) = old[index];
    free(old);
    return true;
}

bool tape_charge_name_bytes(cxml_tape *tape, size_t bytes) {
    tape->name_bytes += bytes;
    if (tape->name_bytes <= tape->options.max_name_bytes) return true;
    tape_stop(tape, CXML_NAME_BYTES, XML_ERR_USER_STOP);
    return false;
}

part_slot *tape_charge_part(cxml_tape *tape, const xmlChar *part) {
    if (tape->part_count * 2 >= tape->part_slot_count && !grow_parts(tape)) return NULL;
    part_slot *slot = find_part(tape, part);
    if (slot->part != NULL) return slot;
    if (!tape_charge_name_bytes(tape, strlen((const char *)part))) return NULL;
    *slot = (part_slot){part, {0, 0}};
    tape->part_count++;
    return slot;
}

cxml_slice tape_add_part(cxml_tape *tape, const xmlChar *part) {
    part_slot *slot = part == NULL ? NULL : tape_charge_part(tape, part);
    if (slot == NULL) return (cxml_slice){0, 0};
    if (slot->slice.bytes == 0) slot->slice = tape_add_string(tape, part);
    return slot->slice;
}

uint32_t tape_add_name(cxml_tape *tape, const xmlChar *prefix, const xmlChar *local, const xmlChar *uri) {
    if (tape->name_count * 2 >= tape->slot_count && !grow_slots(tape)) return 0;
    /* The library's dictionary has a fixed size, and degenerates to a list; a record has 15 bits for a name. */
    if (tape->name_count >= tape->options.max_names || tape->name_count >= 1 << 15) {
        tape_stop(tape, CXML_NAMES, XML_ERR_USER_STOP);
        return 0;
    }
    RESERVE(tape, names, name_capacity, tape->name_count + 1, 0);
    cxml_name name = {tape_add_part(tape, prefix), tape_add_part(tape, local), tape_add_part(tape, uri), 0};
    tape->names[tape->name_count++] = name;
    *find_slot(tape, prefix, local, uri) = (name_slot){prefix, local, uri, (uint32_t)tape->name_count};
    return (uint32_t)tape->name_count - 1;
}

/* MARK: Expansion */

bool tape_charge(cxml_tape *tape, size_t bytes) {
    tape->expanded_bytes += bytes;
    if (tape->expanded_bytes <= tape->max_expansion_bytes) return true;
    tape_stop(tape, CXML_EXPANSION, XML_ERR_ENTITY_LOOP);
    return false;
}

/* MARK: Notes */

/* Returns a copy of a name in the text of the notes, or an empty slice if there is no memory. */
static cxml_slice add_note_text(cxml_tape *tape, const xmlChar *name) {
    size_t bytes = name == NULL ? 0 : strlen((const char *)name);
    cxml_slice slice = {(uint32_t)tape->note_text_bytes, (uint32_t)bytes};
    RESERVE(tape, note_text, note_text_capacity, tape->note_text_bytes + bytes, ((cxml_slice){0, 0}));
    if (bytes > 0) memcpy(tape->note_text + tape->note_text_bytes, name, bytes);
    tape->note_text_bytes += bytes;
    return slice;
}

void tape_add_note(cxml_tape *tape, int32_t number, const xmlChar *name) {
    if (tape->note_count >= tape->options.max_notes) {
        tape->unlisted_note_count++;
        return;
    }
    RESERVE(tape, notes, note_capacity, tape->note_count + 1, );
    cxml_note note = {number, (uint32_t)tape_offset(tape), add_note_text(tape, name)};
    tape->notes[tape->note_count++] = note;
}

void tape_stop_at_undeclared(cxml_tape *tape, const xmlChar *name) {
    tape->undeclared_entity = add_note_text(tape, name);
    tape_stop(tape, CXML_UNDECLARED_ENTITY, XML_ERR_UNDECLARED_ENTITY);
}

/* MARK: Results */

uint32_t cxml_open_element(const cxml_tape *tape, size_t depth) {
    return tape->open_elements[depth].record;
}

cxml_summary cxml_summarize(const cxml_tape *tape) {
    return (cxml_summary){
        .outcome = tape->outcome,
        .number = tape->number,
        .byte = tape->byte,
        .records = tape->records,
        .record_bytes = tape->record_bytes,
        .names = tape->names,
        .name_count = tape->name_count,
        .text = tape->text,
        .text_bytes = tape->text_bytes,
        .open_count = tape->open_count,
        .notes = tape->notes,
        .note_count = tape->note_count,
        .note_text = tape->note_text,
        .note_text_bytes = tape->note_text_bytes,
        .unlisted_note_count = tape->unlisted_note_count,
        .undeclared_entity = tape->undeclared_entity,
        .public_identifier = tape->public_identifier,
        .system_identifier = tape->system_identifier,
    };
}

static void free_default(void *defaults, const xmlChar *name) {
    (void)name;
    free(defaults);
}

void cxml_free(cxml_tape *tape) {
    free(tape->splits);
    free(tape->records);
    free(tape->text);
    free(tape->names);
    free(tape->slots);
    free(tape->parts);
    free(tape->notes);
    free(tape->note_text);
    free(tape->open_elements);
    xmlHashFree(tape->defaults, free_default);
    xmlFreeDoc(tape->document);
    free(tape);
}
