#include "CXML.h"
#include "Handlers.h"
#include "Limits.h"
#include "Tape.h"

#include <libxml/catalog.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* There are two ways to read. A source without constructs that require stopping early, without a crowded tag, a comment
 * with `--` and an internal subset, is read in one go by the pull parser. The push parser searches for the end of every
 * construct first. It receives the source in pieces and reports errors more precisely, so it decides about malformed
 * sources. */

/* The number of bytes that the push parser receives and copies at a time: small enough for the copy to stay in a
   near cache. */
static const size_t piece_bytes = 16 << 10;

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
    /* The push parser would report all other attributes of the tag. After these two errors it does not use its input
     * before it returns. */
    bool is_in_tag = error->code == XML_NS_ERR_UNDEFINED_NAMESPACE || error->code == XML_NS_ERR_ATTRIBUTE_REDEFINED;
    if (!tape->is_whole && error->ctxt == tape->parser && is_in_tag) xmlStopParser(tape->parser);
    return false;
}

static void on_error(void *context, xmlErrorPtr error) {
    cxml_tape *tape = context;
    if (tape->outcome != CXML_WHOLE) {
        if (error->domain == XML_FROM_PARSER && error->ctxt != NULL) tape_end_input(tape, error->ctxt);
        return;
    }
    if (error->level < XML_ERR_ERROR) return;
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
        return tape_stop(tape, CXML_UNDECLARED_ENTITY, error->code);
    case XML_ERR_ENTITY_IS_EXTERNAL:
        return tape_stop(tape, CXML_EXTERNAL_ENTITY, error->code);
    default:
        return tape_stop(tape, CXML_MALFORMED, error->code);
    }
}

/* MARK: Opening and closing */

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

static void fill_handler(xmlSAXHandler *handler) {
    memset(handler, 0, sizeof(*handler));
    handler->initialized = XML_SAX2_MAGIC;
    add_declaration_handlers(handler);
    add_content_handlers(handler);
    handler->serror = on_error;
}

/* Passes `source` to the parser, from the current offset up to `end`. */
static void feed(cxml_tape *tape, const uint8_t *source, size_t *start, size_t end) {
    while (*start < end && tape->outcome == CXML_WHOLE) {
        /* The data that the parser retains, for example in the middle of a tag, is scanned again from its start. The
         * next piece is therefore at least as long, so that all pieces take at most twice the time of one. */
        size_t waiting = *start - tape_offset(tape);
        size_t max = waiting > piece_bytes ? waiting : piece_bytes;
        size_t bytes = end - *start < max ? end - *start : max;
        xmlParseChunk(tape->parser, (const char *)source + *start, (int)bytes, 0);
        *start += bytes;
        bool is_in_section = tape->parser->instate == XML_PARSER_CDATA_SECTION;
        if (is_in_section && tape->outcome == CXML_WHOLE) *start = content_take_section(tape, source, *start);
    }
}

/* Whether the text at `tag`, whose first two bytes the parser has received, is a tag. Within a comment or a section
 * it is not; the parser then waits, or is, elsewhere. In a DTD the parser waits too, and may find the tag in an
 * entity. */
static bool is_tag(const cxml_tape *tape, size_t tag) {
    switch (tape->parser->instate) {
    case XML_PARSER_CDATA_SECTION:
        return false;
    default:
        return tape->open_count == 0 || tape_offset(tape) == tag;
    }
}

/* Whether the parser waits for the end of a comment that begins at `start`. */
static bool is_in_comment(const cxml_tape *tape, size_t start) {
    if (tape->outcome != CXML_WHOLE || tape_offset(tape) != start) return false;
    switch (tape->parser->instate) {
    case XML_PARSER_MISC:
    case XML_PARSER_PROLOG:
    case XML_PARSER_CONTENT:
    case XML_PARSER_EPILOG:
        return true;
    default:
        return false;
    }
}

