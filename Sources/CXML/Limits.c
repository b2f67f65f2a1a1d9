#define _GNU_SOURCE
#include "Limits.h"

#include <string.h>

/* The shortest possible attribute, including the space before it: ` a=""`. */
static const size_t shortest_attribute_bytes = 5;

/* MARK: Attribute limits
 *
 * The library compares each attribute of a tag with all others before it reports the tag: 100 000 of them take
 * seconds. Tags are therefore counted before parsing. A tag contains no `<` after the first byte, and with more than
 * `max_attributes` it is long: almost every block of the text has a `<`, which is found quickly. */

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

size_t limits_find_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max) {
    size_t block = (max + 1) * shortest_attribute_bytes / 2;
    size_t offset = start;
    while (offset < count) {
        size_t rest = count - offset;
        const uint8_t *found = memchr(text + offset, '<', rest < block ? rest : block);
        if (found != NULL || offset == start) {
            /* Go to the last `<` of the block, where a long tag may begin. */
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

bool limits_find_bad_comment(const uint8_t *text, size_t start, size_t count, bad_comment *found) {
    static const char mark[] = "<!--";
    const uint8_t *comment = text + start;
    while ((comment = memmem(comment, (size_t)(text + count - comment), mark, strlen(mark))) != NULL) {
        found->start = (size_t)(comment - text);
        found->error = comment_error(text, found->start, count);
        if (found->error < count) return true;
        comment += strlen(mark);
    }
    found->start = found->error = count;
    return false;
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
    while (count - offset >= bytes) {
        const uint8_t *found = memchr(text + offset, mark[0], count - offset - bytes + 1);
        if (found == NULL) return count;
        offset = (size_t)(found - text);
        if (memcmp(found, mark, bytes) == 0) return offset + bytes;
        offset++;
    }
    return count;
}

static bool matches_at(const uint8_t *text, size_t offset, size_t count, const char *mark) {
    size_t bytes = strlen(mark);
    return count - offset >= bytes && memcmp(text + offset, mark, bytes) == 0;
}

static bool is_white_space(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Returns the start of the document type declaration, or `count` without one. */
static size_t find_doctype(const uint8_t *text, size_t count) {
    size_t offset = 0;
    while (offset < count) {
        if (is_white_space(text[offset])) {
            offset++;
        } else if (matches_at(text, offset, count, "<?")) {
            offset = skip_past(text, offset, count, "?>");
        } else if (matches_at(text, offset, count, "<!--")) {
            offset = skip_past(text, offset + 4, count, "-->");
        } else {
            return matches_at(text, offset, count, "<!DOCTYPE") ? offset : count;
        }
    }
    return count;
}

/* What `doctype_end` finds. */
typedef struct {
    /* The length of quoted text, comments and instructions, whose cost is linear. */
    size_t quiet_bytes;
    bool has_subset;
    /* The first error of a comment in the internal subset, or `count` if there is none. */
    size_t comment_error;
} doctype_facts;

/* Returns the end of the document type declaration that begins at `offset`, or `count` if it is not terminated. */
static size_t doctype_end(const uint8_t *text, size_t offset, size_t count, doctype_facts *facts) {
    /* Whether `offset` is in the internal subset, and in a declaration, at first the outer one. */
    bool in_subset = false, in_declaration = true;
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

size_t limits_find_crowded_choice(const uint8_t *text, size_t count, size_t max) {
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

size_t limits_find_long_attribute_list(const uint8_t *text, size_t count, size_t max) {
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

bool limits_check_doctype(cxml_tape *tape, const uint8_t *source, size_t count) {
    size_t start = find_doctype(source, count);
    if (start == count) return false;
    doctype_facts facts = {.comment_error = count};
    size_t end = doctype_end(source, start, count, &facts);
    size_t bytes = end - start;
    size_t max = tape->options.max_doctype_bytes;
    size_t crowded = limits_find_crowded_choice(source + start, bytes, tape->options.max_choices);
    size_t name = start + strlen("<!DOCTYPE");
    if (name < count && !is_white_space(source[name]))
        /* XML 1.0 §2.8 [28]: white space precedes the name. The library does not require it. */
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_SPACE_REQUIRED, name);
    else if (bytes - facts.quiet_bytes > max)
        tape_stop_at(tape, CXML_DOCTYPE_BYTES, XML_ERR_USER_STOP, start);
    else if (limits_find_long_attribute_list(source + start, bytes, tape->max_expansion_bytes) < bytes)
        tape_stop_at(tape, CXML_NAME_BYTES, XML_ERR_USER_STOP, start);
    else if (crowded < bytes)
        tape_stop_at(tape, CXML_CHOICES, XML_ERR_USER_STOP, start + crowded);
    else if (facts.comment_error < count)
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_HYPHEN_IN_COMMENT, facts.comment_error);
    else if (!facts.has_subset && end < count && source[end] == '[')
        /* The declaration has ended. The library would read an internal subset after it. */
        tape_stop_at(tape, CXML_MALFORMED, XML_ERR_DOCUMENT_EMPTY, end);
    return facts.has_subset;
}
