#ifndef DECANT_C_XML_H
#define DECANT_C_XML_H

/*
 * A wrapper around libxml2 (Debian 12: 2.9.14): one call reads a text and returns a tape, a flat list of its
 * contents.
 *
 * The library calls no function of the caller, no type of the library is visible here, and no external data is ever
 * read: no file, no network, no external entity. Any thread may read at any time.
 *
 * The text must be valid UTF-8 without a byte order mark. Every slice of a tape is then valid UTF-8, too.
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
    /* An element with namespace declarations or attributes. */
    CXML_ELEMENT_WITH_ATTRIBUTES,
    /* The text of an element that contains nothing else; only without `keep_all`. */
    CXML_OWN_TEXT,
    /* The end of the content of an element. */
    CXML_CONTENT_END,
} cxml_kind;

/* The composition of an element, as bits. */
enum {
    /* There are records of its content, and a CXML_CONTENT_END. Without `keep_all`, elements are among them. */
    CXML_HAS_RECORDS = 1,
    /* Without `keep_all`: between the elements there is text that is only white space, or other text. */
    CXML_HAS_BLANKS = 2,
    CXML_HAS_WORDS = 4,
    /* Without CXML_HAS_RECORDS: the element contains only a text. */
    CXML_HAS_TEXT = 4,
    /* Elements of one name may be separated by others. Otherwise all elements of one name are adjacent. */
    CXML_MAY_RECUR = 8,
};

/* The tape is a sequence of records of 1 to 17 bytes. The index of a record is the offset of its first byte.
 *
 * The lower half of the first byte is the kind. The following fields depend on the kind:
 * - the index of a name: one byte below 128, otherwise 128 plus the upper bits, then the lower 8 bits. The name of a
 *   namespace declaration has the prefix as its local part, that of an instruction the target;
 * - for CXML_ELEMENT_WITH_ATTRIBUTES, four bytes: the length of its declarations and attributes in bytes;
 * - for CXML_CONTENT_END, four bytes: the index of the first record after the element;
 * - a text (not for elements). The upper half of the first byte is its length in bytes, or 15: then the length follows
 *   the name, 7 bits in each byte, the lowest ones first, with 128 added to all but the last. A text of up to
 *   CXML_MAX_INLINE_BYTES bytes follows directly. A longer one is represented by its offset, four bytes.
 * Numbers of four bytes have the byte order of the machine.
 *
 * The upper half of an element's first byte is its composition. Its declarations and attributes come first. Its
 * content follows: a text at the start of the content, CXML_CONTENT_END, all other records. If there is no other
 * record, there is no CXML_CONTENT_END: `<a/>b` takes four bytes, with a name below 128. */
enum { CXML_MAX_RECORD_BYTES = 17, CXML_MAX_INLINE_BYTES = 4 };

/* The number of bytes after the text that may be read, whatever they contain. */
enum { CXML_SLACK_BYTES = 16 };

/* A range of the text of a tape. */
typedef struct {
    uint32_t start;
    uint32_t bytes;
} cxml_slice;

/* A name. Names are equal if their indices are equal. */
typedef struct {
    cxml_slice prefix;
    cxml_slice local;
    cxml_slice namespace_uri;
    /* Whether an element with this name is inside another element. */
    uint32_t is_child;
} cxml_name;

typedef enum {
    CXML_WHOLE = 0,
    /* `number` is the library's error number (xmlerror.h), `byte` the offset at which it stopped. */
    CXML_MALFORMED,
    /* The parser stopped at a reference to an entity that is not declared or is external. */
    CXML_UNDECLARED_ENTITY,
    CXML_EXTERNAL_ENTITY,
    /* A limit of the options was exceeded. */
    CXML_EXPANSION,
    CXML_DEPTH,
    CXML_ATTRIBUTES,
    CXML_NAMESPACES,
    CXML_NAMES,
    /* The limit of the names' length; or the library's dictionary is full, and `number` is XML_ERR_NO_MEMORY. */
    CXML_NAME_BYTES,
    CXML_DOCTYPE_BYTES,
    CXML_CHOICES,
    /* Reading stopped at the record `stop_at`. */
    CXML_STOPPED,
    CXML_NO_MEMORY,
} cxml_outcome;

