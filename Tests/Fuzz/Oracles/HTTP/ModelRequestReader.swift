/// Reads one request after another for ``ModelRequestStream``.
struct ModelRequestReader {
    let bytes: [UInt8]
    private var offset = 0

    /// The reason why nothing more is read.
    enum Stop: Error {
        case incomplete
        case fault(ModelFault)
    }

    private static let maxHeadBytes = 16_384
    private static let maxChunkOverheadBytes = 16_384
    private static let maxEmptyLines = 32

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Head

    /// Skips the empty lines before a request (RFC 9112 §2.2).
    /// - Returns: whether anything follows.
    mutating func skipEmptyLines() throws(Stop) -> Bool {
        var count = 0
        while bytes[offset...].starts(with: [13, 10]) {
            count += 1
            guard count <= Self.maxEmptyLines else { throw .fault(.irregularRequestLine) }
            offset += 2
        }
        return offset < bytes.count
    }

    mutating func head() throws(Stop) -> ModelRequest {
        let start = offset
        // No method begins with this byte, however the line ends.
        guard ModelSyntax.isToken([bytes[start]]) || [10, 13].contains(bytes[start]) else {
            throw .fault(.invalidMethod)
        }
        let requestLine = try line(ofHeadFrom: start, ifTooLong: .targetTooLong, ifIrregular: .irregularRequestLine)
        var request = try Self.request(from: requestLine)
        var index = 0
        while true {
            let irregular = ModelFault.irregularFieldLine(index: index)
            let line = try line(ofHeadFrom: start, ifTooLong: .headTooLarge, ifIrregular: irregular)
            if line.isEmpty { break }
            let field = try Self.field(from: line, index: index)
            try Self.checkFraming(field, after: request.fields)
            request.fields.append(field)
            index += 1
        }
        try Self.finish(&request)
        return request
    }

    /// The next line of the head that begins at `start`, without its CRLF.
    private mutating func line(
        ofHeadFrom start: Int,
        ifTooLong tooLong: ModelFault,
        ifIrregular irregular: ModelFault
    ) throws(Stop) -> [UInt8] {
        let limit = min(bytes.count, start + Self.maxHeadBytes)
        guard let end = bytes[offset..<limit].firstIndex(of: 10) else {
            throw bytes.count > start + Self.maxHeadBytes ? .fault(tooLong) : .incomplete
        }
        let line = Array(bytes[offset..<end])
        guard line.last == 13 else { throw .fault(irregular) }
        offset = end + 1
        return line.dropLast()
    }

    // MARK: Request line

    /// RFC 9112 §3: `method SP request-target SP HTTP-version`.
    private static func request(from line: [UInt8]) throws(Stop) -> ModelRequest {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3 else { throw .fault(.irregularRequestLine) }
        guard ModelSyntax.isToken(parts[0]) else { throw .fault(.invalidMethod) }
        var request = ModelRequest()
        request.method = parts[0]
        request.target = parts[1]
        request.minorVersion = try minorVersion(parts[2])
        do throws(ModelFault) {
            (request.path, request.query) = try ModelSyntax.pathAndQuery(ofTarget: parts[1])
        } catch {
            throw .fault(error)
        }
        return request
    }

    /// RFC 9112 §2.3: `"HTTP/" DIGIT "." DIGIT`.
    private static func minorVersion(_ version: [UInt8]) throws(Stop) -> Int {
        let digits = Array("0123456789".utf8)
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[6] == UInt8(ascii: "."),
            digits.contains(version[5]), digits.contains(version[7])
        else { throw .fault(.irregularRequestLine) }
        guard version[5] == UInt8(ascii: "1") else { throw .fault(.unsupportedVersion) }
        return version[7] == UInt8(ascii: "0") ? 0 : 1
    }

    // MARK: Fields

