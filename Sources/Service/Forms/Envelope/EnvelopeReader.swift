internal import HTTP
internal import Serialization

/// Reads an ``Envelope`` strictly: unknown members are rejected, with their location.
///
/// First the JSON reader checks the syntax of the text; then one pass over the same bytes extracts the members. Duplicate names
/// *inside* `body.json` are handled according to the options of the request.
struct EnvelopeReader {
    let limits: Limits
    var cursor: JSONCursor
    var place = EnvelopePlace()
    /// The length above which a member other than `body` ends the reading, in bytes.
    let maxShortMemberBytes: Int

    /// - Parameters:
    ///   - limits: the limits of the service; `maxContentBytes` limits the decoded content.
    ///   - memory: the source of memory for tables of many names.
    static func read(
        _ envelope: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant
    ) throws(EnvelopeError) -> Envelope {
        var reader = try EnvelopeReader(envelope, limits: limits, memory: memory)
        guard let read = try reader.envelope(in: envelope) else {
            preconditionFailure("a member of any length is read")
        }
        return read
    }

    /// Reads an envelope on an HTTP thread.
    /// - Returns: `nil` if a member other than `body` is so long that this would take too much time.
    static func readShort(
        _ envelope: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant
    ) throws(EnvelopeError) -> Envelope? {
        var reader = try EnvelopeReader(
            envelope,
            limits: limits,
            memory: memory,
            maxShortMemberBytes: Envelope.maxShortMemberBytes
        )
        return try reader.envelope(in: envelope)
    }

    /// Validates the text, and moves to its beginning.
    init(
        _ text: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant,
        maxShortMemberBytes: Int = .max
    ) throws(EnvelopeError) {
        try Self.validate(text, limits: limits, memory: memory)
        // RFC 8259 §8.1: a byte order mark may be ignored.
        let hasMark = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
        self.limits = limits
        self.maxShortMemberBytes = maxShortMemberBytes
        cursor = JSONCursor(at: hasMark ? 3 : 0)
    }

    static func validate(
        _ envelope: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant
    ) throws(EnvelopeError) {
        var options = JSONReader.Options()
        options.nulls = .keep
        options.duplicates = .keep
        options.prefixes = .reject
        options.limits = limits
        options.limits.maxOutputBytes = .max  // never longer than the envelope itself
        options.limits.maxNestingDepth = min(limits.maxNestingDepth + 2, Limits.hardMaxNestingDepth)
        var writer = JSONWriter(capacity: envelope.count)
        var warnings = WarningList(max: 0)
        let summary: JSONReader.Summary
        do {
            summary = try JSONReader.read(
                envelope,
                options: options,
                memory: memory,
                into: &writer,
                warnings: &warnings
            )
        } catch {
            throw .malformed(error)
        }
        guard summary.encoding == UnicodeEncoding.utf8.rawValue else { throw .notUTF8(encoding: summary.encoding) }
    }

    // MARK: Members

    private enum Member: String, CaseIterable {
        case status, url, method, headers, body
    }

    private mutating func envelope(in text: Span<UInt8>) throws(EnvelopeError) -> Envelope? {
        var envelope = Envelope(response: UpstreamResponse(statusAssumed: true), content: .none)
        try expect(.object, in: text)
        cursor.enter(in: text)
        var seen: [Member: Int] = [:]
        while cursor.next(in: text) {
            let start = cursor.position
            let name = cursor.name(in: text).text(in: text)
            guard let member = Member(rawValue: name) else {
                throw .unknownMember(name, expected: Member.allCases.map(\.rawValue), at: location(start, in: text))
            }
            try checkIsFirst(name, at: start, after: seen.updateValue(start, forKey: member), in: text)
            place = EnvelopePlace(member: name)
            if member != .body, try checkLength(in: text) > maxShortMemberBytes { return nil }
            switch member {
            case .status:
                envelope.response.status = try status(in: text)
                envelope.response.statusAssumed = false
            case .url: envelope.response.url = try line(in: text)
            case .method: envelope.response.method = try method(in: text)
            case .headers:
                envelope.response.fields = try headers(in: text)
                envelope.response.hasAllFields = true
            case .body:
                envelope.content = try body(in: text, &envelope.response)
            }
            place = EnvelopePlace()
        }
        return envelope
    }

    /// - Parameter first: the offset of the member with the same name, if there is one before.
    func checkIsFirst(
        _ name: String,
        at start: Int,
        after first: Int?,
        in text: Span<UInt8>
    ) throws(EnvelopeError) {
        guard let first else { return }
        throw .duplicateMember(name, at: location(start, in: text), firstAt: location(first, in: text))
    }

    /// Limits the length of a member, because its decoded form may require ten times as much memory.
    /// - Returns: the length.
    func checkLength(in text: Span<UInt8>) throws(EnvelopeError) -> Int {
        var ahead = cursor
        let range = ahead.skip(in: text)
        guard range.count <= Envelope.maxMemberBytes else {
            throw .unexpected(
                found: "\(range.count)",
                expected: ["at most \(Envelope.maxMemberBytes) bytes"],
                at: location(range.lowerBound, in: text)
            )
        }
        return range.count
    }

