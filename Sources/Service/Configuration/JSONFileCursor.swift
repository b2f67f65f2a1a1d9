internal import Serialization

/// Traverses a configuration file in JSON strictly: unknown members, names and values are errors with a position.
///
/// The JSON reader checks the grammar when the cursor is created. Then one pass over the same bytes collects the values
/// and the errors, so that one attempt reports all of them.
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
            // The file is the operator's, and its length is limited.
            encoding = try JSONReader.read(
                text,
                options: options,
                memory: .unlimited,
                into: &writer,
                warnings: &warnings
            ).encoding
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
    var position: FilePosition { FilePosition(byte: cursor.position, pointer: pointer) }

    /// Advances to the next value, and returns its position.
    mutating func position(in text: Span<UInt8>) -> FilePosition {
        _ = cursor.peek(in: text)
        return position
    }

    /// Reads the name of a member, and moves ``pointer`` to it.
    mutating func member(in text: Span<UInt8>) -> (name: String, position: FilePosition) {
        let byte = cursor.position
        let name = cursor.name(in: text).text(in: text)
        pointer += "/" + String(name.prefix(64)).pointerToken
        return (name, FilePosition(byte: byte, pointer: pointer))
    }

    /// Returns whether the next value has this type. Otherwise it is reported and skipped.
    mutating func expect(_ kind: JSONCursor.Kind, in text: Span<UInt8>) -> Bool {
        guard cursor.kind(in: text) == kind else {
            reportKind(expected: [kind.rawValue], in: text)
            return false
        }
        return true
    }

    /// Reports a value of a type that is not allowed, and skips it.
    mutating func reportKind(expected: [String], in text: Span<UInt8>) {
        let found = cursor.kind(in: text).rawValue
        faults.report("expected \(expected.alternatives), found \(found)", position)
        _ = cursor.skip(in: text)
    }

    /// Reports a name that is not one of `known`.
    mutating func reportUnknown(_ kind: String, _ name: String, known: [String], _ position: FilePosition) {
        faults.report(Self.unknown(kind, name, known: known), position)
    }

    private static func unknown(_ kind: String, _ name: String, known: [String]) -> String {
        let nearest = NearestName.nearest(to: name, in: known)
        let remedy = nearest.map { "Did you mean '\($0)'?" } ?? "Allowed: \(known.joined(separator: ", "))"
        return "there is no \(kind) '\(name.excerpt)'. \(remedy)"
    }
}
