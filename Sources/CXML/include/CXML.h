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
    /* An element that has namespace declarations or attributes. */
    CXML_ELEMENT_WITH_ATTRIBUTES,
    /* The text of an element that has nothing else in it; only without `keep_all`. */
    CXML_OWN_TEXT,
    /* Where the content of an element ends. */
    CXML_CONTENT_END,
} cxml_kind;

/* What is in an element, as bits. */
enum {
    /* There are records of its content, and a CXML_CONTENT_END. Without `keep_all` elements are among them. */
    CXML_HAS_RECORDS = 1,
    /* Without `keep_all`: beside the elements there is text that is only white space, or other text. */
    CXML_HAS_BLANKS = 2,
    CXML_HAS_WORDS = 4,
    /* Without CXML_HAS_RECORDS: a text is all that is in the element. */
    CXML_HAS_TEXT = 4,
    /* Elements of one name may stand apart, with others between them. Otherwise all of one name follow each other. */
    CXML_MAY_RECUR = 8,
};

/* The tape is a sequence of records of 1 to 17 bytes. The index of a record is the offset of its first byte.
 *
 * The lower half of the first byte is the kind. Then come, of the kinds that have it,
 * - the index of a name: one byte below 128, otherwise 128 and the upper bits, then the lower 8 bits. The name of a
 *   namespace declaration has the prefix as its local part, that of an instruction the target;
 * - of CXML_ELEMENT_WITH_ATTRIBUTES four bytes: how many bytes the records of its declarations and attributes take;
 * - of CXML_CONTENT_END four bytes: the index of the first record behind the element;
 * - a text (not of elements). The upper half of the first byte is its length in bytes, or 15: then the length follows
 *   the name, 7 bits in each byte, the lowest ones first, with 128 added to all but the last. A text of up to
 *   CXML_MAX_INLINE_BYTES bytes comes next itself. Of a longer one its offset does, four bytes.
 * Numbers of four bytes have the order of the machine.
 *
 * The upper half of an element's first byte says what is in it. Its declarations and attributes come first. Then
 * comes its content: a text that the content begins with, CXML_CONTENT_END, all other records. Where there is no other
 * record there is no CXML_CONTENT_END: `<a/>b` takes four bytes, with a name below 128. */
enum { CXML_MAX_RECORD_BYTES = 17, CXML_MAX_INLINE_BYTES = 4 };

/* How many bytes behind each of the two texts may be read, whatever they are. */
enum { CXML_SLACK_BYTES = 16 };

/* A piece of a text: of the source, or of what comes behind it, see `cxml_summary`. */
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
    /* The text, which the tape owned and may have changed, is to be read again; `number` is the next way. */
    CXML_AGAIN,
    CXML_NO_MEMORY,
} cxml_outcome;

/* How a text is read. */
typedef enum {
    CXML_ANY_WAY = 0,
    /* By the push parser. */
    CXML_IN_PIECES,
    /* In one go, whatever comes of it. */
    CXML_IN_ONE_GO,
} cxml_way;

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
    /* Stop where the record with this index would be put on the tape; SIZE_MAX for never. */
    size_t stop_at;
    cxml_way way;
} cxml_options;

typedef struct cxml_tape cxml_tape;

/* What was read, lent until `cxml_free`. */
typedef struct {
    cxml_outcome outcome;
    int32_t number;
    /* Where in the source it stopped. */
    size_t byte;

    /* CXML_MAX_RECORD_BYTES more may be read behind them. */
    const uint8_t *_Nullable records;
    size_t record_bytes;
    const cxml_name *_Nullable names;
    size_t name_count;
    /* The texts that stand in the source, and, from offset `source_bytes` on, all others. NULL where there is none. */
    const uint8_t *_Nullable source;
    size_t source_bytes;
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

/* Reads `text`, of which the tape keeps a copy where it needs one. NULL where memory is short, and only then. */
cxml_tape *_Nullable cxml_read(const uint8_t *_Nonnull text, size_t count, const cxml_options *_Nonnull options);

/* Reads `text`, which comes from `malloc`, has CXML_SLACK_BYTES more behind it and is the tape's from now on: texts
 * with references in them are put together in it, in place of what they were written as. So what is malformed may have
 * to be read again: CXML_AGAIN. What was read already is released as soon as it is a megabyte. NULL where memory is
 * short, and only then; the text is freed then, too. */
cxml_tape *_Nullable cxml_read_owned(uint8_t *_Nonnull text, size_t count, const cxml_options *_Nonnull options);

/* Frees the source: of texts only the parts of names can be read from then on. */
void cxml_release_source(cxml_tape *_Nonnull tape);

cxml_summary cxml_summarize(const cxml_tape *_Nonnull tape);

/* The record of an element that was open where it stopped: 0 is the root, the last one `open_count - 1`. */
uint32_t cxml_open_element(const cxml_tape *_Nonnull tape, size_t depth);

void cxml_free(cxml_tape *_Nonnull tape);

#endif