/* Returns the offset before which the parser does not continue: it waits for the end of what begins at its offset,
 * and scans all of it again for each piece. A tag or a comment before that offset is neither. */
static size_t resumption(const cxml_tape *tape, const uint8_t *source, size_t fed, size_t count) {
    size_t start = tape_offset(tape);
    if (tape->outcome != CXML_WHOLE || tape->open_count == 0 || start >= fed || fed - start <= piece_bytes) return fed;
    if (source[start] != '&' && source[start] != '<') return fed;
    const uint8_t *end = memchr(source + fed, source[start] == '&' ? ';' : '>', count - fed);
    return end == NULL ? count : (size_t)(end - source);
}

/* Attaches a parser to the tape. */
static bool open_parser(cxml_tape *tape, xmlParserCtxtPtr parser) {
    if (parser == NULL) {
        tape_stop_at(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY, 0);
        return false;
    }
    tape->parser = parser;
    /* The library would write errors that it reports to no parser, such as a redefined entity `lt`, to standard
     * error. The setting is per thread. */
    xmlSetStructuredErrorFunc(NULL, on_global_error);
    fill_handler(parser->sax);
    parser->userData = tape;
    xmlCtxtUseOptions(parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_COMPACT);
    return true;
}

static void close_parser(cxml_tape *tape) {
    const xmlParserCtxt *parser = tape->parser;
    /* With fewer than four bytes the library reports nothing. */
    bool is_document = parser->wellFormed && tape->open_count == 0 && tape->has_root;
    if (!is_document) tape_stop(tape, CXML_MALFORMED, parser->errNo != 0 ? parser->errNo : XML_ERR_DOCUMENT_EMPTY);
    xmlFreeDoc(tape->parser->myDoc);
    tape->parser->myDoc = NULL;
    xmlFreeParserCtxt(tape->parser);
    tape->parser = NULL;
}

static void read_pieces(cxml_tape *tape, const uint8_t *source, size_t count) {
    if (!open_parser(tape, xmlCreatePushParserCtxt(NULL, NULL, NULL, 0, NULL))) return;
    /* The encoding must not be detected from the first bytes: it is UTF-8. */
    tape->parser->charset = XML_CHAR_ENCODING_UTF8;
    size_t fed = 0;
    size_t tag = limits_find_crowded_tag(source, 0, count, tape->options.max_attributes);
    bad_comment comment;
    limits_find_bad_comment(source, 0, count, &comment);
    while (tape->outcome == CXML_WHOLE && (tag < count || comment.start < count)) {
        size_t next = resumption(tape, source, fed, count);
        if (tag < next) {
            tag = limits_find_crowded_tag(source, next, count, tape->options.max_attributes);
        } else if (comment.start < next) {
            limits_find_bad_comment(source, next, count, &comment);
        } else if (tag < comment.start) {
            feed(tape, source, &fed, tag + 2 < count ? tag + 2 : count);
            if (tape->outcome == CXML_WHOLE && is_tag(tape, tag))
                tape_stop_at(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP, tag);
            tag = limits_find_crowded_tag(source, tag + 1, count, tape->options.max_attributes);
        } else {
            feed(tape, source, &fed, comment.start + 4);
            if (is_in_comment(tape, comment.start))
                tape_stop_at(tape, CXML_MALFORMED, XML_ERR_HYPHEN_IN_COMMENT, comment.error);
            limits_find_bad_comment(source, comment.start + 4, count, &comment);
        }
    }
    feed(tape, source, &fed, count);
    if (tape->outcome == CXML_WHOLE) xmlParseChunk(tape->parser, NULL, 0, 1);
    close_parser(tape);
}

