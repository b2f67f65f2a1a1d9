/// Reads a JSON document of a known form: an envelope, a request to fetch, or a configuration file.
///
/// The users of the reader name the members and their types. The reader determines the location of each error.
/// A `JSONReader` checks the grammar when the reader is created; then one pass over the same bytes reads the values,
/// without a tree. The text is passed to each call, because it is borrowed.
package struct JSONDocumentReader {
    /// The errors that are reported.
    package enum Errors: Equatable, Sendable {
        /// The first one, which ends the reading.
        case first
        /// All up to this number. The others are counted.
        case all(max: Int)
    }

    private var cursor: JSONCursor
    /// The objects and arrays that have been entered.
    private var levels: [JSONPointer.Level] = []
    /// The offsets of the members that were read, for each object that has been entered. Only used if repeated ones are
    /// errors of the document.
    private var offsets: [[String: Int]] = []
    private let errors: Errors
    private let maxPointerBytes: Int

    /// The faults that were recorded, if all errors are reported.
    package private(set) var faults: [JSONDocumentFault] = []

    /// The number of faults, including those that were not recorded.
    package private(set) var faultCount = 0

    /// Validates the text, and moves to its value.
    /// - Parameters:
    ///   - limits: the limits of the document.
    ///   - memory: the source of memory for tables of many names.
    package init(
        _ text: Span<UInt8>,
        limits: Limits,
        errors: Errors,
        memory: any MemoryGrant
    ) throws(JSONDocumentError) {
        var options = JSONReader.Options()
        options.nulls = .keep
        // If the first error is reported, the names of skipped values may be repeated.
        options.duplicates = errors == .first ? .keep : .reject
        options.prefixes = .reject
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
        } catch {
            throw .malformed(error)
        }
        guard encoding == UnicodeEncoding.utf8.rawValue else { throw .notUTF8(encoding: encoding) }
        self.errors = errors
        maxPointerBytes = limits.maxPointerBytes
        // RFC 8259 §8.1: a byte order mark may be ignored.
        let hasMark = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
        cursor = JSONCursor(at: hasMark ? 3 : 0)
    }

    // MARK: Containers

    package mutating func enterObject(in text: Span<UInt8>) throws(JSONDocumentFault) {
        try expect(.object, in: text)
        cursor.enter(in: text)
        levels.append(JSONPointer.Level())
        if errors == .first { offsets.append([:]) }
    }

    /// Moves to the value of the next member, and returns its name; `nil` at the end of the object.
    package mutating func nextName(in text: Span<UInt8>) throws(JSONDocumentFault) -> String? {
        levels[levels.count - 1].name = nil
        guard cursor.next(in: text) else {
            levels.removeLast()
            _ = offsets.popLast()
            return nil
        }
        let offset = cursor.offset
        let token = cursor.name(in: text)
        let name = token.text(in: text)
        levels[levels.count - 1].name = token
        if errors == .first, let first = offsets[offsets.count - 1].updateValue(offset, forKey: name) {
            throw fault(.duplicate(name, first: first), at: nameMark, in: text)
        }
        return name
    }

    /// Moves to the value of the next member, which must have one of the names; `nil` at the end of the object.
    /// - Parameters:
    ///   - kind: the term for what is named, in errors.
    ///   - known: the names that an error lists.
    package mutating func nextMember<Name: RawRepresentable<String> & CaseIterable>(
        _ kind: String = "member",
        known: @autoclosure () -> [Name] = Array(Name.allCases),
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> Name? {
        while let name = try nextName(in: text) {
            // `String` compares canonical equivalence: a Kelvin sign equals `K`, which is shorter in UTF-8.
            if let member = Name(rawValue: name), member.rawValue.utf8.count == name.utf8.count { return member }
            // A file may have hundreds of thousands of errors, of which few are recorded.
            if isFull {
                faultCount += 1
            } else {
                let fault = unknown(kind, name, known().map(\.rawValue), at: nameMark, in: text)
                guard errors != .first else { throw fault }
                record(fault)
            }
            _ = cursor.skip(in: text)
        }
        return nil
    }

    package mutating func enterArray(in text: Span<UInt8>) throws(JSONDocumentFault) {
        try expect(.array, in: text)
        cursor.enter(in: text)
        levels.append(JSONPointer.Level(index: -1))
    }

    /// Moves to the next element of an array.
    /// - Returns: whether there is one.
    package mutating func nextElement(in text: Span<UInt8>) -> Bool {
        guard cursor.next(in: text) else {
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
    package mutating func skip(in text: Span<UInt8>) -> Range<Int> { cursor.skip(in: text) }

    /// Returns the length of the next value, in bytes.
    package func length(in text: Span<UInt8>) -> Int {
        var ahead = cursor
        return ahead.skip(in: text).count
    }

    package mutating func token(in text: Span<UInt8>) throws(JSONDocumentFault) -> JSONStringToken {
        try expect(.string, in: text)
        return cursor.string(in: text)
    }

    package mutating func string(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        try token(in: text).text(in: text)
    }

    package mutating func boolean(in text: Span<UInt8>) throws(JSONDocumentFault) -> Bool {
        try expect(.boolean, in: text)
        return text[cursor.skip(in: text).lowerBound] == UInt8(ascii: "t")
    }

    package mutating func integer(_ bounds: ClosedRange<Int>, in text: Span<UInt8>) throws(JSONDocumentFault) -> Int {
        try expect(.number, in: text)
        let start = mark(in: text)
        let digits = text.text(cursor.skip(in: text))
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
        let pointer = JSONPointer(to: enclosing, maxBytes: maxPointerBytes, in: text)
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
        _ = cursor.skip(in: text)
    }
}

/// The reason why a text is not a JSON document in UTF-8.
package enum JSONDocumentError: Error, Equatable, Sendable {
    case malformed(JSONError)

    /// The text is JSON in another encoding (RFC 8259 §8.1).
    case notUTF8(encoding: String)
}

/// A location in a JSON document.
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
