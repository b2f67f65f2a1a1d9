#define _GNU_SOURCE
#include "CXML.h"
#include "Handlers.h"
#include "Limits.h"
#include "Tape.h"

#include <libxml/catalog.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The library reads the source through a function of ours, in pieces. After an error it gets no further piece, so it
 * stops soon, and it never receives what would take too long (Limits.h). Only documented functions are called: its
 * structures may change with any version. */

/* MARK: Pieces */

/* The maximum length of the next piece: at least as long as what the library wants to see at once (250 bytes), and so
 * short that the rest of a piece after an error, in which each byte may be another error, costs little. The library
 * wants to see a complete XML declaration. */
static size_t piece_bytes(const cxml_tape *tape, int room) {
    size_t bytes = 256 + tape->given_bytes / 8;
    if (tape->given_bytes == 0 && tape->declaration_bytes > bytes) bytes = tape->declaration_bytes;
    return bytes < (size_t)room ? bytes : (size_t)room;
}

/* Returns the end of a piece that ends at `end` at the latest. The library does not find a `]]>` in text across the end
 * of what it has received. */
static size_t piece_end(const cxml_tape *tape, size_t end) {
    for (size_t before = 1; before <= 2; before++) {
        if (end < before || end + 3 - before > tape->limit.given_bytes) continue;
        if (memcmp(tape->source + end - before, "]]>", 3) == 0) return end - before;
    }
    return end;
}

/* Returns the pages of an owned source that were read to the system, if there are many. The last pages remain: errors
 * are located there. */
static void release_given(cxml_tape *tape, size_t end) {
    static const size_t page_bytes = 64 << 10, step_bytes = 1 << 20, kept_bytes = 128 << 10;
    if (end < kept_bytes) return;
    end -= kept_bytes;
    uintptr_t first = ((uintptr_t)tape->source + tape->released_bytes + page_bytes - 1) / page_bytes * page_bytes;
    uintptr_t last = ((uintptr_t)tape->source + end) / page_bytes * page_bytes;
    if (last < first + step_bytes) return;
    /* If they cannot be released, they remain. */
    if (madvise((void *)first, last - first, MADV_DONTNEED) == 0) tape->released_bytes = last - (uintptr_t)tape->source;
}

/* Gives the parser the next piece: of the source, with a mark in it wherever a section is split. */
static int give_piece(void *context, char *buffer, int room) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) return 0;
    size_t bytes = 0, max = piece_bytes(tape, room);
    while (bytes < max) {
        size_t marks_bytes = tape->given_splits * split_mark_bytes;
        size_t offset = tape->given_bytes - marks_bytes;
        bool has_split = tape->given_splits < tape->split_count;
        size_t split = has_split ? tape->splits[tape->given_splits] : tape->limit.given_bytes;
        const uint8_t *piece = tape->source + offset;
        size_t rest = split - offset;
        if (offset >= split) {
            if (!has_split) break;
            piece = (const uint8_t *)split_mark + (offset - split);
            rest = split + split_mark_bytes - offset;
        }
        size_t copied = rest < max - bytes ? rest : max - bytes;
        if (copied < rest && offset < split) copied = piece_end(tape, offset + copied) - offset;
        if (copied == 0) break;
        memcpy(buffer + bytes, piece, copied);
        bytes += copied;
        tape->given_bytes += copied;
        if (offset >= split && copied == rest) tape->given_splits++;
        if (tape->owns_source && offset < split) release_given(tape, offset);
    }
    return (int)bytes;
}

/* MARK: Errors */

/* The length of the names of an error that costs about as much as the error itself. */
static const size_t free_name_bytes = 256;

static size_t length(const char *text) {
    return text == NULL ? 0 : strlen(text);
}

/* Counts the long names of an accepted error. The library copies them for each error: the name of an element for each
 * of its attributes, a namespace for each attribute that is repeated in it. Returns false if there are too many. */
static bool charge_names(cxml_tape *tape, const xmlError *error) {
    size_t bytes = length(error->str1) + length(error->str2) + length(error->str3);
    if (bytes <= free_name_bytes) return true;
    tape->error_bytes += bytes - free_name_bytes;
    if (tape->error_bytes <= tape->max_expansion_bytes) return true;
    tape_stop(tape, CXML_NAME_BYTES, XML_ERR_USER_STOP);
    /* The parser would report all other attributes of the tag. After these two errors it does not use its input before
     * it returns. */
    bool is_in_tag = error->code == XML_NS_ERR_UNDEFINED_NAMESPACE || error->code == XML_NS_ERR_ATTRIBUTE_REDEFINED;
    if (is_in_tag) xmlStopParser(error->ctxt);
    return false;
}

