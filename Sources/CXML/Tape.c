#define _GNU_SOURCE
#include "Tape.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* MARK: Opening */

cxml_tape *tape_open(size_t count, const cxml_options *options) {
    cxml_tape *tape = calloc(1, sizeof(cxml_tape));
    if (tape == NULL) return NULL;
    tape->options = *options;
    tape->source_bytes = count;
    tape->standalone = -1;
    tape->release_at = SIZE_MAX;
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

void tape_close_source(cxml_tape *tape) {
    tape->source[tape->source_bytes] = 0;
    tape->source_room = tape->source_bytes + 1;
}

bool tape_keep_source(cxml_tape *tape, const uint8_t *source, size_t count) {
    tape->source = malloc(count + CXML_SLACK_BYTES);
    if (tape->source == NULL) {
        tape_stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
        return false;
    }
    memcpy(tape->source, source, count);
    tape_close_source(tape);
    /* Unused memory is not allocated by the system. */
    return reserve_records(tape, count / 4 + 1024);
}

bool tape_shift_source(cxml_tape *tape) {
    size_t shift = tape->max_expansion_bytes;
    uint8_t *moved = realloc(tape->source, shift + tape->source_bytes + CXML_SLACK_BYTES);
    if (moved == NULL) {
        tape_stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
        return false;
    }
    memmove(moved + shift, moved, tape->source_bytes);
    tape->source = moved;
    tape->source_start = shift;
    tape->source_room = shift + tape->source_bytes + 1;
    return true;
}

/* The size of a page, or a multiple of it. */
static const size_t page_bytes = 64 << 10;

/* The growth of the tape between two releases. */
static const size_t release_step_bytes = 64 << 10;

/* Returns the pages of the source between the last slice and `end` to the system, if there are many. */
static void release_source(cxml_tape *tape, size_t end) {
    static const size_t min_released_bytes = 1 << 20;
    size_t start = tape->slices_end + CXML_SLACK_BYTES;
    if (start < tape->released_end) start = tape->released_end;
    uintptr_t base = (uintptr_t)tape->source;
    uintptr_t first = (base + start + page_bytes - 1) / page_bytes * page_bytes;
    uintptr_t last = (base + end) / page_bytes * page_bytes;
    if (last < first + min_released_bytes) return;
    /* If they cannot be released, they remain. */
    if (madvise((void *)first, last - first, MADV_DONTNEED) == 0) tape->released_end = last - base;
}

void tape_release_read(cxml_tape *tape) {
    release_source(tape, tape->source_start + tape_offset(tape));
    tape->release_at = tape->record_bytes + release_step_bytes;
}

void tape_trim(cxml_tape *tape) {
    if (tape->compacts) release_source(tape, tape->source_room);
    if (tape->records == NULL) return;
    uint8_t *trimmed = realloc(tape->records, tape->record_bytes + CXML_MAX_RECORD_BYTES);
    if (trimmed == NULL) return;
    tape->records = trimmed;
    tape->record_capacity = tape->record_bytes + CXML_MAX_RECORD_BYTES;
}

/* MARK: Stopping */

size_t tape_offset(const cxml_tape *tape) {
    const xmlParserCtxt *parser = tape->parser;
    if (parser == NULL) return 0;
    if (parser->inputNr < 1) return tape->source_bytes;
    const xmlParserInput *input = parser->inputTab[0];
    size_t byte = (size_t)input->consumed + (size_t)(input->cur - input->base);
    return byte < tape->source_bytes ? byte : tape->source_bytes;
}

void tape_end_input(const cxml_tape *tape, xmlParserCtxtPtr parser) {
    if (parser->inputNr > 1) return;
    bool goes_on = tape->is_whole || parser != tape->parser;
    if (parser->instate == XML_PARSER_ATTRIBUTE_VALUE || (goes_on && parser->inSubset == 0))
        parser->instate = XML_PARSER_EOF;
}

void tape_stop_at(cxml_tape *tape, cxml_outcome outcome, int32_t number, size_t byte) {
    if (tape->outcome != CXML_WHOLE) return;
    tape->outcome = outcome;
    tape->number = number;
    tape->byte = byte;
    if (tape->parser == NULL) return;
    tape->parser->wellFormed = 0;
    tape->parser->disableSAX = 1;
    if (tape->parser->errNo == XML_ERR_OK) tape->parser->errNo = XML_ERR_USER_STOP;
    tape_end_input(tape, tape->parser);
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

static bool reserve_text(cxml_tape *tape, size_t bytes) {
    /* Offsets have 32 bits. */
    if (bytes > UINT32_MAX - CXML_SLACK_BYTES - text_end(tape)) {
        tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
        return false;
    }
    RESERVE(tape, text, text_capacity, tape->text_bytes + bytes + CXML_SLACK_BYTES, false);
    return true;
}

cxml_slice tape_append_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    if (bytes == 0 || !reserve_text(tape, bytes)) return (cxml_slice){0, 0};
    cxml_slice slice = {(uint32_t)text_end(tape), (uint32_t)bytes};
    memcpy(tape->text + tape->text_bytes, text, bytes);
    tape->text_bytes += bytes;
    return slice;
}

/* Whether `bytes` fit after the last slice of the source, before the unread data. */
static bool fits_in_source(const cxml_tape *tape, size_t bytes) {
    if (tape->source == NULL) return false;
    return tape->slices_end + bytes <= tape->source_start + tape_offset(tape);
}

cxml_slice tape_copy_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    if (bytes == 0 || !fits_in_source(tape, bytes)) return tape_append_text(tape, text, bytes);
    cxml_slice slice = {(uint32_t)tape->slices_end, (uint32_t)bytes};
    memmove(tape->source + slice.start, text, bytes);
    tape->slices_end += bytes;
    return slice;
}

