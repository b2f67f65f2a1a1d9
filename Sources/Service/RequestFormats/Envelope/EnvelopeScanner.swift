internal import HTTP
internal import Serialization

/// Reads usual envelopes in one pass. ``EnvelopeReader`` checks the grammar first, and takes longer for that than
/// decoding content of 1 KiB does, which matters for a batch of millions of items.
///
/// **Invariant**: an envelope that it returns is the one that ``EnvelopeReader`` returns, with an identifier. For every
/// other text, also for one that is merely unusual, it returns `nil`. `EnvelopeScannerTests` compare both.
struct EnvelopeScanner {
    private let limits: Limits
    private var offset = 0

    // The limits of a usual envelope. Longer ones are read by the other reader.
    private static let maxNameBytes = 64
    private static let maxFields = 32
    private static let maxMemberBytes = 4 << 10

    /// - Returns: `nil` if the envelope is unusual or not valid.
    static func read(_ line: Span<UInt8>, limits: Limits) -> Envelope? {
        // The other reader applies these limits to the envelope as well.
        guard limits.maxKeyBytes >= maxNameBytes, limits.maxNestingDepth > 1, limits.maxObjectMembers >= maxFields,
            (try? UTF8Span(validating: line)) != nil
        else { return nil }
        var scanner = EnvelopeScanner(limits: limits)
        return scanner.envelope(in: line)
    }

    private init(limits: Limits) {
        self.limits = limits
    }

    // MARK: Members

    private enum Member: UInt8 {
        case id = 1
        case status = 2
        case url = 4
        case method = 8
        case headers = 16
        case body = 32

        init?(_ name: Span<UInt8>) {
            if name.equals("id".utf8.span) {
                self = .id
            } else if name.equals("status".utf8.span) {
                self = .status
            } else if name.equals("url".utf8.span) {
                self = .url
            } else if name.equals("method".utf8.span) {
                self = .method
            } else if name.equals("headers".utf8.span) {
                self = .headers
            } else if name.equals("body".utf8.span) {
                self = .body
            } else {
                return nil
            }
        }
    }

    private mutating func envelope(in line: Span<UInt8>) -> Envelope? {
        var envelope = Envelope(response: UpstreamResponse(statusAssumed: true), content: .none)
        var found: UInt8 = 0
        guard take("{", in: line) else { return nil }
        if !take("}", in: line) {
            repeat {
                guard let name = plainString(in: line), let member = Member(line.extracting(name)),
                    found & member.rawValue == 0, take(":", in: line)
                else { return nil }
                found |= member.rawValue
                skipBlanks(in: line)
                let isRead =
                    switch member {
                    case .id: readID(in: line, into: &envelope)
                    case .status: readStatus(in: line, into: &envelope.response)
                    case .url: readURL(in: line, into: &envelope.response)
                    case .method: readMethod(in: line, into: &envelope.response)
                    case .headers: readHeaders(in: line, into: &envelope.response)
                    case .body: readBody(in: line, into: &envelope)
                    }
                guard isRead else { return nil }
            } while take(",", in: line)
            guard take("}", in: line) else { return nil }
        }
        skipBlanks(in: line)
        return offset == line.count ? envelope : nil
    }

    private mutating func readID(in line: Span<UInt8>, into envelope: inout Envelope) -> Bool {
        let start = offset
        if byte(in: line) == UInt8(ascii: "\"") {
            guard plainString(in: line) != nil else { return false }
        } else {
            let first = byte(in: line)
            skipDigits(in: line)
            // A number of one digit, or one that does not begin with 0.
            guard offset > start, first != UInt8(ascii: "0") || offset - start == 1,
                offset - start <= min(limits.maxNumberBytes, Self.maxNameBytes)
            else { return false }
        }
        envelope.id = start..<offset
        return offset - start <= Envelope.maxIDBytes
    }

    private mutating func readStatus(in line: Span<UInt8>, into response: inout UpstreamResponse) -> Bool {
        let start = offset
        skipDigits(in: line)
        guard offset - start == 3, let status = line.extracting(start..<offset).statusCode,
            limits.maxNumberBytes >= 3
        else { return false }
        response.status = status
        response.statusAssumed = false
        return true
    }

    private mutating func readURL(in line: Span<UInt8>, into response: inout UpstreamResponse) -> Bool {
        guard let url = plainString(in: line), url.count <= Self.maxMemberBytes,
            line.extracting(url).firstForbiddenInField() == nil
        else { return false }
        response.url = line.text(url)
        return true
    }

    private mutating func readMethod(in line: Span<UInt8>, into response: inout UpstreamResponse) -> Bool {
        guard let method = plainString(in: line), method.count <= Self.maxNameBytes else { return false }
        let text = line.text(method)
        response.method = text
        return text.isToken
    }