    /// RFC 9112 §5: `field-name ":" OWS field-value OWS`.
    private static func field(from line: [UInt8], index: Int) throws(Stop) -> ModelRequest.Field {
        // §5.2: a line that begins with white space continues the one before it.
        let isFolded = ModelSyntax.whitespace.contains(line[0])
        guard !isFolded, let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw .fault(.irregularFieldLine(index: index))
        }
        let name = Array(line[..<colon])
        if let last = name.last, ModelSyntax.whitespace.contains(last) {
            // §5.1: such a request must be rejected.
            throw .fault(.whitespaceBeforeColon(name: ModelSyntax.trimmed(name)))
        }
        guard ModelSyntax.isToken(name) else { throw .fault(.invalidFieldName(index: index)) }
        let value = ModelSyntax.trimmed(Array(line[(colon + 1)...]))
        if let byte = value.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
            throw .fault(.invalidFieldValue(name: name, byte: byte))
        }
        return ModelRequest.Field(name: name, value: value)
    }

    /// Checks one field on its own and against those before it.
    private static func checkFraming(_ field: ModelRequest.Field, after fields: [ModelRequest.Field]) throws(Stop) {
        let name = ModelSyntax.lowercased(field.name)
        guard ["host", "content-length", "transfer-encoding"].contains(name) else { return }
        let isRepeated = fields.contains { ModelSyntax.lowercased($0.name) == name }
        switch name {
        case "host":
            if isRepeated { throw .fault(.repeatedHost) }
            guard ModelSyntax.isHost(field.value) else { throw .fault(.invalidHost) }
        case "content-length":
            if isRepeated { throw .fault(.repeatedContentLength) }
            guard ModelSyntax.length(field.value) != nil else { throw .fault(.invalidContentLength) }
        default:
            if isRepeated || ModelSyntax.lowercased(field.value) != "chunked" {
                throw .fault(.unsupportedTransferEncoding(field.value))
            }
        }
    }

    /// Checks the fields together, and derives what they mean for the content and the connection.
    private static func finish(_ request: inout ModelRequest) throws(Stop) {
        let length = request.values(of: "content-length").first
        request.declaredContentBytes = length.flatMap { ModelSyntax.length($0) }
        request.isChunked = !request.values(of: "transfer-encoding").isEmpty
        let isHTTP10 = request.minorVersion == 0
        if request.isChunked, length != nil { throw .fault(.contentLengthWithTransferEncoding) }
        if request.isChunked, isHTTP10 { throw .fault(.transferEncodingInHTTP10) }
        if !isHTTP10, request.values(of: "host").isEmpty { throw .fault(.missingHost) }

        // RFC 9112 §9.3.
        let options = request.values(of: "connection").flatMap { value in
            value.split(separator: UInt8(ascii: ",")).map { ModelSyntax.lowercased(ModelSyntax.trimmed(Array($0))) }
        }
        request.isPersistent = !options.contains("close") && (!isHTTP10 || options.contains("keep-alive"))
        // RFC 9110 §10.1.1.
        let expectations = request.values(of: "expect").map { ModelSyntax.lowercased($0) }
        let hasContent = request.isChunked || (request.declaredContentBytes ?? 0) > 0
        request.awaitsContinue = expectations.contains("100-continue") && !isHTTP10 && hasContent
    }

    // MARK: Content

    /// Reads the content.
    /// - Returns: the reason if it is not complete; `request` then has the content before that point.
    mutating func readContent(of request: inout ModelRequest) -> Stop? {
        do throws(Stop) {
            if request.isChunked {
                try readChunks(into: &request.content)
            } else if let length = request.declaredContentBytes {
                try read(length, into: &request.content)
            }
            return nil
        } catch {
            return error
        }
    }

    private mutating func read(_ count: Int, into content: inout [UInt8]) throws(Stop) {
        let available = min(count, bytes.count - offset)
        content += bytes[offset..<(offset + available)]
        offset += available
        if available < count { throw .incomplete }
    }

    /// RFC 9112 §7.1: `*chunk last-chunk trailer-section CRLF`.
    private mutating func readChunks(into content: inout [UInt8]) throws(Stop) {
        var overhead = 0
        while true {
            let size = try chunkLine(&overhead)
            if size == 0 { break }
            try read(size, into: &content)
            try expect(13)
            try expect(10)
        }
        try readTrailers(&overhead)
    }

    /// The line before a chunk's data: its size, an extension and CRLF.
    private mutating func chunkLine(_ overhead: inout Int) throws(Stop) -> Int {
        var digits = ""
        var size = 0
        var byte = try next()
        while ModelSyntax.hexDigits.contains(byte) {
            digits.unicodeScalars.append(Unicode.Scalar(byte))
            guard digits.count <= 16, let value = Int(digits, radix: 16) else { throw .fault(.malformedChunk) }
            size = value
            byte = try next()
        }
        guard !digits.isEmpty else { throw .fault(.malformedChunk) }
        if byte == UInt8(ascii: ";") {
            while byte != 13 {
                guard ModelSyntax.isText(byte) else { throw .fault(.malformedChunk) }
                try count(&overhead)
                byte = try next()
            }
        }
        guard byte == 13 else { throw .fault(.malformedChunk) }
        try expect(10)
        return size
    }

    /// Trailer lines, and the empty line that ends the content.
    private mutating func readTrailers(_ overhead: inout Int) throws(Stop) {
        while true {
            var byte = try next()
            if byte == 13 { break }
            var hasName = false
            while byte != UInt8(ascii: ":") || !hasName {
                guard ModelSyntax.tokenBytes.contains(byte) else { throw .fault(.malformedChunk) }
                hasName = true
                try count(&overhead)
                byte = try next()
            }
            while byte != 13 {
                guard ModelSyntax.isText(byte) else { throw .fault(.malformedChunk) }
                try count(&overhead)
                byte = try next()
            }
            try count(&overhead)
            try expect(10)
            try count(&overhead)
        }
        try expect(10)
    }

    private mutating func next() throws(Stop) -> UInt8 {
        guard offset < bytes.count else { throw .incomplete }
        offset += 1
        return bytes[offset - 1]
    }

    private mutating func expect(_ byte: UInt8) throws(Stop) {
        guard try next() == byte else { throw .fault(.malformedChunk) }
    }

    /// Counts one byte of extensions and trailers.
    private func count(_ overhead: inout Int) throws(Stop) {
        overhead += 1
        if overhead > Self.maxChunkOverheadBytes { throw .fault(.chunkOverheadTooLarge) }
    }
}

extension ModelRequest {
    /// All values of the fields with the name `name`, which is in lower case.
    func values(of name: String) -> [[UInt8]] {
        fields.filter { ModelSyntax.lowercased($0.name) == name }.map(\.value)
    }
}
