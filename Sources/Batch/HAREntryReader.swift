internal import Primitives
internal import Serialization

/// Reads the members of an entry that describe its response.
struct HAREntryReader {
    private var json: JSONDocumentReader
    private var response = UpstreamResponse()
    private var hasStatus = false
    private var body = Body()
    private var warnings: [Warning]
    /// The number of members of the entry, its request, its response and its content.
    private var members = 0

    /// The maximum of ``members``, inclusive. All names are stored, because they must not be repeated.
    private static let maxMembers = 1_000

    /// - Parameter warnings: those of the text.
    init(_ json: JSONDocumentReader, _ warnings: [Warning] = []) {
        self.json = json
        self.warnings = warnings
    }

    /// The member `content` of a response.
    private struct Body {
        var location: JSONDocumentLocation?
        var text: JSONStringToken?
        var isBase64 = false
        var mimeType: String?
        /// Whether `size` is greater than 0.
        var isLong = false
    }

    mutating func entry(in text: Span<UInt8>) throws(JSONDocumentFault) -> HAREntry {
        try json.enterObject(in: text)
        while let name = try nextName(in: text) {
            switch name {
            case "request" where json.kind(in: text) != .null: try readRequest(in: text)
            case "response": try readResponse(in: text)
            default: _ = json.skip(in: text)
            }
        }
        guard hasStatus else { throw missing("response", JSONDocumentLocation(byte: 0, pointer: "")) }
        let content = try content(in: text)
        addMediaType()
        if !warnings.isEmpty { response.message = MessageFacts(warnings: warnings) }
        return HAREntry(response: response, content: content)
    }

    /// Moves to the value of the next member, and returns its name; `nil` at the end of the object.
    private mutating func nextName(in text: Span<UInt8>) throws(JSONDocumentFault) -> String? {
        guard let name = try json.nextName(in: text) else { return nil }
        members += 1
        guard members <= Self.maxMembers else {
            throw json.fault(.other("more than \(Self.maxMembers) members", first: nil), at: json.nameMark, in: text)
        }
        return name
    }

    private mutating func readRequest(in text: Span<UInt8>) throws(JSONDocumentFault) {
        try json.enterObject(in: text)
        while let name = try nextName(in: text) {
            switch name {
            case "method":
                let start = json.mark(in: text)
                let method = try string(in: text)
                guard method.isToken else { throw unexpected("'\(method.excerpt)'", "a method name", start, text) }
                response.method = method
            case "url": response.url = try line(in: text)
            default: _ = json.skip(in: text)
            }
        }
    }

    private mutating func readResponse(in text: Span<UInt8>) throws(JSONDocumentFault) {
        let start = json.mark(in: text)
        try json.enterObject(in: text)
        while let name = try nextName(in: text) {
            switch name {
            case "status": try readStatus(in: text)
            case "headers": try readHeaders(in: text)
            case "content": try readBody(in: text)
            default: _ = json.skip(in: text)
            }
        }
        guard hasStatus else { throw missing("status", json.location(of: start, in: text)) }
        guard body.location != nil else { throw missing("content", json.location(of: start, in: text)) }
    }

    private mutating func readStatus(in text: Span<UInt8>) throws(JSONDocumentFault) {
        let start = json.mark(in: text)
        let status = try json.integer(0...999, in: text)
        guard status != 0 else {
            throw json.fault(.other("status 0: the request failed, or was blocked", first: nil), at: start, in: text)
        }
        guard status >= 100 else { throw unexpected("\(status)", "a number from 100 to 999", start, text) }
        response.status = status
        hasStatus = true
    }

    // MARK: Header fields

    private mutating func readHeaders(in text: Span<UInt8>) throws(JSONDocumentFault) {
        response.hasAllFields = true
        try checkLength(in: text)
        try json.enterArray(in: text)
        while json.nextElement(in: text) { try readHeader(in: text) }
    }

    private mutating func readHeader(in text: Span<UInt8>) throws(JSONDocumentFault) {
        var name = ""
        var value: String?
        try json.enterObject(in: text)
        while let member = try json.nextName(in: text) {
            switch member {
            case "name": name = try fieldText(in: text) ?? ""
            case "value": value = try fieldText(in: text)
            default: _ = json.skip(in: text)
            }
        }
        // RFC 9113 §8.3: a pseudo-header field is not a header field.
        guard !name.utf8.starts(with: ":".utf8) else { return }
        // Browsers join several values of `Set-Cookie` with line feeds.
        let values = value?.trimmingSpace().parts(separatedBy: "\n", omittingEmpty: false).map { String($0) }
        // Browsers store what a server sent. Such a field is not one that a recipient would use (RFC 9110 §5.5).
        guard let values, name.isToken, values.allSatisfy({ $0.utf8.span.firstForbiddenInField() == nil }) else {
            warnings.append(Warning(.invalidField(name.excerpt)))
            return
        }
        for value in values { response.fields.append(name: name, value: value.trimmingBlanks()) }
    }

    /// Reads the name or the value of a field; `nil` if it is not a string.
    private mutating func fieldText(in text: Span<UInt8>) throws(JSONDocumentFault) -> String? {
        guard json.kind(in: text) == .string else {
            _ = json.skip(in: text)
            return nil
        }
        return try json.string(in: text)
    }