    // MARK: Header fields

    private mutating func readHeaders(in line: Span<UInt8>, into response: inout UpstreamResponse) -> Bool {
        let start = offset
        var fields = HeaderFields()
        guard take("{", in: line) ? readObject(in: line, into: &fields) : readPairs(in: line, into: &fields),
            offset - start <= Envelope.maxMemberBytes
        else { return false }
        response.fields = fields
        response.hasAllFields = true
        return true
    }

    /// `{"content-type":"text/xml"}`, after the bracket.
    private mutating func readObject(in line: Span<UInt8>, into fields: inout HeaderFields) -> Bool {
        if take("}", in: line) { return true }
        repeat {
            guard let name = fieldName(in: line), !fields.fields.contains(where: { $0.name == name }),
                take(":", in: line), readValue(of: name, in: line, into: &fields)
            else { return false }
        } while take(",", in: line)
        return take("}", in: line)
    }

    /// `[["content-type","text/xml"]]`
    private mutating func readPairs(in line: Span<UInt8>, into fields: inout HeaderFields) -> Bool {
        guard take("[", in: line) else { return false }
        if take("]", in: line) { return true }
        repeat {
            guard take("[", in: line), let name = fieldName(in: line), take(",", in: line),
                readValue(of: name, in: line, into: &fields), take("]", in: line)
            else { return false }
        } while take(",", in: line)
        return take("]", in: line)
    }

    private mutating func fieldName(in line: Span<UInt8>) -> String? {
        guard let name = plainString(in: line), !name.isEmpty, name.count <= Self.maxNameBytes, line.isToken(name)
        else { return nil }
        return line.text(name)
    }

    private mutating func readValue(of name: String, in line: Span<UInt8>, into fields: inout HeaderFields) -> Bool {
        skipBlanks(in: line)
        guard fields.fields.count < Self.maxFields, let string = JSONScannedString(at: offset, in: line) else {
            return false
        }
        offset = string.end
        switch string.value {
        case .slice(let range):
            guard line.extracting(range).firstForbiddenInField() == nil else { return false }
            fields.append(name: name, value: line.text(line.trimmingBlanks(range)))
        case .bytes(let bytes):
            let text = bytes.span
            guard text.firstForbiddenInField() == nil else { return false }
            fields.append(name: name, value: text.text(text.trimmingBlanks(0..<text.count)))
        }
        return true
    }

    // MARK: Body

    /// `{"text":"…"}` or `{"base64":"…"}`. JSON is checked by the other reader: the serializer could accept what is not
    /// JSON.
    private mutating func readBody(in line: Span<UInt8>, into envelope: inout Envelope) -> Bool {
        guard take("{", in: line), let name = plainString(in: line), take(":", in: line) else { return false }
        skipBlanks(in: line)
        guard let string = JSONScannedString(at: offset, in: line) else { return false }
        offset = string.end
        if line.extracting(name).equals("text".utf8.span) {
            envelope.response.hasUnicodeContent = true
            switch string.value {
            case .slice(let range): envelope.content = .slice(range)
            case .bytes(let bytes): envelope.content = .bytes(bytes)
            }
        } else if line.extracting(name).equals("base64".utf8.span) {
            guard case .slice(let range) = string.value, let bytes = try? Base64.decode(line.extracting(range)) else {
                return false
            }
            envelope.content = .bytes(bytes)
        } else {
            return false
        }
        let count =
            switch envelope.content {
            case .none: 0
            case .slice(let range): range.count
            case .bytes(let bytes): bytes.count
            }
        return count <= limits.maxContentBytes && take("}", in: line)
    }

    // MARK: Tokens

    private func byte(in line: Span<UInt8>) -> UInt8? { offset < line.count ? line[offset] : nil }

    private mutating func skipBlanks(in line: Span<UInt8>) {
        while offset < line.count, line[offset] == UInt8(ascii: " ") { offset += 1 }
    }

    private mutating func skipDigits(in line: Span<UInt8>) {
        while let byte = byte(in: line), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
    }

    /// Moves behind a character and the spaces before it, if it is next.
    private mutating func take(_ character: Unicode.Scalar, in line: Span<UInt8>) -> Bool {
        skipBlanks(in: line)
        guard byte(in: line) == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Reads a string without escapes, and the spaces before it.
    /// - Returns: the range between the quotes.
    private mutating func plainString(in line: Span<UInt8>) -> Range<Int>? {
        skipBlanks(in: line)
        guard let string = JSONScannedString(at: offset, in: line), case .slice(let range) = string.value else {
            return nil
        }
        offset = string.end
        return range
    }
}
