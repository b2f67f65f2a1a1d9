/// Reads a JSON document of a known form: an envelope, a request to fetch, or a configuration file.
///
/// The users of the reader name the members and their types. The reader determines the location of each error. One pass
/// over the bytes reads the values, without a tree. The text is passed to each call, because it is borrowed.
///
/// **Invariant**: a document whose reading has been completed is strict JSON within its limits. A `JSONReader`
/// validates it before the first value is read, or, for a document that is mostly of one usual form, only if the pass
/// finds what it does not check itself, or a fault: an error in the grammar precedes all others. `JSONDocumentOracle`
/// (FuzzJSONDocument) and `EnvelopeGrammarTests` compare both.
package struct JSONDocumentReader {
    /// The errors that are reported.
    package enum Errors: Equatable, Sendable {
        /// The first one, which ends the reading.
        case first
        /// All up to this number. The others are counted.
        case all(max: Int)
    }

    /// What is known about the grammar and the limits of the text.
    private enum Validity {
        /// The whole text has been validated.
        case validated
        /// Everything that has been read conforms to them.
        case checked
        /// Something that has been read must be validated.
        case unknown
    }

    private var cursor: JSONCursor
    private var validity: Validity
    /// The objects and arrays that have been entered.
    private var levels: [JSONPointer.Level] = []
    /// The names of the members that were read. Only used if repeated ones are errors of the document.
    private var names = JSONDocumentNames()
    private let errors: Errors
    private let limits: Limits
    private let surrogates: LoneSurrogates

    /// The faults that were recorded, if all errors are reported.
    package private(set) var faults: [JSONDocumentFault] = []

    /// The number of faults, including those that were not recorded.
    package private(set) var faultCount = 0

    /// Validates the text, and moves to its value.
    /// - Parameters:
    ///   - limits: the limits of the document.
    ///   - surrogates: the handling of escaped lone surrogates.
    ///   - memory: the source of memory for tables of many names.
    package init(
        _ text: Span<UInt8>,
        limits: Limits,
        errors: Errors,
        surrogates: LoneSurrogates = .reject,
        memory: any MemoryGrant
    ) throws(JSONDocumentError) {
        self.init(text, limits, errors, surrogates, .unknown)
        try validate(text, memory: memory)
    }

    /// Moves to the value of a text that is checked while it is read. The first error is reported.
    ///
    /// ``finish(_:memory:)`` must be called after the value was read, and ``validate(_:memory:)`` after a fault.
    /// - Parameter limits: the limits of the document.
    package init(checking text: Span<UInt8>, limits: Limits) {
        let isUTF8 = text.count <= JSONLevels.maxSourceBytes && (try? UTF8Span(validating: text)) != nil
        self.init(text, limits, .first, .reject, isUTF8 ? .checked : .unknown)
    }

    private init(
        _ text: Span<UInt8>,
        _ limits: Limits,
        _ errors: Errors,
        _ surrogates: LoneSurrogates,
        _ validity: Validity
    ) {
        self.limits = limits
        self.errors = errors
        self.surrogates = surrogates
        self.validity = validity
        // RFC 8259 §8.1: a byte order mark may be ignored.
        cursor = JSONCursor(at: text.hasText("\u{FEFF}", at: 0) ? 3 : 0)
        levels.reserveCapacity(8)
    }

    // MARK: Grammar

    /// Validates the text, unless all of it has been checked.
    /// - Parameter memory: the source of memory for tables of many names.
    package mutating func finish(_ text: Span<UInt8>, memory: any MemoryGrant) throws(JSONDocumentError) {
        _ = cursor.peek(in: text)
        check(cursor.offset == text.count && levels.isEmpty)
        if validity == .unknown { try validate(text, memory: memory) }
    }

    /// Validates the text.
    /// - Parameter memory: the source of memory for tables of many names.
    package mutating func validate(_ text: Span<UInt8>, memory: any MemoryGrant) throws(JSONDocumentError) {
        var options = JSONReader.Options()
        options.nulls = .keep
        // If the first error is reported, the names of skipped values may be repeated.
        options.duplicates = errors == .first ? .keep : .reject
        options.prefixes = .reject
        options.surrogates = surrogates
        options.limits = limits
        options.limits.maxOutputBytes = .max  // never longer than the document itself
        var writer = JSONWriter(capacity: text.count)
        var warnings = WarningList(max: 0)
        let encoding: String
        do {
            encoding = try JSONReader.read(
                text,
                options: options,
                memory: memory,
                into: &writer,
                warnings: &warnings
            ).encoding
        } catch { throw .malformed(error) }
        guard encoding == UnicodeEncoding.utf8.rawValue else { throw .notUTF8(encoding: encoding) }
        validity = .validated
    }

    /// Notes that the text must be validated, unless a condition is true or it has been validated.
    private mutating func check(_ isStrict: Bool) { if validity == .checked, !isStrict { validity = .unknown } }

    // MARK: Containers

    package mutating func enterObject(in text: Span<UInt8>) throws(JSONDocumentFault) {
        try expect(.object, in: text)
        enter(JSONPointer.Level(), in: text)
        if errors == .first { names.enter() }
    }

    private mutating func enter(_ level: JSONPointer.Level, in text: Span<UInt8>) {
        cursor.enter(in: text)
        levels.append(level)
        check(levels.count <= limits.maxNestingDepth)
    }

    /// Moves to the next member or element, behind the comma before it, or behind the bracket that closes its object or
    /// array.
    /// - Returns: whether there is one.
    private mutating func next(isFirst: Bool, closing bracket: Unicode.Scalar, in text: Span<UInt8>) -> Bool {
        let byte = cursor.peek(in: text)
        let follows = cursor.next(in: text)
        check(follows ? (byte == UInt8(ascii: ",")) != isFirst : byte == UInt8(ascii: bracket))
        return follows
    }

    /// Moves to the value of the next member, and returns its name; `nil` at the end of the object.
    package mutating func nextName(in text: Span<UInt8>) throws(JSONDocumentFault) -> String? {
        let isFirst = levels[levels.count - 1].name == nil
        levels[levels.count - 1].name = nil
        guard next(isFirst: isFirst, closing: "}", in: text) else {
            levels.removeLast()
            if errors == .first { check(names.leave() <= limits.maxObjectMembers) }
            return nil
        }
        let token = readName(in: text)
        levels[levels.count - 1].name = token
        if errors == .first, let first = names.add(token, in: text) {
            throw fault(.duplicate(token.text(in: text), first: first), at: nameMark, in: text)
        }
        return token.text(in: text)
    }

    /// Reads the name of a member and the colon after it.
    private mutating func readName(in text: Span<UInt8>) -> JSONStringToken {
        let token = readString(in: text)
        check(token.range.count <= limits.maxKeyBytes)
        check(cursor.peek(in: text) == UInt8(ascii: ":"))
        cursor.enter(in: text)
        return token
    }

    /// Records that the current member is not one of those that are known, and skips it.
    package mutating func skipUnknown(
        _ kind: String,
        _ name: String,
        known: () -> [String],
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) {
        // A file may have hundreds of thousands of errors, of which few are recorded.
        if isFull {
            faultCount += 1
        } else {
            let fault = unknown(kind, name, known(), at: nameMark, in: text)
            guard errors != .first else { throw fault }
            record(fault)
        }
        _ = skip(in: text)
    }

    package mutating func enterArray(in text: Span<UInt8>) throws(JSONDocumentFault) {
        try expect(.array, in: text)
        enter(JSONPointer.Level(index: -1), in: text)
    }

    /// Moves to the next element of an array.
    /// - Returns: whether there is one.
    package mutating func nextElement(in text: Span<UInt8>) -> Bool {
        guard next(isFirst: levels[levels.count - 1].index == -1, closing: "]", in: text) else {
            levels.removeLast()
            return false
        }
        levels[levels.count - 1].index? += 1
        return true
    }

    // MARK: Values

    /// Returns the type of the next value.
    package mutating func kind(in text: Span<UInt8>) -> JSONKind { cursor.kind(in: text) }

    /// Skips a value of any type, and returns its range.
    package mutating func skip(in text: Span<UInt8>) -> Range<Int> {
        let range = cursor.skip(in: text)
        check(text.isPlainScalar(range, maxNumberBytes: limits.maxNumberBytes))
        return range
    }

    /// Returns whether the next value is longer than a number of bytes.
    package func isLonger(than bytes: Int, in text: Span<UInt8>) -> Bool {
        // The value is not measured if the rest of the text is not longer.
        text.count - cursor.offset > bytes && length(in: text) > bytes
    }

    /// Returns the length of the next value, in bytes.
    package func length(in text: Span<UInt8>) -> Int {
        var ahead = cursor
        return ahead.skip(in: text).count
    }

    package mutating func token(in text: Span<UInt8>) throws(JSONDocumentFault) -> JSONStringToken {
        try expect(.string, in: text)
        return readString(in: text)
    }

    /// Reads a string. Its escapes are not checked.
    private mutating func readString(in text: Span<UInt8>) -> JSONStringToken {
        let quote = cursor.offset
        let token = cursor.string(in: text)
        check(text.plainString(at: quote) == token.range)
        return token
    }

    package mutating func string(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        try expect(.string, in: text)
        let quote = cursor.offset
        if let range = text.plainString(at: quote) {
            cursor = JSONCursor(at: range.upperBound + 1)
            return text.text(range)
        }
        let token = cursor.string(in: text)
        guard let string = JSONScannedString(at: quote, in: text.extracting(first: cursor.offset)) else {
            check(false)
            return token.text(in: text)
        }
        return string.value.text(in: text)
    }

    /// Reads a string of any length.
    ///
    /// Its escapes are decoded while its end is searched, into memory of the length of the remaining text. Therefore it
    /// is for one string of a document.
    package mutating func content(in text: Span<UInt8>) throws(JSONDocumentFault) -> ContainedBytes {
        try expect(.string, in: text)
        guard let string = JSONScannedString(at: cursor.offset, in: text) else {
            check(false)
            return .bytes(cursor.string(in: text).utf8(in: text))
        }
        cursor = JSONCursor(at: string.end)
        return string.value
    }

    package mutating func boolean(in text: Span<UInt8>) throws(JSONDocumentFault) -> Bool {
        try expect(.boolean, in: text)
        return text[skip(in: text).lowerBound] == UInt8(ascii: "t")
    }

    package mutating func integer(_ bounds: ClosedRange<Int>, in text: Span<UInt8>) throws(JSONDocumentFault) -> Int {
        try expect(.number, in: text)
        let start = mark(in: text)
        let digits = text.text(skip(in: text))
        guard let value = Int(digits), bounds ~= value else {
            throw fault(.number(digits, bounds), at: start, in: text)
        }
        return value
    }

    /// Reads one of several names.
    /// - Parameter kind: the term for what is named, in errors.
    package mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ kind: String,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> Value {
        let start = mark(in: text)
        let name = try string(in: text)
        guard let value = Value(rawValue: name) else {
            throw unknown(kind, name, Value.allCases.map(\.rawValue), at: start, in: text)
        }
        return value
    }

    /// Reads one of `names`.
    /// - Parameter kind: the term for what is named, in errors.
    package mutating func choice(
        _ kind: String,
        of names: [String],
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> String {
        let start = mark(in: text)
        let name = try string(in: text)
        guard names.contains(name) else { throw unknown(kind, name, names, at: start, in: text) }
        return name
    }

    // MARK: Errors

    /// A location in the document, from which its JSON Pointer is made when it is needed.
    package struct Mark {
        /// The offset in bytes.
        package let byte: Int
        /// The number of objects and arrays that enclose the location.
        fileprivate let depth: Int
        /// Whether the current member or element of the innermost one belongs to the location.
        fileprivate var isInMember = true
    }

    /// Returns the location of the next value. It is valid until the object or array that contains the value has been
    /// left.
    package mutating func mark(in text: Span<UInt8>) -> Mark {
        _ = cursor.peek(in: text)
        return Mark(byte: cursor.offset, depth: levels.count)
    }

    /// The location of the name of the current member. If the first error is reported, an error in a name belongs to
    /// the object; otherwise it belongs to the member.
    package var nameMark: Mark {
        let quote = levels.last?.name.map { $0.range.lowerBound - 1 }
        return Mark(byte: quote ?? 0, depth: levels.count, isInMember: errors != .first)
    }

    package func location(of mark: Mark, in text: Span<UInt8>) -> JSONDocumentLocation {
        let enclosing = levels.prefix(mark.isInMember ? mark.depth : max(mark.depth - 1, 0))
        let pointer = JSONPointer(to: enclosing, maxBytes: limits.maxPointerBytes, in: text)
        return JSONDocumentLocation(byte: mark.byte, pointer: pointer.text)
    }

    package func fault(_ reason: JSONDocumentFault.Reason, at mark: Mark, in text: Span<UInt8>) -> JSONDocumentFault {
        JSONDocumentFault(reason: reason, location: location(of: mark, in: text))
    }

    /// Returns the fault of a value whose type is not one of `expected`.
    package mutating func unexpectedKind(_ expected: [String], in text: Span<UInt8>) -> JSONDocumentFault {
        let start = mark(in: text)
        return fault(.unexpected(found: cursor.kind(in: text).rawValue, expected: expected), at: start, in: text)
    }

    package mutating func expect(_ kind: JSONKind, in text: Span<UInt8>) throws(JSONDocumentFault) {
        guard cursor.kind(in: text) == kind else { throw unexpectedKind([kind.rawValue], in: text) }
    }

    /// Returns the fault of a name that is not one of `known`.
    package func unknown(
        _ kind: String,
        _ name: String,
        _ known: [String],
        at mark: Mark,
        in text: Span<UInt8>
    ) -> JSONDocumentFault {
        fault(.unknown(kind, name, known: known), at: mark, in: text)
    }

    /// Records a fault, after which the reading continues.
    package mutating func record(_ fault: JSONDocumentFault) {
        faultCount += 1
        if !isFull { faults.append(fault) }
    }

    /// Whether no further faults are recorded.
    private var isFull: Bool {
        switch errors {
        case .first: false
        case .all(let max): faults.count >= max
        }
    }

    /// Records a fault of the value at `start`, and moves behind the value.
    package mutating func recover(from fault: JSONDocumentFault, at start: Mark, in text: Span<UInt8>) {
        record(fault)
        levels.removeLast(levels.count - start.depth)
        cursor = JSONCursor(at: start.byte)
        _ = skip(in: text)
    }
}

/// The reason why a text is not a JSON document in UTF-8.
package enum JSONDocumentError: Error, Equatable, Sendable {
    case malformed(JSONError)

    /// The text is JSON in another encoding (RFC 8259 §8.1).
    case notUTF8(encoding: String)
}

package struct JSONDocumentLocation: Equatable, Sendable {
    /// The offset in bytes.
    package var byte: Int
    package var pointer: String

    package init(byte: Int, pointer: String) {
        self.byte = byte
        self.pointer = pointer
    }
}

/// An error in a JSON document: a value that is not what its member accepts.
package struct JSONDocumentFault: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// The value has another type or another form.
        case unexpected(found: String, expected: [String])
        /// A number is not an integer in these bounds.
        case number(String, ClosedRange<Int>)
        /// A name is not one of those that are known.
        case unknown(_ kind: String, String, known: [String])
        /// A member is repeated.
        case duplicate(String, first: Int)
        /// One sentence that describes any other error.
        /// - Parameter first: the offset of the first occurrence, if the error is a duplicate.
        case other(String, first: Int?)
    }

    package var reason: Reason
    package var location: JSONDocumentLocation

    package init(reason: Reason, location: JSONDocumentLocation) {
        self.reason = reason
        self.location = location
    }
}

extension Span<UInt8> {
    /// Whether the value in `range` is a string without escapes, a number of digits, or a literal, as RFC 8259 permits.
    fileprivate func isPlainScalar(_ range: Range<Int>, maxNumberBytes: Int) -> Bool {
        guard let first = range.first.map({ self[$0] }) else { return false }
        let value = extracting(first: range.upperBound).extracting(droppingFirst: range.lowerBound)
        switch first {
        case UInt8(ascii: "\""): return plainString(at: range.lowerBound)?.upperBound == range.upperBound - 1
        case UInt8(ascii: "t"): return value.equals("true".utf8.span)
        case UInt8(ascii: "f"): return value.equals("false".utf8.span)
        case UInt8(ascii: "n"): return value.equals("null".utf8.span)
        case UInt8(ascii: "0"): return range.count == 1 && maxNumberBytes >= 1
        default:
            return range.count <= maxNumberBytes
                && range.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self[$0] }
        }
    }
}
