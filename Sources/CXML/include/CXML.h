#ifndef DECANT_C_XML_H
#define DECANT_C_XML_H

/*
 * A narrow border to libxml2 (Debian 12: 2.9.14): one call reads a text and leaves a tape, a flat list of what is in
 * it.
 *
 * No function of the caller's runs while the library does, no type of the library is seen here, and nothing outside the
 * text is ever read: no file, no network, no other entity. Any thread may read at any time.
 *
 * The text is UTF-8 that has been checked, without a byte order mark. Every slice of a tape is UTF-8 then, too.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CXML_ELEMENT = 1,
    CXML_NAMESPACE,
    CXML_ATTRIBUTE,
    CXML_TEXT,
    CXML_CDATA,
    CXML_COMMENT,
    CXML_INSTRUCTION,
    CXML_DOCTYPE,
} cxml_kind;

/* What is in an element, as bits. */
enum {
    /* There are records of it. Without `keep_all` that is where elements are in it. */
    CXML_HAS_RECORDS = 1,
    /* The others only without `keep_all`. Beside the elements there is text that is nothing but white space, or other.
     */
    CXML_HAS_BLANKS = 2,
    CXML_HAS_WORDS = 4,
    /* Elements of one name may stand apart, with others between them. Otherwise all of one name follow each other. */
    CXML_MAY_RECUR = 8,
};

/* One thing on the tape.
 *
 * An element is followed by its namespace declarations, its attributes and the records of its content, and `end` is the
 * index of the first record after all of these. Without records of its content it ends behind its attributes, and the
 * text that it has, if any, is its own. An element's text, and that of all other records, is `bytes` from `start` on in
 * `text`. */
typedef struct {
    uint8_t kind;
    /* Of an element: what is in it. */
    uint8_t content;
    /* Of an element: how many namespace and attribute records follow it. */
    uint16_t attributes;
    /* Index of its name. A declaration's prefix is `local` of its name; an instruction's target, too. */
    uint32_t name;
    uint32_t start;
    union {
        uint32_t bytes;
        uint32_t end;
    };
} cxml_record;

/* How many bytes behind `text` may be read, whatever they are. */
enum { CXML_SLACK_BYTES = 16 };

/* A piece of `text`. */
typedef struct {
    uint32_t start;
    uint32_t bytes;
} cxml_slice;

/* Names are equal where their indices are. */
typedef struct {
    cxml_slice prefix;
    cxml_slice local;
    cxml_slice namespace_uri;
    /* Whether an element has it that is in another one. */
    uint32_t is_child;
} cxml_name;

typedef enum {
    CXML_WHOLE = 0,
    /* `number` is the library's own (xmlerror.h), `byte` where it stopped. */
    CXML_MALFORMED,
    /* The parser stopped where an entity is used that is not declared, or is not in the text. */
    CXML_UNDECLARED_ENTITY,
    CXML_EXTERNAL_ENTITY,
    /* A limit of the options. */
    CXML_EXPANSION,
    CXML_DEPTH,
    CXML_ATTRIBUTES,
    CXML_NAMESPACES,
    CXML_NAMES,
    /* Its bytes; or the library has no room for more of them, and `number` is XML_ERR_NO_MEMORY. */
    CXML_NAME_BYTES,
    CXML_DOCTYPE_BYTES,
    CXML_CHOICES,
    /* It stopped at the record that `stop_at` asks for. */
    CXML_STOPPED,
    CXML_NO_MEMORY,
} cxml_outcome;

/* Something that was let pass. */
typedef struct {
    /* The library's number: 201 for a prefix that is not declared, 26 for an entity that was told from its name. */
    int32_t number;
    uint32_t byte;
    /* What it is about: of `note_text`. */
    cxml_slice name;
} cxml_note;

typedef struct {
    /* Whether comments, instructions and CDATA sections are kept apart; otherwise the first two are left out, and a
     * section is text like any other. */
    int32_t keep_all;
    /* All inclusive. */
    uint32_t max_depth;
    uint32_t max_attributes;
    /* Declarations in scope at one element. */
    uint32_t max_namespaces;
    /* Different ones. */
    uint32_t max_names;
    /* Of their different parts: prefixes, local parts, namespaces and targets; and of default values. The library keeps
     * ten million in blocks that grow fourfold, and some names twice: two million always have room. */
    size_t max_name_bytes;
    /* Of the document type declaration, without quoted text, comments and instructions. */
    uint32_t max_doctype_bytes;
    /* Of one enumeration there. */
    uint32_t max_choices;
    uint32_t max_notes;
    size_t max_expansion_bytes;
    /* Stop where this record would be put on the tape; SIZE_MAX for never. */
    size_t stop_at;
} cxml_options;

typedef struct cxml_tape cxml_tape;

/* What was read, lent until `cxml_free`. */
typedef struct {
    cxml_outcome outcome;
    int32_t number;
    /* Where in the source it stopped. */
    size_t byte;

    const cxml_record *_Nullable records;
    size_t record_count;
    const cxml_name *_Nullable names;
    size_t name_count;
    const uint8_t *_Nullable text;
    size_t text_bytes;

    /* How many elements were open where it stopped. */
    size_t open_count;

    const cxml_note *_Nullable notes;
    size_t note_count;
    const uint8_t *_Nullable note_text;
    size_t note_text_bytes;
    /* More of them, not kept. */
    size_t unlisted_note_count;

    /* Of the declaration, or 1.0. */
    cxml_slice version;
    /* 1 for yes, 0 for no, negative where nothing is said. */
    int32_t standalone;
    /* What a document type declaration says; empty where it says nothing. */
    cxml_slice public_identifier;
    cxml_slice system_identifier;
} cxml_summary;

/* Reads `text`. NULL where memory is short, and only then. */
cxml_tape *_Nullable cxml_read(const uint8_t *_Nonnull text, size_t count, const cxml_options *_Nonnull options);

cxml_summary cxml_summarize(const cxml_tape *_Nonnull tape);

/* The record of an element that was open where it stopped: 0 is the root, the last one `open_count - 1`. */
uint32_t cxml_open_element(const cxml_tape *_Nonnull tape, size_t depth);

void cxml_free(cxml_tape *_Nonnull tape);

#endif