void tape_extend_text(cxml_tape *tape, const xmlChar *text, size_t bytes) {
    cxml_slice *slice = &tape->open_slice;
    if (slice->bytes == 0) {
        *slice = add_text(tape, text, bytes);
        return;
    }
    size_t end = (size_t)slice->start + slice->bytes;
    bool is_in_source = end == tape->slices_end && slice->start < tape->source_room;
    if (end == source_offset(tape, text)) {
        tape->slices_end += bytes;
        slice->bytes += (uint32_t)bytes;
    } else if (is_in_source && fits_in_source(tape, bytes)) {
        memmove(tape->source + end, text, bytes);
        tape->slices_end += bytes;
        slice->bytes += (uint32_t)bytes;
    } else if (reserve_text(tape, (size_t)slice->bytes + bytes)) {
        if (end != text_end(tape)) {
            size_t start = text_end(tape);
            memcpy(tape->text + tape->text_bytes, text_at(tape, slice->start), slice->bytes);
            tape->text_bytes += slice->bytes;
            slice->start = (uint32_t)start;
            if (is_in_source) tape->slices_end = end - slice->bytes;
        }
        slice->bytes += tape_append_text(tape, text, bytes).bytes;
    }
}

cxml_slice tape_add_string(cxml_tape *tape, const xmlChar *text) {
    return tape_append_text(tape, text, text == NULL ? 0 : strlen((const char *)text));
}

/* MARK: Records */

bool tape_reserve_record(cxml_tape *tape) {
    if (tape->record_bytes >= tape->options.stop_at) {
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

uint32_t tape_intern_text(cxml_tape *tape, const xmlChar *local) {
    const xmlChar *known = xmlDictLookup(tape->parser->dict, local, -1);
    if (known != NULL) return intern(tape, NULL, known, NULL);
    tape_stop(tape, CXML_NAME_BYTES, XML_ERR_NO_MEMORY);
    return 0;
}

/* MARK: Expansion */

bool tape_charge(cxml_tape *tape, size_t bytes) {
    tape->expanded_bytes += bytes;
    if (tape->expanded_bytes <= tape->max_expansion_bytes) return true;
    tape_stop(tape, CXML_EXPANSION, XML_ERR_ENTITY_LOOP);
    return false;
}

/* MARK: Notes */

void tape_add_note(cxml_tape *tape, int32_t number, const xmlChar *name) {
    if (tape->note_count >= tape->options.max_notes) {
        tape->unlisted_note_count++;
        return;
    }
    size_t bytes = name == NULL ? 0 : strlen((const char *)name);
    RESERVE(tape, notes, note_capacity, tape->note_count + 1, );
    RESERVE(tape, note_text, note_text_capacity, tape->note_text_bytes + bytes, );
    cxml_note note = {number, (uint32_t)tape_offset(tape), {(uint32_t)tape->note_text_bytes, (uint32_t)bytes}};
    if (bytes > 0) memcpy(tape->note_text + tape->note_text_bytes, name, bytes);
    tape->note_text_bytes += bytes;
    tape->notes[tape->note_count++] = note;
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
        .source = tape->source,
        .source_bytes = tape->source_room,
        .text = tape->text,
        .text_bytes = tape->text_bytes,
        .open_count = tape->open_count,
        .notes = tape->notes,
        .note_count = tape->note_count,
        .note_text = tape->note_text,
        .note_text_bytes = tape->note_text_bytes,
        .unlisted_note_count = tape->unlisted_note_count,
        .version = tape->version,
        .standalone = tape->standalone,
        .public_identifier = tape->public_identifier,
        .system_identifier = tape->system_identifier,
    };
}

void cxml_release_source(cxml_tape *tape) {
    free(tape->source);
    tape->source = NULL;
}

void cxml_free(cxml_tape *tape) {
    free(tape->records);
    free(tape->source);
    free(tape->text);
    free(tape->names);
    free(tape->slots);
    free(tape->parts);
    free(tape->notes);
    free(tape->note_text);
    free(tape->open_elements);
    free(tape->default_counts);
    free(tape);
}
