internal import Serialization

/// Traverses a configuration file in JSON strictly: what is not understood is an error with its position.
///
/// The JSON reader checks the grammar when the cursor is created. Then one walk over the same bytes collects the values
/// and the errors, so that one attempt reports them all.
struct JSONFileCursor {
    var cursor: JSONCursor
    var faults = ConfigurationFileFaults()
    /// The JSON Pointer of the current value.
    var pointer = ""

    /// - Parameters:
    ///   - path: the name of the file, for errors.
    ///   - maxNestingDepth: the nesting depth of the format.
    ///   - isSecret: whether the text of an invalid token may be secret, so that no error contains it.
    init(
        _ text: Span<UInt8>,
        path: String,
        maxNestingDepth: Int,
        isSecret: Bool = false
    ) throws(ConfigurationFileError) {
        try Self.validate(text, path: path, maxNestingDepth: maxNestingDepth, isSecret: isSecret)
        // RFC 8259 §8.1: a byte order mark may be ignored.
        let hasMark = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
        cursor = JSONCursor(at: hasMark ? 3 : 0)
    }

    private static func validate(
        _ text: Span<UInt8>,
        path: String,
        maxNestingDepth: Int,
        isSecret: Bool
    ) throws(ConfigurationFileError) {
        var options = JSONReader.Options()
        options.nulls = .keep
        options.duplicates = .reject
        options.prefixes = .reject
        options.limits.maxNestingDepth = maxNestingDepth
        options.limits.maxOutputBytes = .max  // never longer than the file itself
        var writer = JSONWriter(capacity: text.count)
        var warnings = WarningList(max: 0)
        let encoding: String
        do {
            encoding = try JSONReader.read(text, options: options, into: &writer, warnings: &warnings).encoding
        } catch {
            var error = error
            if isSecret {
                error.found = nil
                error.excerpt = nil
            }
            throw .malformed(error, path: path)
        }
        guard encoding == UnicodeEncoding.utf8.rawValue else { throw .notUTF8(encoding: encoding, path: path) }
    }

    /// The current position.
    var place: FilePlace { FilePlace(byte: cursor.position, pointer: pointer) }

    /// Advances to the next value, and returns its position.
    mutating func place(in text: Span<UInt8>) -> FilePlace {
        _ = cursor.peek(in: text)
        return place
    }

    /// Reads the name of a member, and moves ``pointer`` to it.
    mutating func member(in text: Span<UInt8>) -> (name: String, place: FilePlace) {
        let byte = cursor.position
        let name = cursor.name(in: text).text(in: text)
        pointer += "/" + String(name.prefix(64)).pointerToken
        return (name, FilePlace(byte: byte, pointer: pointer))
    }

    /// Returns whether the next value has this type. Otherwise it is reported and skipped.
    mutating func expect(_ kind: JSONCursor.Kind, in text: Span<UInt8>) -> Bool {
        guard cursor.kind(in: text) == kind else {
            reportKind(expected: [kind.rawValue], in: text)
            return false
        }
        return true
    }

    /// Reports a value of another type, and skips it.
    mutating func reportKind(expected: [String], in text: Span<UInt8>) {
        let found = cursor.kind(in: text).rawValue
        faults.report("expected \(expected.alternatives), found \(found)", place)
        _ = cursor.skip(in: text)
    }

    /// Reports a name that is not one of `known`.
    mutating func reportUnknown(_ what: String, _ name: String, known: [String], _ place: FilePlace) {
        let nearest = NearestName.nearest(to: name, in: known)
        let remedy = nearest.map { "Did you mean '\($0)'?" } ?? "There are \(known.joined(separator: ", "))"
        faults.report("there is no \(what) '\(name.excerpt)'. \(remedy)", place)
    }
}
