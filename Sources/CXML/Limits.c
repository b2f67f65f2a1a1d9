#define _GNU_SOURCE
#include "Limits.h"

#include <string.h>

/* The shortest possible attribute, including the space before it: ` a=""`. */
static const size_t shortest_attribute_bytes = 5;

/* MARK: Attribute limits
 *
 * The library compares each attribute of a tag with all others before it reports the tag: 100 000 of them take
 * seconds. Tags are therefore counted before parsing. A tag contains no `<` after the first byte. */

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

/* Whether the tag that begins at `tag` may have more attributes than `max`, and has. */
static inline bool is_crowded_tag(const uint8_t *tag, const uint8_t *end, size_t max) {
    return (size_t)(end - tag) > (max + 1) * shortest_attribute_bytes && is_crowded(tag, end, max);
}

/* Returns the offset of the next `<` from `offset`, or `count` if there is none. */
static size_t next_markup(const uint8_t *text, size_t offset, size_t count) {
    const uint8_t *found = offset < count ? memchr(text + offset, '<', count - offset) : NULL;
    return found == NULL ? count : (size_t)(found - text);
}

/* Returns the first text that would be a tag with more attributes than `max`, or `count` if there is none. */
static size_t find_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max) {
    size_t tag = next_markup(text, start, count);
    while (tag < count) {
        size_t next = next_markup(text, tag + 1, count);
        if (is_crowded_tag(text + tag, text + next, max)) return tag;
        tag = next;
    }
    return count;
}

/* MARK: Comments
 *
 * The library reports each `--` in a comment, and copies all of the comment before it for each report: 64 KB take
 * seconds. Such a comment is therefore found before the parser receives it. */

/* Whether a byte is read by the library's fast path for comments: ASCII, and a line end of two bytes. */
static bool is_fast(const uint8_t *text, size_t offset) {
    uint8_t byte = text[offset];
    return (byte >= ' ' && byte < 0x80) || byte == '\t' || byte == '\n' || (byte == '\r' && text[offset + 1] == '\n');
}

/* Returns the offset at which the parser would report a `--` in the comment that begins at `start`, or `count` if
 * the comment has no such error, or another one before it. */
static size_t comment_error(const uint8_t *text, size_t start, size_t count) {
    bool is_fast_so_far = true;
    for (size_t offset = start + 4; count - offset > 2; offset++) {
        if (text[offset] == '-' && text[offset + 1] == '-') {
            if (text[offset + 2] == '>') return count;
            return is_fast_so_far ? offset : offset + 2;
        }
        if (is_invalid(text, offset)) return count;
        is_fast_so_far = is_fast_so_far && is_fast(text, offset);
    }
    return count;
}

/* MARK: Document type limits
 *
 * The library reads an internal subset in one go, and some of its checks are quadratic: each choice of an
 * enumeration is compared with all before it, which takes a minute for 100 000. A document type declaration is
 * therefore measured and examined before parsing. The library may find a different end of a malformed subset; it
 * then stops at the error. */

/* Returns the offset after the next `mark` from `offset`, or `count` if there is none. */
static size_t skip_past(const uint8_t *text, size_t offset, size_t count, const char *mark) {
    size_t bytes = strlen(mark);
    const uint8_t *found = offset < count ? memmem(text + offset, count - offset, mark, bytes) : NULL;
    return found == NULL ? count : (size_t)(found - text) + bytes;
}

static bool matches_at(const uint8_t *text, size_t offset, size_t count, const char *mark) {
    size_t bytes = strlen(mark);
    return count - offset >= bytes && memcmp(text + offset, mark, bytes) == 0;
}