/* An error that was accepted. */
typedef struct {
    /* The library's number: 201 for a prefix that is not declared, 26 for an entity that was resolved by its name. */
    int32_t number;
    uint32_t byte;
    /* The name that it concerns, in `note_text`. */
    cxml_slice name;
} cxml_note;

typedef struct {
    /* Whether comments, instructions and CDATA sections become records of their own; otherwise the first two are
     * omitted, and sections are text. */
    int32_t keep_all;
    /* The limits, all inclusive. */
    uint32_t max_depth;
    uint32_t max_attributes;
    /* The number of declarations in scope at one element. */
    uint32_t max_namespaces;
    /* The number of different names. */
    uint32_t max_names;
    /* The length of their different parts: prefixes, local parts, namespaces and targets; and of default values. The
     * library stores ten million bytes in blocks that grow fourfold, and some names twice: two million always fit. */
    size_t max_name_bytes;
    /* The length of the document type declaration, without quoted text, comments and instructions. */
    uint32_t max_doctype_bytes;
    /* The number of choices of one enumeration in it. */
    uint32_t max_choices;
    uint32_t max_notes;
    size_t max_expansion_bytes;
    /* Stop before the record with this index is put on the tape; SIZE_MAX for never. */
    size_t stop_at;
} cxml_options;

typedef struct cxml_tape cxml_tape;

/* The result of reading, valid until `cxml_free`. */
typedef struct {
    cxml_outcome outcome;
    int32_t number;
    /* The offset in the source at which reading stopped. */
    size_t byte;

    /* CXML_MAX_RECORD_BYTES more may be read after them. */
    const uint8_t *_Nullable records;
    size_t record_bytes;
    const cxml_name *_Nullable names;
    size_t name_count;
    /* NULL if there is none. */
    const uint8_t *_Nullable text;
    size_t text_bytes;

    /* The number of elements that were open when reading stopped. */
    size_t open_count;

    const cxml_note *_Nullable notes;
    size_t note_count;
    const uint8_t *_Nullable note_text;
    size_t note_text_bytes;
    /* The number of further notes, which were not stored. */
    size_t unlisted_note_count;
    /* The name of the entity for CXML_UNDECLARED_ENTITY, in `note_text`. */
    cxml_slice undeclared_entity;

    /* The identifiers in a document type declaration; empty if not specified. */
    cxml_slice public_identifier;
    cxml_slice system_identifier;
} cxml_summary;

/* Reads `text`. Returns NULL only if there is no memory. */
cxml_tape *_Nullable cxml_read(const uint8_t *_Nonnull text, size_t count, const cxml_options *_Nonnull options);

/* Reads `text`, which must be allocated with `malloc`, and frees it. Data that was already read is returned to the
 * system in steps of a megabyte, so that a long text and its tape are not in memory together. Returns NULL only if
 * there is no memory; the text is then freed, too. */
cxml_tape *_Nullable cxml_read_owned(uint8_t *_Nonnull text, size_t count, const cxml_options *_Nonnull options);

/* Writes the offsets in the text at which the parser reaches records of its tape, in ascending order, to `bytes`. The
 * text is read with the same options up to the last of them; `stop_at` is ignored. Returns how many were reached. */
size_t cxml_locate(const uint8_t *_Nonnull text, size_t count, const cxml_options *_Nonnull options,
                   const size_t *_Nonnull records, size_t *_Nonnull bytes, size_t record_count);

cxml_summary cxml_summarize(const cxml_tape *_Nonnull tape);

/* Returns the record of an element that was open when reading stopped: 0 is the root, `open_count - 1` the
   innermost. */
uint32_t cxml_open_element(const cxml_tape *_Nonnull tape, size_t depth);

void cxml_free(cxml_tape *_Nonnull tape);

#endif
