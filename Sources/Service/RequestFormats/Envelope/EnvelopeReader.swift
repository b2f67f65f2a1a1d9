internal import HTTP
internal import Serialization

/// Reads an ``Envelope`` strictly: unknown members are rejected, with their location.
///
/// Duplicate names *inside* `body.json` are handled according to the options of the request.
struct EnvelopeReader: HeaderFieldsReader {
    let limits: Limits
    private let memory: any MemoryGrant
    var json: JSONDocumentReader
    /// The length above which a member other than `body` ends the reading, in bytes.
    let maxShortMemberBytes: Int
    /// Whether the envelope may have a member `id`.
    private var acceptsID = false
    /// Whether the reading ended because the content is longer than `limits` allow.
    private var isContentTooLarge = false

    /// - Parameters:
    ///   - limits: the limits of the service; `maxContentBytes` limits the decoded content.
    ///   - memory: the source of memory for tables of many names.
    ///   - acceptsID: whether the envelope may have a member `id`.
    static func read(
        _ envelope: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant,
        acceptsID: Bool = false
    ) throws(EnvelopeError) -> Envelope {
        var reader = EnvelopeReader(envelope, limits: limits, memory: memory)
        reader.acceptsID = acceptsID
        guard
            let read = try reader.read(
                envelope,
                { reader throws(JSONDocumentFault) in try reader.envelope(in: envelope) }
            )
        else { preconditionFailure("a member of any length is read") }
        return read
    }

    /// Reads an envelope on an HTTP thread.
    /// - Returns: `nil` if a member other than `body` is so long that this would take too much time.
    static func readShort(
        _ envelope: Span<UInt8>,
        limits: Limits,
        memory: any MemoryGrant
    ) throws(EnvelopeError) -> Envelope? {
        var reader = EnvelopeReader(
            envelope,
            limits: limits,
            memory: memory,
            maxShortMemberBytes: Envelope.maxShortMemberBytes
        )
        return try reader.read(envelope) { reader throws(JSONDocumentFault) in try reader.envelope(in: envelope) }
    }

    /// Moves to the beginning of the text.
    init(_ text: Span<UInt8>, limits: Limits, memory: any MemoryGrant, maxShortMemberBytes: Int = .max) {
        var documentLimits = limits
        documentLimits.maxNestingDepth = min(limits.maxNestingDepth + 2, Limits.hardMaxNestingDepth)
        json = JSONDocumentReader(checking: text, limits: documentLimits)
        self.limits = limits
        self.memory = memory
        self.maxShortMemberBytes = maxShortMemberBytes
    }

    /// Calls `read` at the beginning of the text, and converts its fault.
    /// - Returns: `nil` if `read` does, which ends before the end of the text.
    mutating func read<Value>(
        _ text: Span<UInt8>,
        _ read: (inout EnvelopeReader) throws(JSONDocumentFault) -> Value?
    ) throws(EnvelopeError) -> Value? {
        let value: Value?
        do throws(JSONDocumentFault) {
            value = try read(&self)
        } catch {
            try checkGrammar(of: text, afterFault: true)
            throw isContentTooLarge ? .contentTooLarge(max: limits.maxContentBytes) : EnvelopeError(error, in: text)
        }
        if value != nil { try checkGrammar(of: text, afterFault: false) }
        return value
    }

    private mutating func checkGrammar(of text: Span<UInt8>, afterFault: Bool) throws(EnvelopeError) {
        do throws(JSONDocumentError) {
            if afterFault {
                try json.validate(text, memory: memory)
            } else {
                try json.finish(text, memory: memory)
            }
        } catch { throw EnvelopeError(error) }
    }

    // MARK: Members

    private enum Member: String, CaseIterable {
        case id, status, url, method, headers, body

        /// The members that every envelope may have.
        static let usual = allCases.filter { $0 != .id }
    }

    private mutating func envelope(in text: Span<UInt8>) throws(JSONDocumentFault) -> Envelope? {
        var envelope = Envelope(response: UpstreamResponse(statusAssumed: true), content: nil)
        try json.enterObject(in: text)
        while let member = try member(in: text) {
            if member != .body {
                try checkLength(in: text)
                guard isShort(in: text) else { return nil }
            }
            switch member {
            case .id: envelope.id = try id(in: text)
            case .status:
                envelope.response.status = try status(in: text)
                envelope.response.statusAssumed = false
            case .url: envelope.response.url = try line(in: text)
            case .method: envelope.response.method = try method(in: text)
            case .headers:
                envelope.response.fields = try headers(in: text).fields
                envelope.response.hasAllFields = true
            case .body: envelope.content = try body(in: text, &envelope.response)
            }
        }
        return envelope
    }

    private mutating func member(in text: Span<UInt8>) throws(JSONDocumentFault) -> Member? {
        let acceptsID = acceptsID
        let member: Member? = try json.nextMember(known: acceptsID ? Member.allCases : Member.usual, in: text)
        if member == .id, !acceptsID {
            throw json.unknown("member", "id", Member.usual.map(\.rawValue), at: json.nameMark, in: text)
        }
        return member
    }

    /// Returns the range of the identifier of an item.
    private mutating func id(in text: Span<UInt8>) throws(JSONDocumentFault) -> Range<Int> {
        let kind = json.kind(in: text)
        guard kind == .string || kind == .number else { throw json.unexpectedKind(["a string", "a number"], in: text) }
        let start = json.mark(in: text)
        let range = json.skip(in: text)
        guard range.count <= Envelope.maxIDBytes else {
            throw unexpected("\(range.count)", "at most \(Envelope.maxIDBytes) bytes", at: start, in: text)
        }
        return range
    }