static bool is_white_space(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* What `doctype_end` finds. */
typedef struct {
    /* The length of quoted text, comments and instructions, whose cost is linear. */
    size_t quiet_bytes;
    bool has_subset;
    /* The first error of a comment in the internal subset, or `count` if there is none. */
    size_t comment_error;
} doctype_facts;

/* Returns the end of the document type declaration that begins at `offset`, or `count` if it is not terminated.
 * `in_subset` is whether `offset` is in its internal subset, between declarations. */
static size_t doctype_end(const uint8_t *text, size_t offset, size_t count, bool in_subset, doctype_facts *facts) {
    /* At first the outer declaration. */
    bool in_declaration = !in_subset;
    while (offset < count) {
        uint8_t byte = text[offset];
        size_t start = offset;
        if (in_declaration && (byte == '"' || byte == '\'')) {
            const uint8_t *quote = memchr(text + offset + 1, byte, count - offset - 1);
            offset = quote == NULL ? count : (size_t)(quote - text) + 1;
            facts->quiet_bytes += offset - start - 1;
        } else if (in_subset && !in_declaration && matches_at(text, offset, count, "<!--")) {
            if (facts->comment_error == count) facts->comment_error = comment_error(text, offset, count);
            offset = skip_past(text, offset + 4, count, "-->");
            facts->quiet_bytes += offset - start;
        } else if (in_subset && !in_declaration && matches_at(text, offset, count, "<?")) {
            offset = skip_past(text, offset, count, "?>");
            facts->quiet_bytes += offset - start;
        } else {
            offset++;
            if (byte == '>') {
                if (!in_subset) return offset;
                in_declaration = false;
            } else if (byte == '<') {
                in_declaration = true;
            } else if (byte == '[' && !in_subset) {
                facts->has_subset = in_subset = true;
                in_declaration = false;
            } else if (byte == ']' && in_subset && !in_declaration) {
                in_subset = false;
                in_declaration = true;
            }
        }
    }
    return count;
}

/* Returns the first offset with more than `max` choices after one parenthesis, or `count` if there is none. */
static size_t find_crowded_choice(const uint8_t *text, size_t count, size_t max) {
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

/* The length of a name that costs about as much as the declaration of an attribute. */
static const size_t free_name_bytes = 256;

/* Returns the offset at which the long names of elements in attribute lists, each counted for each of its
 * attributes, have more than `max` bytes in total; `count` if there is none. The library reads the name for each. */
static size_t find_long_attribute_list(const uint8_t *text, size_t count, size_t max) {
    size_t name_bytes = 0, sum = 0;
    size_t offset = 0;
    while (offset < count) {
        uint8_t byte = text[offset];
        size_t start = offset++;
        if (byte == '<') {
            name_bytes = 0;
            if (!matches_at(text, start, count, "<!ATTLIST")) continue;
            offset = start + strlen("<!ATTLIST");
            while (offset < count && is_white_space(text[offset]))
                offset++;
            size_t name = offset;
            while (offset < count && !is_white_space(text[offset]) && text[offset] != '>')
                offset++;
            if (offset - name > free_name_bytes) name_bytes = offset - name;
        } else if (name_bytes > 0 && byte == '>') {
            name_bytes = 0;
        } else if (name_bytes > 0 && (byte == '#' || byte == '"' || byte == '\'')) {
            sum += name_bytes;
            if (sum > max) return start;
            const uint8_t *quote = byte == '#' ? text + start : memchr(text + offset, byte, count - offset);
            offset = quote == NULL ? count : (size_t)(quote - text) + 1;
        }
    }
    return count;
}

/* Stops if the document type declaration at `start` is too long, has an enumeration that is too long or a comment with
 * a `--` in it, or is malformed in a way that the library accepts. Returns its end. */
static size_t check_doctype(cxml_tape *tape, const uint8_t *text, size_t start, size_t count) {
    doctype_facts facts = {.comment_error = count};
    size_t end = doctype_end(text, start, count, false, &facts);
    size_t bytes = end - start;
    const cxml_options *options = &tape->options;
    size_t crowded = find_crowded_choice(text + start, bytes, options->max_choices);
    size_t crowded_tag = find_crowded_tag(text, start, end, options->max_attributes);
    size_t name = start + strlen("<!DOCTYPE");
    if (name < count && !is_white_space(text[name]))
        /* XML 1.0 §2.8 [28]: white space precedes the name. The library does not require it. */
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_SPACE_REQUIRED, name);
    else if (bytes - facts.quiet_bytes > options->max_doctype_bytes)
        tape_stop_at(tape, CXML_DOCTYPE_BYTES, XML_ERR_USER_STOP, start);
    else if (find_long_attribute_list(text + start, bytes, tape->max_expansion_bytes) < bytes)
        tape_stop_at(tape, CXML_NAME_BYTES, XML_ERR_USER_STOP, start);
    else if (crowded < bytes)
        tape_stop_at(tape, CXML_CHOICES, XML_ERR_USER_STOP, start + crowded);
    else if (facts.comment_error < count)
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_HYPHEN_IN_COMMENT, facts.comment_error);
    else if (crowded_tag < end)
        tape_stop_at(tape, CXML_ATTRIBUTES, XML_ERR_USER_STOP, crowded_tag);
    else if (!facts.has_subset && end < count && text[end] == '[')
        /* The declaration has ended. The library would read an internal subset after it. */
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_DOCUMENT_EMPTY, end);
    return end;
}

