/// A JSON Pointer (RFC 6901) to a part of the value, or a pattern of such pointers.
public struct PartPointer: Equatable, Sendable {
    /// One step from an object or array to a member or element.
    public struct Token: Equatable, Sendable {
        /// The name of a member, without the escapes of RFC 6901, in UTF-8.
        let name: [UInt8]

        /// The index of an element (RFC 6901 §4: without leading zeros); `nil` if the token is not an index.
        let index: Int?

        /// The hash of the name.
        let hash: UInt32

        /// Whether JSON can contain the name as it is.
        let isPlain: Bool

        /// Whether the token stands for every member or element, if it is a token of a pattern.
        var isWildcard: Bool { name == [UInt8(ascii: "*")] }

        init(_ name: [UInt8]) {
            self.name = name
            hash = NameHash().hash(of: name.span)
            isPlain = !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
            let isIndex = name.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            let hasLeadingZero = name.count > 1 && name.first == UInt8(ascii: "0")
            index = isIndex && !hasLeadingZero ? Int(String(decoding: name, as: UTF8.self)) : nil
        }
    }

    /// The maximum length of the text, in bytes, inclusive.
    public static let maxBytes = 4 << 10

    /// The pointer to the whole value.
    public static let whole = PartPointer(tokens: [])

    /// The steps from the whole value.
    public let tokens: [Token]

    private init(tokens: [Token]) { self.tokens = tokens }

    /// Parses a pointer such as `/items/0/name`. The empty text is the pointer to the whole value.
    public init(parsing text: String) throws(PartPointerError) {
        guard text.utf8.count <= Self.maxBytes else { throw .tooLong(max: Self.maxBytes) }
        tokens = try Self.tokens(in: text.utf8.span, max: .max)
    }

    /// Reads the first tokens of a pointer that the serializer has written, which is valid.
    /// - Parameter maxTokens: The number of tokens that are read. A pointer may have one for each open container, and
    ///   there may be one pointer per value.
    init(written text: Span<UInt8>, maxTokens: Int) {
        do throws(PartPointerError) {
            tokens = try Self.tokens(in: text, max: maxTokens)
        } catch { preconditionFailure("the serializer writes valid pointers") }
    }

    private static func tokens(in text: Span<UInt8>, max: Int) throws(PartPointerError) -> [Token] {
        var tokens: [Token] = []
        var name: [UInt8]?
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "/"):
                if let name { tokens.append(Token(name)) }
                guard tokens.count < max else { return tokens }
                name = []
            case _ where name == nil: throw .missingSlash(at: index)
            case UInt8(ascii: "~"):
                if text.hasText("~0", at: index) {
                    name?.append(UInt8(ascii: "~"))
                } else if text.hasText("~1", at: index) {
                    name?.append(UInt8(ascii: "/"))
                } else {
                    throw .invalidEscape(at: index)
                }
                index += 1
            case let byte: name?.append(byte)
            }
            index += 1
        }
        if let name { tokens.append(Token(name)) }
        return tokens
    }

    /// The text that ``init(parsing:)`` parses.
    public var text: String { Self.text(of: tokens, maxBytes: .max) }

    /// Returns a pointer with a slash if it begins without one. One that looks like an expression (`$.items[0]`)
    /// remains: its meaning is not certain.
    package static func withSlash(_ text: String) -> String {
        let isName = !text.isEmpty && !text.utf8.contains { "$#.[ ".utf8.contains($0) }
        return isName && text.utf8.first != UInt8(ascii: "/") ? "/" + text : text
    }

    /// Returns the text of the pointer with the first `count` tokens, as it is reported to callers.
    func text(first count: Int, maxBytes: Int) -> String { Self.text(of: tokens.prefix(count), maxBytes: maxBytes) }

    /// Returns this pattern with the tokens of `pointer` in place of as many of its own.
    func beginning(with pointer: PartPointer) -> PartPointer {
        pointer.tokens.isEmpty ? self : PartPointer(tokens: pointer.tokens + tokens.dropFirst(pointer.tokens.count))
    }

    /// Returns the pointer with the first `count` tokens.
    func first(_ count: Int) -> PartPointer { PartPointer(tokens: Array(tokens.prefix(count))) }

    private static func text(of tokens: some Sequence<Token>, maxBytes: Int) -> String {
        var pointer = JSONPointer(maxBytes: maxBytes)
        for token in tokens { pointer.append(String(decoding: token.name, as: UTF8.self)) }
        return pointer.text
    }

    /// Returns the number of tokens with which this pattern denotes `pointer` or something that contains it; `nil` if
    /// it does not.
    func covers(_ pointer: PartPointer) -> Int? {
        guard tokens.count <= pointer.tokens.count, matches(pointer, first: tokens.count) else { return nil }
        return tokens.count
    }

    /// Returns whether the first `count` tokens of this pattern denote the part to which those of `pointer` lead.
    func matches(_ pointer: PartPointer, first count: Int) -> Bool {
        zip(tokens.prefix(count), pointer.tokens).allSatisfy { $0.isWildcard || $0.name == $1.name }
    }
}