    private mutating func status(in text: Span<UInt8>) throws(EnvelopeError) -> Int {
        let range = cursor.skip(in: text)
        let digits = text.extracting(range)
        guard let status = digits.statusCode else {
            throw .unexpected(
                found: Self.shown(digits),
                expected: ["a number from 100 to 999"],
                at: location(range.lowerBound, in: text)
            )
        }
        return status
    }

    mutating func method(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        try expect(.string, in: text)
        let start = cursor.position
        let method = cursor.string(in: text).text(in: text)
        guard method.isToken else {
            throw .unexpected(found: quoted(method), expected: ["a method name"], at: location(start, in: text))
        }
        return method
    }

    /// Reads a string without control characters, because these cannot occur in a header field or a URL.
    mutating func line(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        try expect(.string, in: text)
        let start = cursor.position
        let line = cursor.string(in: text).text(in: text)
        // RFC 9110 §5.5: no control characters except the tab.
        guard line.utf8.span.firstForbiddenInField() == nil else {
            throw .unexpected(
                found: "a control character",
                expected: ["text without control characters"],
                at: location(start, in: text)
            )
        }
        return line
    }

    // MARK: Headers

    mutating func headers(in text: Span<UInt8>) throws(EnvelopeError) -> HeaderFields {
        switch cursor.kind(in: text) {
        case .array: return try pairs(in: text)
        case .object: return try object(in: text)
        case .string, .number, .boolean, .null:
            throw unexpectedType(expected: ["an array of pairs", "an object"], in: text)
        }
    }

    /// `[["content-type","text/xml"],…]`
    private mutating func pairs(in text: Span<UInt8>) throws(EnvelopeError) -> HeaderFields {
        var fields = HeaderFields()
        cursor.enter(in: text)
        var index = 0
        while cursor.next(in: text) {
            place = EnvelopePlace(member: "headers", index: index)
            try expect(.array, in: text)
            let start = cursor.position
            cursor.enter(in: text)
            var parts: [String] = []
            while cursor.next(in: text) {
                guard parts.count < 2 else { throw notAPair(start, in: text) }
                place.part = parts.count
                parts.append(parts.isEmpty ? try fieldName(in: text) : try fieldValue(in: text))
                place.part = nil
            }
            guard parts.count == 2 else { throw notAPair(start, in: text) }
            fields.append(name: parts[0], value: parts[1])
            index += 1
        }
        return fields
    }

    private func notAPair(_ start: Int, in text: Span<UInt8>) -> EnvelopeError {
        .unexpected(
            found: "an array with another number of elements",
            expected: ["a pair of name and value"],
            at: location(start, in: text)
        )
    }

    /// `{"content-type":"text/xml","set-cookie":["a=1","b=2"]}`
    private mutating func object(in text: Span<UInt8>) throws(EnvelopeError) -> HeaderFields {
        var fields = HeaderFields()
        cursor.enter(in: text)
        var seen: [String: Int] = [:]
        // The member contains a name once, and the response contains it with each value.
        var bytes = 0
        while cursor.next(in: text) {
            place = EnvelopePlace(member: "headers")
            let start = cursor.position
            let token = cursor.name(in: text)
            let name = token.text(in: text)
            guard name.isToken else {
                throw .unexpected(found: quoted(name), expected: ["a field name"], at: location(start, in: text))
            }
            try checkIsFirst(name, at: start, after: seen.updateValue(start, forKey: name), in: text)
            place.name = name
            switch cursor.kind(in: text) {
            case .string:
                fields.append(name: name, value: try fieldValue(in: text))
            case .array:
                cursor.enter(in: text)
                var index = 0
                while cursor.next(in: text) {
                    place.index = index
                    bytes += name.utf8.count
                    guard bytes <= Envelope.maxMemberBytes else {
                        throw .unexpected(
                            found: "\(bytes)",
                            expected: ["at most \(Envelope.maxMemberBytes) bytes of names, counted with each value"],
                            at: location(cursor.position, in: text)
                        )
                    }
                    fields.append(name: name, value: try fieldValue(in: text))
                    index += 1
                }
            case .object, .number, .boolean, .null:
                throw unexpectedType(expected: ["a string", "an array of strings"], in: text)
            }
        }
        return fields
    }

    private mutating func fieldName(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        try expect(.string, in: text)
        let start = cursor.position
        let name = cursor.string(in: text).text(in: text)
        guard name.isToken else {
            throw .unexpected(found: quoted(name), expected: ["a field name"], at: location(start, in: text))
        }
        return name
    }

    private mutating func fieldValue(in text: Span<UInt8>) throws(EnvelopeError) -> String {
        try line(in: text).trimmingBlanks()
    }

    // MARK: Body

    private enum BodyMember: String, CaseIterable {
        case text, base64, json
    }

