internal import Primitives
internal import Serialization

/// The head of a record of a web archive: its version and its named fields (WARC 1.1 §4).
struct WARCHead: Equatable {
    /// The role of the record in a batch.
    enum Role: Equatable {
        case response(WARCRecord)
        /// The record is not an item. The text is the type by which it is counted.
        case skipped(String)
        /// A sentence that describes the fault of the record.
        case rejected(String)
    }

    /// The fault of a head after which the end of the record is not known.
    struct Fault: Error, Equatable {
        var sentence: String
    }

    /// The length of the block in bytes.
    var blockBytes: Int

    /// `WARC-Record-ID` without angle brackets; `nil` if it is missing, or too long to be repeated in the output.
    var id: String?

    var role: Role

    /// The maximum length in bytes, inclusive.
    static let maxBytes = 64 << 10

    /// The beginning of each head, before the version.
    static let beginning = [UInt8]("WARC/".utf8)

    /// Parses a head.
    /// - Parameter bytes: the head, which ends with an empty line.
    init(parsing bytes: Span<UInt8>) throws(Fault) {
        let fields = try WARCFields(parsing: bytes)
        guard let length = fields[.contentLength] else { throw Fault(sentence: "a record has no Content-Length") }
        guard let blockBytes = length.decimal() else {
            throw Fault(sentence: "the Content-Length of a record is '\(length.excerpt)', which is not a length")
        }
        self.blockBytes = blockBytes
        let recordID = fields[.recordID].map(Self.withoutBrackets)
        id = recordID.flatMap { $0.utf8.count <= BatchLimits.maxIDBytes ? $0 : nil }
        role = Self.role(fields, id)
    }

    /// Returns whether the bytes begin with a head without a fault, which has a length and a type.
    ///
    /// The lines before a fault are not searched for another head, so that a search has a linear cost.
    /// - Parameters:
    ///   - bytes: bytes that begin with ``beginning``.
    ///   - readBytes: set to the number of bytes after which a search continues; not changed if there is no version.
    static func isHead(_ bytes: Span<UInt8>, _ readBytes: inout Int) -> Bool {
        // Neither a line of any length nor the sentence of a fault is needed for this.
        guard let lineFeed = bytes.firstOffset(of: 0x0A, in: 0..<min(maxVersionBytes, bytes.count)),
            bytes.extracting(0..<lineFeed - (bytes[lineFeed - 1] == 0x0D ? 1 : 0)).isSupportedVersion
        else { return false }
        var fields = WARCFields()
        guard let isComplete = try? fields.read(bytes, lineStart: &readBytes, endsAtFault: true) else { return false }
        return isComplete && fields.fault == nil && fields[.type] != nil && fields[.contentLength]?.decimal() != nil
    }

    /// The length of the longest version with its line end, in bytes.
    private static let maxVersionBytes = "WARC/0.17\r\n".utf8.count

    private static func role(_ fields: WARCFields, _ id: String?) -> Role {
        if let fault = fields.fault { return .rejected(fault) }
        guard let type = fields[.type]?.asciiLowercased else { return .rejected("the record has no WARC-Type") }
        guard type == "response" else { return .skipped(type) }
        let segment = fields[.segmentNumber].map { $0.decimal() ?? 0 }
        if let segment, segment != 1 {
            return segment == 0
                ? .rejected("the WARC-Segment-Number of the record is not a number from 1") : .continuation
        }
        guard let uri = fields[.targetURI].map(withoutBrackets), !uri.isEmpty else {
            return .rejected("the response has no WARC-Target-URI")
        }
        guard uri.hasHTTPScheme else { return .skipped(uri.scheme.isEmpty ? "response" : "response \(uri.scheme)") }
        guard id != nil || fields[.recordID] == nil else {
            return .rejected("the WARC-Record-ID of the response is longer than \(BatchLimits.maxIDBytes) bytes")
        }
        if let type = fields[.contentType], !isHTTPResponse(type) {
            return .rejected("the block of the response has the type '\(type.excerpt)', not application/http")
        }
        let isTruncated = segment != nil || fields[.truncated] != nil
        return .response(WARCRecord(id: id, targetURI: uri, isTruncated: isTruncated))
    }

    /// Returns whether a media type is `application/http`, and not that of a request.
    private static func isHTTPResponse(_ text: String) -> Bool {
        guard let type = try? MediaType(parsing: text), type.essence == "application/http" else { return false }
        // RFC 9112 §10.2: without the parameter, the content shows the type.
        return type.parameter("msgtype")?.equalsIgnoringASCIICase("response") ?? true
    }

    /// Returns the text between angle brackets, which WARC 1.0 puts around some URIs.
    private static func withoutBrackets(_ text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "<"), text.utf8.last == UInt8(ascii: ">"), text.utf8.count > 1 else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }
}

extension WARCHead.Role {
    /// A later segment of a response.
    fileprivate static var continuation: Self { .skipped("continuation") }
}

extension String {
    fileprivate var hasHTTPScheme: Bool { scheme == "http" || scheme == "https" }

    /// The scheme of a URI in lower case; empty if there is none.
    fileprivate var scheme: String {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return "" }
        return String(self[..<colon]).asciiLowercased
    }
}