static void read_whole(cxml_tape *tape, const uint8_t *source, size_t count) {
    if (tape->source == NULL && !tape_keep_source(tape, source, count)) return;
    if (!open_parser(tape, xmlNewParserCtxt())) return;
    tape->is_whole = true;
    xmlParserInputPtr input = xmlNewInputStream(tape->parser);
    /* If it is set in advance, it is not detected from the first bytes. */
    tape->parser->encoding = xmlCharStrdup("UTF-8");
    if (input == NULL || tape->parser->encoding == NULL) {
        tape_stop(tape, CXML_NO_MEMORY, XML_ERR_NO_MEMORY);
    } else {
        input->base = input->cur = tape->source;
        input->end = tape->source + count;
        input->length = (int)count;
        inputPush(tape->parser, input);
        xmlParseDocument(tape->parser);
        /* It treats any 0 as the end. */
        if (tape_offset(tape) != count) tape_stop(tape, CXML_MALFORMED, XML_ERR_DOCUMENT_END);
    }
    close_parser(tape);
}

/* Whether the push parser would report the same error, which is the case for a wrong end tag: the same function of
 * the library reads end tags in both parsers, and in a short source the push parser cannot have looked ahead
 * further. */
static bool is_last_error(const cxml_tape *tape) {
    return tape->number == XML_ERR_TAG_NAME_MISMATCH && tape->source_bytes < XML_MAX_LOOKUP_LIMIT;
}

/* Reads the text in one way, or determines that this way is not suitable. Returns the next way to read it, or
 * CXML_ANY_WAY if this was the last one. */
static cxml_way read_once(cxml_tape *tape, const uint8_t *text, size_t count, cxml_way way) {
    bool has_subset = limits_check_doctype(tape, text, count);
    if (tape->outcome != CXML_WHOLE) return CXML_ANY_WAY;
    bad_comment comment;
    bool must_stop = limits_find_crowded_tag(text, 0, count, tape->options.max_attributes) < count ||
                     limits_find_bad_comment(text, 0, count, &comment);
    if (way == CXML_IN_ONE_GO || (way == CXML_ANY_WAY && !has_subset && !must_stop)) {
        /* An entity of an internal subset may be longer than its references. */
        tape->attributes_fit = !has_subset;
        read_whole(tape, text, count);
        bool is_last = way == CXML_IN_ONE_GO || tape->outcome != CXML_MALFORMED || is_last_error(tape);
        return is_last ? CXML_ANY_WAY : CXML_IN_PIECES;
    }
    /* The parser has its own copy of the unread data. */
    tape->attributes_fit = true;
    if (tape->source != NULL) {
        if (!tape_shift_source(tape)) return CXML_ANY_WAY;
        text = tape->source + tape->source_start;
    }
    read_pieces(tape, text, count);
    /* The push parser reads an internal subset after it has found its end. If it finds none, because there is none
     * or because of an apostrophe in an instruction, the other parser decides whether there is an error. */
    bool has_no_end = has_subset && !tape->has_root && tape->number == XML_ERR_DOCUMENT_END;
    return has_no_end && !must_stop ? CXML_IN_ONE_GO : CXML_ANY_WAY;
}

static void prepare_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
}

cxml_tape *cxml_read(const uint8_t *text, size_t count, const cxml_options *options) {
    prepare_once();
    cxml_way way = options->way;
    for (;;) {
        cxml_tape *tape = tape_open(count, options);
        if (tape == NULL) return NULL;
        way = read_once(tape, text, count, way);
        if (way == CXML_ANY_WAY) {
            tape_trim(tape);
            return tape;
        }
        cxml_free(tape);
    }
}

cxml_tape *cxml_read_owned(uint8_t *text, size_t count, const cxml_options *options) {
    prepare_once();
    cxml_tape *tape = tape_open(count, options);
    if (tape == NULL) {
        free(text);
        return NULL;
    }
    tape->source = text;
    tape->compacts = true;
    tape->release_at = 0;
    tape_close_source(tape);
    cxml_way next = read_once(tape, text, count, options->way);
    if (next != CXML_ANY_WAY) {
        tape->outcome = CXML_AGAIN;
        tape->number = (int32_t)next;
    }
    tape_trim(tape);
    return tape;
}