/* Whether the source ends in the opening of a comment, a section or a document type declaration, or after the first
 * byte of a tag or a reference. That byte precedes `byte`. */
static bool ends_in_opening(const cxml_tape *tape, size_t byte) {
    static const char *const openings[] = {"!--", "![CDATA[", "!DOCTYPE"};
    size_t bytes = tape->source_bytes - byte;
    if (byte == 0 || (tape->source[byte - 1] != '<' && (tape->source[byte - 1] != '&' || bytes > 0))) return false;
    for (size_t index = 0; index < sizeof(openings) / sizeof(*openings); index++) {
        if (bytes < strlen(openings[index]) && memcmp(tape->source + byte, openings[index], bytes) == 0) return true;
    }
    return false;
}

/* Whether the byte before `byte` may be part of a name. */
static bool follows_name(const cxml_tape *tape, size_t byte) {
    return byte > 0 && strchr(" \t\r\n<&%/?:", tape->source[byte - 1]) == NULL;
}

/* Whether the library's dictionary may be full: it then reports a missing name after the name. Names are counted at the
 * end of a tag, of which one may have millions of bytes. */
static bool may_be_full(const cxml_tape *tape, size_t byte) {
    static const size_t min_bytes = 4 << 20;
    const uint8_t *tag = memrchr(tape->source, '<', byte);
    size_t tag_bytes = tag == NULL ? byte : byte - (size_t)(tag - tape->source);
    return follows_name(tape, byte) && tape->name_bytes + tag_bytes > min_bytes;
}

/* Stops because the document is not well-formed. The library has several numbers for the end of the content inside
 * the document, and treats a character that is not allowed as an end in some places. */
static void stop_malformed(cxml_tape *tape, const xmlError *error) {
    size_t byte = tape_offset(tape);
    int number = error->code;
    if (error->ctxt == tape->parser) {
        bool is_at_end = byte >= tape->source_bytes;
        bool is_at_invalid = !is_at_end && is_invalid(tape->source, byte);
        const uint8_t *found;
        switch (number) {
        case XML_ERR_TAG_NOT_FINISHED:
        case XML_ERR_CDATA_NOT_FINISHED:
            if (is_at_invalid) number = XML_ERR_INVALID_CHAR;
            if (is_at_end && number == XML_ERR_TAG_NOT_FINISHED) number = XML_ERR_DOCUMENT_END;
            break;
        case XML_ERR_MISPLACED_CDATA_END:
            /* The parser may be at the start of the text. */
            found = memmem(tape->source + byte, tape->source_bytes - byte, "]]>", 3);
            if (found != NULL) byte = (size_t)(found - tape->source);
            break;
        case XML_ERR_NAME_TOO_LONG:
            /* The parser may be at the end of the name. */
            while (follows_name(tape, byte))
                byte--;
            break;
        case XML_ERR_DOCUMENT_EMPTY:
            if (is_at_end) number = XML_ERR_DOCUMENT_END;
            break;
        case XML_ERR_NAME_REQUIRED:
            if (may_be_full(tape, byte)) return tape_stop(tape, CXML_NAME_BYTES, XML_ERR_NO_MEMORY);
            if (!ends_in_opening(tape, byte)) break;
            number = XML_ERR_DOCUMENT_END;
            byte--;
            break;
        default:
            break;
        }
    }
    tape_stop_at(tape, CXML_MALFORMED, number, byte);
}

static void on_error(void *context, xmlErrorPtr error) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE || error->level < XML_ERR_ERROR) return;
    /* The library's dictionary ends at ten million bytes. It reports that as a lack of memory, or not at all: it
     * treats a namespace that does not fit as empty. `max_name_bytes` should therefore be reached first. */
    if (error->code == XML_ERR_NO_MEMORY) return tape_stop(tape, CXML_NAME_BYTES, error->code);
    if (error->domain == XML_FROM_NAMESPACE) {
        if (error->code == XML_NS_ERR_ATTRIBUTE_REDEFINED) tape->has_redefined_attribute = true;
        if (charge_names(tape, error)) tape_add_note(tape, error->code, (const xmlChar *)error->str1);
        return;
    }
    if (error->level != XML_ERR_FATAL) return;
    switch (error->code) {
    case XML_ERR_ENTITY_LOOP:
        return tape_stop(tape, CXML_EXPANSION, error->code);
    case XML_ERR_UNDECLARED_ENTITY:
        return tape_stop_at_undeclared(tape, (const xmlChar *)error->str1);
    case XML_ERR_ENTITY_IS_EXTERNAL:
        return tape_stop(tape, CXML_EXTERNAL_ENTITY, error->code);
    default:
        return stop_malformed(tape, error);
    }
}