void limits_check_declarations(cxml_tape *tape, const xmlChar *text, size_t count) {
    if (find_long_attribute_list(text, count, tape->max_expansion_bytes) < count)
        tape_stop(tape, CXML_NAME_BYTES, XML_ERR_USER_STOP);
    else if (find_crowded_choice(text, count, tape->options.max_choices) < count)
        tape_stop(tape, CXML_CHOICES, XML_ERR_USER_STOP);
}

void limits_check_parameter_entity(cxml_tape *tape, const xmlChar *text, size_t count) {
    doctype_facts facts = {.comment_error = count};
    doctype_end(text, 0, count, true, &facts);
    if (facts.comment_error < count) tape_stop(tape, CXML_MALFORMED, XML_ERR_HYPHEN_IN_COMMENT);
}

/* MARK: Content
 *
 * A text that is well-formed up to an offset is divided into tags, comments, instructions and sections up to there
 * exactly as the parser divides it. After an error the parser receives nothing, so what is found there has no effect.
 */

/* The length of a part of a CDATA section: the library accepts no section over ten million bytes. */
static const size_t max_section_bytes = 4 << 20;

/* Records where the section from `start`, after its opening, to `end`, after its `]]>`, is split: between characters,
 * and not in a line end. */
static void split_section(cxml_tape *tape, const uint8_t *text, size_t start, size_t end) {
    while (start + max_section_bytes + strlen("]]>") < end) {
        start += max_section_bytes;
        if (text[start] == '\n' && text[start - 1] == '\r') start--;
        /* At most three bytes. */
        while ((text[start] & 0xC0) == 0x80)
            start--;
        RESERVE(tape, splits, split_capacity, tape->split_count + 1, );
        tape->splits[tape->split_count++] = start;
    }
}

static bool is_blank(const uint8_t *text, size_t start, size_t end) {
    while (start < end && is_white_space(text[start]))
        start++;
    return start == end;
}

/* Returns the first construct that the parser must not receive, with how much it may receive so that every earlier
 * error is found. In the source, also checks the document type declaration, and splits sections. */
static content_limit find_limit(cxml_tape *tape, const uint8_t *text, size_t count) {
    size_t max_attributes = tape->options.max_attributes;
    bool is_source = text == tape->source, in_prolog = is_source;
    size_t start = next_markup(text, 0, count), end = 0;
    while (start < count && tape->outcome == CXML_WHOLE) {
        uint8_t kind = count - start > 1 ? text[start + 1] : 0;
        in_prolog = in_prolog && is_blank(text, end, start);
        if (kind != '!' && kind != '?') {
            size_t next = next_markup(text, start + 1, count);
            if (is_crowded_tag(text + start, text + next, max_attributes))
                return (content_limit){CXML_ATTRIBUTES, XML_ERR_USER_STOP, start, start + 1};
            in_prolog = false;
            start = next;
            continue;
        }
        end = start + 1;
        if (kind == '?') {
            end = skip_past(text, start + 2, count, "?>");
            if (is_source && start == 0) tape->declaration_bytes = end;
        } else if (matches_at(text, start, count, "<!--")) {
            size_t error = comment_error(text, start, count);
            if (error < count) return (content_limit){CXML_MALFORMED, XML_ERR_HYPHEN_IN_COMMENT, error, start + 4};
            end = skip_past(text, start + 4, count, "-->");
        } else if (matches_at(text, start, count, "<![CDATA[")) {
            end = skip_past(text, start + 9, count, "]]>");
            if (is_source) split_section(tape, text, start + 9, end);
        } else if (in_prolog && matches_at(text, start, count, "<!DOCTYPE")) {
            in_prolog = false;
            end = check_doctype(tape, text, start, count);
        }
        start = next_markup(text, end, count);
    }
    return (content_limit){CXML_WHOLE, XML_ERR_OK, count, count};
}

void limits_scan(cxml_tape *tape) {
    tape->limit = find_limit(tape, tape->source, tape->source_bytes);
}

void limits_check_entity(cxml_tape *tape, const xmlChar *text, size_t count) {
    content_limit limit = find_limit(tape, text, count);
    if (limit.outcome != CXML_WHOLE) tape_stop(tape, limit.outcome, limit.number);
}