    /// Reads a string without control characters, except white space at its beginning and its end.
    private mutating func line(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let line = try string(in: text).trimmingSpace()
        guard line.utf8.span.firstForbiddenInField() == nil else { throw controlCharacter(start, text) }
        return line
    }

    private mutating func string(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        try checkLength(in: text)
        return try json.string(in: text)
    }

    /// Limits the length of a member that is copied, because its decoded form may require ten times as much memory.
    private mutating func checkLength(in text: Span<UInt8>) throws(JSONDocumentFault) {
        let start = json.mark(in: text)
        let count = json.length(in: text)
        guard count <= BatchLimits.maxMemberBytes else {
            throw unexpected("\(count)", "at most \(BatchLimits.maxMemberBytes) bytes", start, text)
        }
    }

    // MARK: Content

    private mutating func readBody(in text: Span<UInt8>) throws(JSONDocumentFault) {
        body.location = json.location(of: json.mark(in: text), in: text)
        try json.enterObject(in: text)
        while let name = try nextName(in: text) {
            switch name {
            case _ where json.kind(in: text) == .null: _ = json.skip(in: text)
            case "text": body.text = try json.token(in: text)
            case "encoding": body.isBase64 = try readEncoding(in: text)
            case "mimeType": body.mimeType = try line(in: text)
            case "size":
                try json.expect(.number, in: text)
                body.isLong = (Double(text.text(json.skip(in: text))) ?? 0) > 0
            default: _ = json.skip(in: text)
            }
        }
    }

    /// - Returns: whether the text is Base64.
    private mutating func readEncoding(in text: Span<UInt8>) throws(JSONDocumentFault) -> Bool {
        let start = json.mark(in: text)
        let name = try string(in: text)
        guard !name.isEmpty else { return false }
        guard name.equalsIgnoringASCIICase("base64") else {
            throw unexpected("'\(name.excerpt)'", "base64", start, text)
        }
        return true
    }

    /// Decodes the content.
    private mutating func content(in text: Span<UInt8>) throws(JSONDocumentFault) -> ContainedBytes? {
        response.hasOriginalContent = false
        guard let token = body.text else {
            guard body.isLong, !isWithoutContent else { return isWithoutContent ? nil : .bytes([]) }
            throw fault("the archive does not contain the content of the response")
        }
        let content: ContainedBytes
        if body.isBase64 {
            content = .bytes(try base64(token, in: text))
        } else {
            response.hasUnicodeContent = true
            content = token.hasEscapes ? .bytes(token.utf8(in: text)) : .slice(token.range)
        }
        if response.fields.first("Content-Encoding") != nil {
            response.decodedCodings = .alreadyDecoded(bytes: content.count)
        }
        response.hasStoredContent = content.count > 0
        return content
    }

    /// Whether the message has no content, although `size` may be that of a GET response (RFC 9110 §9.3.2, §15.4.5).
    private var isWithoutContent: Bool {
        response.method == "HEAD" || response.status == 204 || response.status == 205 || response.status == 304
    }

    private func base64(_ token: JSONStringToken, in text: Span<UInt8>) throws(JSONDocumentFault) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(token.range.count / 4 * 3 + 3)
        // Some writers escape all slashes.
        let isValid =
            token.hasEscapes
            ? Base64.appendForgiving(token.utf8(in: text).span, to: &bytes)
            : Base64.appendForgiving(text.extracting(token.range), to: &bytes)
        guard isValid else { throw fault("the text of the content is not Base64") }
        return bytes
    }

    /// Adds the type of the content, if the response has none.
    private mutating func addMediaType() {
        // Browsers write `x-unknown` if there is no type.
        guard let type = body.mimeType, !type.isEmpty, type != "x-unknown",
            response.fields.first("Content-Type") == nil
        else { return }
        response.fields.append(name: "Content-Type", value: type)
    }

    // MARK: Errors

    /// Returns the fault of the content.
    private func fault(_ sentence: String) -> JSONDocumentFault {
        let location = body.location ?? JSONDocumentLocation(byte: 0, pointer: "")
        return JSONDocumentFault(reason: .other(sentence, first: nil), location: location)
    }

    private func missing(_ name: String, _ location: JSONDocumentLocation) -> JSONDocumentFault {
        JSONDocumentFault(reason: .other("the member '\(name)' is missing", first: nil), location: location)
    }

    private func unexpected(
        _ found: String,
        _ expected: String,
        _ start: JSONDocumentReader.Mark,
        _ text: Span<UInt8>
    ) -> JSONDocumentFault {
        json.fault(.unexpected(found: found, expected: [expected]), at: start, in: text)
    }

    private func controlCharacter(_ start: JSONDocumentReader.Mark, _ text: Span<UInt8>) -> JSONDocumentFault {
        unexpected("a control character", "text without control characters", start, text)
    }
}

extension String {
    /// Returns the text without the white space and the line ends around it.
    fileprivate func trimmingSpace() -> String {
        let bytes = utf8.span
        var range = 0..<bytes.count
        while let last = range.last, bytes[last].isJSONWhiteSpace { range.removeLast() }
        while let first = range.first, bytes[first].isJSONWhiteSpace { range.removeFirst() }
        return range.count == bytes.count ? self : bytes.text(range)
    }
}