/// The reason why a text is not a pointer to a part, or not a list of patterns.
public enum PartPointerError: Error, Equatable, Sendable {
    /// The text at `offset` in bytes must begin with a slash.
    case missingSlash(at: Int)
    /// A `~` at `offset` in bytes is not followed by `0` or `1`.
    case invalidEscape(at: Int)
    case tooLong(max: Int)
    /// The pattern at `offset` in bytes denotes the whole value, which cannot be omitted.
    case wholeValue(at: Int)
    case tooManyPatterns(max: Int)

    /// The reason in words, without the text.
    public var sentence: String {
        switch self {
        case .missingSlash(let offset): "a pointer begins with '/' at byte \(offset)"
        case .invalidEscape(let offset): "'~' is followed by '0' or '1' at byte \(offset)"
        case .tooLong(let max): "it may have at most \(max) bytes"
        case .wholeValue(let offset): "the pattern at byte \(offset) is empty, and the whole value cannot be omitted"
        case .tooManyPatterns(let max): "it may have at most \(max) patterns"
        }
    }

    fileprivate func moved(by bytes: Int) -> PartPointerError {
        switch self {
        case .missingSlash(let offset): .missingSlash(at: offset + bytes)
        case .invalidEscape(let offset): .invalidEscape(at: offset + bytes)
        case .wholeValue(let offset): .wholeValue(at: offset + bytes)
        case .tooLong, .tooManyPatterns: self
        }
    }
}

/// The handling of a selected part that the value does not have.
public enum MissingPart: String, Sendable, CaseIterable {
    /// It is an error.
    case reject
    /// The outcome is `empty`.
    case empty
}

/// The parts of the value that an answer contains.
public struct ValueParts: Equatable, Sendable {
    /// The part that is the value of the answer. Default: the whole value.
    public var selected = PartPointer.whole

    /// The handling of a value without the selected part. Default ``MissingPart/reject``.
    public var missing = MissingPart.reject

    /// The patterns of members and elements that are left out; empty for none. In them, `*` stands for every member or
    /// element. At most ``maxPatterns``.
    public var omitted: [PartPointer] = []

    /// The maximum number of patterns, inclusive.
    public static let maxPatterns = 64

    public init() {}

    /// Whether the answer contains the whole value.
    var areWhole: Bool { selected.tokens.isEmpty && omitted.isEmpty }

    /// Parses a list of patterns such as `/items/*/internal,/debug`.
    public static func patterns(parsing text: String) throws(PartPointerError) -> [PartPointer] {
        var patterns: [PartPointer] = []
        var start = 0
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard patterns.count < maxPatterns else { throw .tooManyPatterns(max: maxPatterns) }
            guard !part.isEmpty else { throw .wholeValue(at: start) }
            do {
                patterns.append(try PartPointer(parsing: String(Substring(part))))
            } catch { throw error.moved(by: start) }
            start += part.count + 1
        }
        return patterns
    }

    /// The text that ``patterns(parsing:)`` parses; empty for none.
    public var omittedText: String { omitted.map(\.text).joined(separator: ",") }
}
