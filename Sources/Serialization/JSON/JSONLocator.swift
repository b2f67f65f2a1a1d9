/// Finds the value to which an offset of a JSON text belongs.
///
/// The kernel does not maintain a path. The locator is used afterwards for a few offsets of one text, and traverses the
/// text once up to the last of them.
struct JSONLocator {
    struct Location: Equatable {
        /// The JSON Pointer (RFC 6901).
        var pointer: String
        /// The index of the record, from 0, in a text with many records.
        var record: Int?
    }

    private let hasRecords: Bool
    private let maxPointerBytes: Int
    /// The objects and arrays that enclose the current token.
    private var levels: [JSONPointer.Level] = []
    private var record = -1
    private var locations: [Location] = []

    private init(options: JSONReader.Options) {
        hasRecords = options.records != nil
        maxPointerBytes = options.limits.maxPointerBytes
    }

    /// Returns the location of `offset`.
    static func location(of offset: Int, in text: Span<UInt8>, options: JSONReader.Options) -> Location {
        locations(of: [offset], in: text, options: options)[0]
    }

    /// Returns the locations of `offsets`, which must be in ascending order.
    static func locations(of offsets: [Int], in text: Span<UInt8>, options: JSONReader.Options) -> [Location] {
        var locator = JSONLocator(options: options)
        locator.locate(offsets, in: text)
        return locator.locations
    }

    private mutating func locate(_ offsets: [Int], in text: Span<UInt8>) {
        var cursor = JSONCursor()
        while locations.count < offsets.count {
            // White space belongs to what precedes it, and a name to its member from its first byte.
            _ = cursor.peek(in: text)
            note(offsets, before: cursor.offset, in: text)
            guard let token = cursor.token(in: text) else { break }
            begin(token, in: text)
            note(offsets, before: cursor.offset, in: text)
            end(token)
        }
        note(offsets, before: .max, in: text)
    }

    /// Changes the location before a token.
    private mutating func begin(_ token: JSONCursor.Token, in text: Span<UInt8>) {
        switch token {
        case .closing, .punctuation: return
        case .opening, .string, .scalar: if levels.isEmpty { record += 1 }
        }
        // A name that does not end is not a name.
        if case .string(let name) = token, name.isTerminated(in: text), let last = levels.indices.last,
            levels[last].index == nil, levels[last].name == nil
        {
            levels[last].name = name
        }
    }

    /// Changes the location after a token.
    private mutating func end(_ token: JSONCursor.Token) {
        switch token {
        case .opening(let bracket): levels.append(JSONPointer.Level(index: bracket == UInt8(ascii: "[") ? 0 : nil))
        case .closing: _ = levels.popLast()
        case .punctuation(UInt8(ascii: ",")):
            guard let last = levels.indices.last else { return }
            levels[last].index? += 1
            levels[last].name = nil
        case .punctuation, .string, .scalar: break
        }
    }

    private mutating func note(_ offsets: [Int], before end: Int, in text: Span<UInt8>) {
        while locations.count < offsets.count, offsets[locations.count] < end {
            let record = hasRecords && record >= 0 ? record : nil
            let pointer = JSONPointer(to: levels[...], record: record, maxBytes: maxPointerBytes, in: text)
            locations.append(Location(pointer: pointer.text, record: record))
        }
    }
}

extension JSONLocator {
    /// Returns the offset of the first member with the name of the member at `offset`, in the same object. The text
    /// before `offset` must have been read without an error.
    static func firstMember(likeThatAt offset: Int, in text: Span<UInt8>) -> Int? {
        var objects: [Int] = []
        var cursor = JSONCursor()
        while cursor.peek(in: text) != 0, case let start = cursor.offset, start < offset {
            switch cursor.token(in: text) {
            case .opening: objects.append(start)
            case .closing: _ = objects.popLast()
            case .punctuation, .string, .scalar, nil: break
            }
        }
        guard let object = objects.last else { return nil }
        let wanted = JSONStringToken(at: offset, in: text).utf8(in: text)
        cursor.offset = object + 1
        while cursor.next(in: text), case let start = cursor.offset, start < offset {
            if cursor.name(in: text).utf8(in: text) == wanted { return start }
            _ = cursor.skip(in: text)
        }
        return nil
    }
}
