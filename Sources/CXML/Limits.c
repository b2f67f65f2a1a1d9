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

size_t limits_crowded_tag(const uint8_t *text, size_t start, size_t count, size_t max) {
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

static bool stands_at(const uint8_t *text, size_t offset, size_t count, const char *mark) {
    size_t bytes = strlen(mark);
    return count - offset >= bytes && memcmp(text + offset, mark, bytes) == 0;
}

/* Returns the start of the document type declaration, or `count` without one. */
static size_t find_doctype(const uint8_t *text, size_t count) {
    size_t offset = 0;
    while (offset < count) {
        if (text[offset] == ' ' || (text[offset] >= '\t' && text[offset] <= '\r')) {
            offset++;
        } else if (stands_at(text, offset, count, "<?")) {
            offset = skip_past(text, offset, count, "?>");
        } else if (stands_at(text, offset, count, "<!--")) {
            offset = skip_past(text, offset + 4, count, "-->");
        } else {
            return stands_at(text, offset, count, "<!DOCTYPE") ? offset : count;
        }
    }
    return count;
}

/* Returns the end of the document type declaration that begins at `offset`, or `count` if it is not terminated.
 * `quiet_bytes` receives the length of quoted text, comments and instructions, whose cost is linear. */
static size_t doctype_end(const uint8_t *text, size_t offset, size_t count, size_t *quiet_bytes, bool *has_subset) {
    /* Whether `offset` is in the internal subset, and in a declaration, at first the outer one. */
    bool in_subset = false, in_declaration = true;
    while (offset < count) {
        uint8_t byte = text[offset];
        size_t start = offset;
        if (in_declaration && (byte == '"' || byte == '\'')) {
            const uint8_t *quote = memchr(text + offset + 1, byte, count - offset - 1);
            offset = quote == NULL ? count : (size_t)(quote - text) + 1;
            *quiet_bytes += offset - start - 1;
        } else if (in_subset && !in_declaration && stands_at(text, offset, count, "<!--")) {
            offset = skip_past(text, offset + 4, count, "-->");
            *quiet_bytes += offset - start;
        } else if (in_subset && !in_declaration && stands_at(text, offset, count, "<?")) {
            offset = skip_past(text, offset, count, "?>");
            *quiet_bytes += offset - start;
        } else {
            offset++;
            if (byte == '>') {
                if (!in_subset) return offset;
                in_declaration = false;
            } else if (byte == '<') {
                in_declaration = true;
            } else if (byte == '[' && !in_subset) {
                *has_subset = in_subset = true;
                in_declaration = false;
            } else if (byte == ']' && in_subset && !in_declaration) {
                in_subset = false;
                in_declaration = true;
            }
        }
    }
    return count;
}

size_t limits_crowded_choice(const uint8_t *text, size_t count, size_t max) {
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

bool limits_check_doctype(cxml_tape *tape, const uint8_t *source, size_t count) {
    size_t start = find_doctype(source, count);
    if (start == count) return false;
    size_t quiet_bytes = 0;
    bool has_subset = false;
    size_t bytes = doctype_end(source, start, count, &quiet_bytes, &has_subset) - start;
    size_t max = tape->options.max_doctype_bytes;
    size_t crowded = limits_crowded_choice(source + start, bytes, tape->options.max_choices);
    if (bytes - quiet_bytes > max)
        tape_stop_at(tape, CXML_DOCTYPE_BYTES, XML_ERR_USER_STOP, start);
    else if (crowded < bytes)
        tape_stop_at(tape, CXML_CHOICES, XML_ERR_USER_STOP, start + crowded);
    return has_subset;
}