    /// Limits the length of a member, because its decoded form may require ten times as much memory.
    mutating func checkLength(in text: Span<UInt8>) throws(JSONDocumentFault) {
        guard json.isLonger(than: Envelope.maxMemberBytes, in: text) else { return }
        let start = json.mark(in: text)
        let found = String(json.length(in: text))
        throw unexpected(found, "at most \(Envelope.maxMemberBytes) bytes", at: start, in: text)
    }

    /// Whether the next value is short enough to be read here.
    func isShort(in text: Span<UInt8>) -> Bool { !json.isLonger(than: maxShortMemberBytes, in: text) }

    private mutating func status(in text: Span<UInt8>) throws(JSONDocumentFault) -> Int {
        let start = json.mark(in: text)
        let digits = text.extracting(json.skip(in: text))
        guard let status = digits.statusCode else {
            let found = String(decoding: (0..<min(digits.count, 128)).map { digits[$0] }, as: UTF8.self).excerpt
            throw unexpected(found, "a number from 100 to 999", at: start, in: text)
        }
        return status
    }

    mutating func method(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let method = try json.string(in: text)
        guard method.isToken else { throw unexpected("'\(method.excerpt)'", "a method name", at: start, in: text) }
        return method
    }

    /// Reads a string without control characters, because these cannot occur in a header field or a URL.
    mutating func line(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let line = try json.string(in: text)
        // RFC 9110 §5.5: no control characters except the tab.
        guard line.utf8.span.firstForbiddenInField() == nil else {
            throw unexpected("a control character", "text without control characters", at: start, in: text)
        }
        return line
    }

    // MARK: Header fields

    func check(
        fieldName name: String,
        at mark: JSONDocumentReader.Mark,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) {
        guard name.isToken else { throw unexpected("'\(name.excerpt)'", "a field name", at: mark, in: text) }
    }

    mutating func fieldValue(of name: String?, in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        try line(in: text).trimmingBlanks()
    }

    /// The first fault ends the reading.
    mutating func attempt(
        in text: Span<UInt8>,
        _ read: (inout EnvelopeReader) throws(JSONDocumentFault) -> Void
    ) throws(JSONDocumentFault) {
        try read(&self)
    }

    // MARK: Body

    private enum BodyMember: String, CaseIterable {
        case text, base64, json
    }

    private static let bodySyntax = "exactly one of text, base64 and json"
    private static let bodyForms = [#"{"text":"…"}"#, #"{"base64":"…"}"#, #"{"json":…}"#]

    mutating func body(
        in text: Span<UInt8>,
        _ response: inout UpstreamResponse
    ) throws(JSONDocumentFault) -> ContainedBytes {
        let start = json.mark(in: text)
        guard json.kind(in: text) == .object else { throw json.unexpectedKind(Self.bodyForms, in: text) }
        try json.enterObject(in: text)
        var content: ContainedBytes?
        while let member = try bodyMember(in: text) {
            guard content == nil else {
                throw unexpected("a second member, '\(member.rawValue)'", Self.bodySyntax, at: json.nameMark, in: text)
            }
            switch member {
            case .text:
                content = try json.content(in: text)
                response.hasUnicodeContent = true
            case .base64: content = .bytes(try base64(in: text))
            case .json:
                content = .slice(json.skip(in: text))
                // The sender of the envelope has parsed the content.
                response.hasOriginalContent = false
                response.hasUnicodeContent = true
            }
        }
        guard let content else {
            throw unexpected("an object without these members", Self.bodySyntax, at: start, in: text)
        }
        guard content.count <= limits.maxContentBytes else {
            isContentTooLarge = true
            throw unexpected("\(content.count)", "at most \(limits.maxContentBytes) bytes", at: start, in: text)
        }
        return content
    }

    private mutating func bodyMember(in text: Span<UInt8>) throws(JSONDocumentFault) -> BodyMember? {
        do throws(JSONDocumentFault) {
            return try json.nextMember(in: text)
        } catch {
            guard case .unknown(_, let name, _) = error.reason else { throw error }
            let found = "the member '\(name.excerpt)'"
            throw JSONDocumentFault(
                reason: .unexpected(found: found, expected: Self.bodyForms),
                location: error.location
            )
        }
    }

    private mutating func base64(in text: Span<UInt8>) throws(JSONDocumentFault) -> [UInt8] {
        let start = json.mark(in: text)
        let string = try json.content(in: text)
        do throws(Base64.Fault) {
            // Some writers escape all slashes.
            return try string.withBytes(in: text) { bytes throws(Base64.Fault) in try Base64.decode(bytes) }
        } catch {
            let (found, expected, offset) =
                switch error {
                case .character(let offset):
                    ("a character outside the alphabet", "the Base64 alphabet (A-Z a-z 0-9 + /)", offset)
                case .padding(let offset):
                    ("missing or misplaced padding", "groups of four characters, the last padded with '='", offset)
                case .unusedBits(let offset): ("unused bits that are set", "unused bits that are zero", offset)
                }
            var fault = unexpected(found, expected, at: start, in: text)
            fault.location.byte = start.byte + 1
            if case .slice = string { fault.location.byte += offset }
            throw fault
        }
    }

    // MARK: Errors

    func unexpected(
        _ found: String,
        _ expected: String,
        at mark: JSONDocumentReader.Mark,
        in text: Span<UInt8>
    ) -> JSONDocumentFault {
        json.fault(.unexpected(found: found, expected: [expected]), at: mark, in: text)
    }
}