/* MARK: Reading */

/* Replaces the loader of files and networks; it loads nothing. */
static xmlParserInputPtr load_nothing(const char *url, const char *identifier, xmlParserCtxtPtr parser) {
    (void)url, (void)identifier, (void)parser;
    return NULL;
}

static void on_global_error(void *context, xmlErrorPtr error) {
    (void)context, (void)error;
}

static void prepare(void) {
    xmlInitParser();
    xmlSetExternalEntityLoader(load_nothing);
    /* An instruction `oasis-xml-catalog` would be added to a list, which is traversed for each of them. */
    xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE);
}

static void parse(cxml_tape *tape) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof(handler));
    handler.initialized = XML_SAX2_MAGIC;
    add_declaration_handlers(&handler);
    add_content_handlers(&handler);
    handler.serror = on_error;
    tape->parser = xmlCreateIOParserCtxt(&handler, tape, give_piece, NULL, tape, XML_CHAR_ENCODING_UTF8);
    if (tape->parser == NULL) return tape_stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
    /* The library would write errors that it reports to no parser, such as a redefined entity `lt`, to standard
     * error. The setting is per thread. */
    xmlSetStructuredErrorFunc(NULL, on_global_error);
    xmlCtxtUseOptions(tape->parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
    xmlParseDocument(tape->parser);
    /* The library takes any 0 for the end. */
    bool is_document = tape->parser->wellFormed && tape_offset(tape) == tape->source_bytes;
    if (!is_document) tape_stop(tape, CXML_MALFORMED, XML_ERR_DOCUMENT_END);
    /* Frees the parser's own copies of entities, which the next function does not. */
    xmlCtxtReset(tape->parser);
    xmlFreeParserCtxt(tape->parser);
    tape->parser = NULL;
}

/* Rejects texts in whose first bytes the library would detect another encoding; none is a document in UTF-8. */
static void check_start(cxml_tape *tape) {
    const uint8_t *text = tape->source;
    size_t count = tape->source_bytes;
    if (count > 1 && text[0] == '<' && text[1] == 0)
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_INVALID_CHAR, 1);
    else if (count > 0 && (text[0] == 0 || (count > 2 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)))
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_DOCUMENT_EMPTY, 0);
}

static void read_source(cxml_tape *tape) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    check_start(tape);
    if (tape->outcome == CXML_WHOLE) limits_scan(tape);
    if (tape->outcome != CXML_WHOLE || !tape_reserve(tape)) return;
    parse(tape);
    /* An error at the end of what the parser received is due to that end. */
    bool is_cut = tape->limit.outcome != CXML_WHOLE && tape->outcome == CXML_MALFORMED;
    if (!is_cut || tape->byte < tape->limit.given_bytes) return;
    tape->outcome = tape->limit.outcome;
    tape->number = tape->limit.number;
    tape->byte = tape->limit.byte;
}

static cxml_tape *read_text(const uint8_t *text, size_t count, const cxml_options *options, bool is_owned) {
    cxml_tape *tape = tape_open(count, options);
    if (tape == NULL) return NULL;
    tape->source = text;
    tape->owns_source = is_owned;
    read_source(tape);
    tape->source = NULL;
    tape_trim(tape);
    return tape;
}

cxml_tape *cxml_read(const uint8_t *text, size_t count, const cxml_options *options) {
    return read_text(text, count, options, false);
}

size_t cxml_locate(const uint8_t *text, size_t count, const cxml_options *options, const size_t *records, size_t *bytes,
                   size_t record_count) {
    if (record_count == 0) return 0;
    cxml_tape *tape = tape_open(count, options);
    if (tape == NULL) return 0;
    tape->source = text;
    tape->options.stop_at = records[0];
    tape->wanted_records = records;
    tape->wanted_bytes = bytes;
    tape->wanted_count = record_count;
    read_source(tape);
    size_t located = record_count - tape->wanted_count;
    cxml_free(tape);
    return located;
}

cxml_tape *cxml_read_owned(uint8_t *text, size_t count, const cxml_options *options) {
    cxml_tape *tape = read_text(text, count, options, true);
    free(text);
    return tape;
}