    mutating func body(
        in text: Span<UInt8>,
        _ response: inout UpstreamResponse
    ) throws(EnvelopeError) -> Envelope.Content {
        try expect(.object, in: text)
        let start = cursor.position
        cursor.enter(in: text)
        let names = BodyMember.allCases.map(\.rawValue)
        var content: Envelope.Content?
        while cursor.next(in: text) {
            let nameStart = cursor.position
            let name = cursor.name(in: text).text(in: text)
            guard let member = BodyMember(rawValue: name) else {
                throw .unknownMember(name, expected: names, at: location(nameStart, in: text))
            }
            guard content == nil else {
                throw .unexpected(
                    found: "a second member, '\(name)'",
                    expected: ["exactly one of text, base64 and json"],
                    at: location(nameStart, in: text)
                )
            }
            place.name = name
            switch member {
            case .text:
                content = try bodyText(in: text)
                response.hasUnicodeContent = true
            case .base64: content = try bodyBase64(in: text)
            case .json:
                content = .slice(cursor.skip(in: text))
                // The sender of the envelope has parsed the content.
                response.hasOriginalContent = false
                response.hasUnicodeContent = true
            }
            place.name = nil
        }
        guard let content else {
            throw .unexpected(
                found: "an object without these members",
                expected: ["exactly one of text, base64 and json"],
                at: location(start, in: text)
            )
        }
        let count =
            switch content {
            case .none: 0
            case .slice(let range): range.count
            case .bytes(let bytes): bytes.count
            }
        guard count <= limits.maxContentBytes else { throw .contentTooLarge(max: limits.maxContentBytes) }
        return content
    }

    private mutating func bodyText(in text: Span<UInt8>) throws(EnvelopeError) -> Envelope.Content {
        try expect(.string, in: text)
        let token = cursor.string(in: text)
        return token.hasEscapes ? .bytes(token.utf8(in: text)) : .slice(token.range)
    }

    private mutating func bodyBase64(in text: Span<UInt8>) throws(EnvelopeError) -> Envelope.Content {
        try expect(.string, in: text)
        let token = cursor.string(in: text)
        let start = token.range.lowerBound
        do {
            // Some writers escape all slashes.
            guard token.hasEscapes else { return .bytes(try Base64.decode(text.extracting(token.range))) }
            return .bytes(try Base64.decode(token.utf8(in: text).span))
        } catch {
            switch error {
            case .character(let offset):
                throw .malformedBase64(
                    found: "a character outside the alphabet",
                    expected: ["the Base64 alphabet (A-Z a-z 0-9 + /)"],
                    at: location(token.hasEscapes ? start : start + offset, in: text)
                )
            case .padding(let offset):
                throw .malformedBase64(
                    found: "missing or misplaced padding",
                    expected: ["groups of four characters, the last padded with '='"],
                    at: location(token.hasEscapes ? start : start + offset, in: text)
                )
            case .unusedBits(let offset):
                throw .malformedBase64(
                    found: "unused bits that are set",
                    expected: ["unused bits that are zero"],
                    at: location(token.hasEscapes ? start : start + offset, in: text)
                )
            }
        }
    }

    // MARK: Errors

    mutating func expect(_ kind: JSONCursor.Kind, in text: Span<UInt8>) throws(EnvelopeError) {
        guard cursor.kind(in: text) == kind else { throw unexpectedType(expected: [kind.rawValue], in: text) }
    }

    mutating func unexpectedType(expected: [String], in text: Span<UInt8>) -> EnvelopeError {
        .unexpected(found: cursor.kind(in: text).rawValue, expected: expected, at: location(cursor.position, in: text))
    }

    func location(_ byte: Int, in text: Span<UInt8>) -> SourceLocation {
        var location = text.locate([byte])[0]
        location.pointer = place.pointer(maxBytes: limits.maxPointerBytes)
        return location
    }

    /// Returns the beginning of the text of a value.
    static func shown(_ value: Span<UInt8>) -> String {
        String(decoding: (0..<min(value.count, 128)).map { value[$0] }, as: UTF8.self).excerpt
    }

    func quoted(_ text: String) -> String {
        "'\(text.excerpt)'"
    }
}

/// The value that is being read. Its JSON Pointer is created only for an error, because an envelope may have thousands of values.
struct EnvelopePlace {
    /// The name of a member of the envelope; `nil` for the envelope itself.
    var member: String?
    /// The name of a member of the member's object.
    var name: String?
    /// The index of an array element.
    var index: Int?
    /// The index in a pair of name and value.
    var part: Int?

    func pointer(maxBytes: Int) -> String {
        var pointer = JSONPointer(maxBytes: maxBytes)
        if let member { pointer.append(member) }
        if let name { pointer.append(name) }
        if let index { pointer.append(index) }
        if let part { pointer.append(part) }
        return pointer.text
    }
}

extension String {
    /// The text as a token of a JSON Pointer (RFC 6901 §3): `~` is written `~0`, and `/` is written `~1`.
    var pointerToken: String {
        split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }
}
