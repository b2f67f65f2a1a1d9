internal import CMicroHTTPD
internal import Serialization

/// Reads a head out of the library's memory, and refuses what the library let through.
///
/// libmicrohttpd 0.9.75 takes bare line feeds, folded lines, a NUL (it ends the value there), fields without a name and
/// several spaces in the request line, and shows none of it. But it parses in place: the parts of the head stay where
/// the socket put them, and only their delimiters are overwritten. So each part must begin exactly where the one
/// before it ends plus its delimiter, and the last must end where the head does:
///
///     POST␠/x␠HTTP/1.1␍␊Host:␠a␍␊␍␊
///     ^0    ^5 ^8       ^18   ^24  ^29 = head_bytes
///
/// A line that ends in a lone line feed leaves a gap of 1 instead of 2, a NUL one that is too wide, and a folded value is
/// elsewhere altogether. Only addresses are compared: nothing is read beyond the lengths that the library gives.
struct HeadReader: ~Copyable {
    private(set) var framing = RequestFraming()

    /// Whose values are without the white space around them.
    var fields: RequestFields

    let method: String

    /// The client's own identifier, where it sent one that is acceptable.
    private(set) var requestID: RequestID?

    /// Address of the head's first byte.
    private let start: UInt

    /// Address at which the next part must begin.
    private var next: UInt

    /// Whether a field was not where it must begin. Those after it are not looked at.
    private var isIrregular = false

    /// Reads the head of the request that `handle` is at.
    /// - Parameters:
    ///   - target: the target as it was sent.
    ///   - memory: fields that nobody needs any more, whose memory is used again.
    static func read(
        _ head: cmhd_head,
        target: Span<UInt8>,
        of handle: OpaquePointer,
        in memory: consuming RequestFields
    ) throws(FramingError) -> HeadReader {
        let method = try unsafe checkedMethod(of: head, target: target)
        var reader = unsafe HeadReader(after: head, method: method, in: memory)
        // The reader outlives the call, which visits the fields before it returns.
        unsafe withUnsafeMutablePointer(to: &reader) { reader in
            unsafe cmhd_each_field(handle, UnsafeMutableRawPointer(reader), visit)
        }
        try unsafe reader.checkEnd(head)
        try unsafe reader.readFields(head)
        return reader
    }

    private init(after head: cmhd_head, method: String, in memory: consuming RequestFields) {
        self.method = method
        // A head is one buffer of the library's, so sums of its lengths do not overflow.
        start = unsafe UInt(bitPattern: head.method)
        next = unsafe UInt(bitPattern: head.version) + UInt(head.version_bytes) + 2
        fields = memory
        fields.removeAll()
    }

    // MARK: Request line

    private static func checkedMethod(of head: cmhd_head, target: Span<UInt8>) throws(FramingError) -> String {
        let methodAddress = unsafe UInt(bitPattern: head.method)
        let targetAddress = unsafe UInt(bitPattern: head.target)
        let versionAddress = unsafe UInt(bitPattern: head.version)
        // RFC 9112 §3: single spaces. §3.2: no NUL, which the library would take for the target's end.
        guard unsafe targetAddress == methodAddress + UInt(head.method_bytes) + 1,
            versionAddress == targetAddress + UInt(target.count) + 1
        else { throw .irregularRequestLine }
        let method = unsafe UnsafeBufferPointer(start: head.method, count: head.method_bytes)
        guard unsafe FieldSyntax.isToken(method.span) else { throw .invalidMethod }
        // The one of nearly all requests is a literal, which need not be checked again.
        return unsafe method.span.isPOST ? "POST" : String(decoding: method, as: UTF8.self)
    }

    // MARK: Places

    private typealias Visit =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int) -> Void

    private static let visit: Visit = { context, name, nameBytes, value, valueBytes in
        // The context is the reader that `read` lends for the time of the call.
        guard let reader = unsafe context?.assumingMemoryBound(to: HeadReader.self) else { return }
        unsafe reader.pointee.note(UInt(bitPattern: name), nameBytes, UInt(bitPattern: value), valueBytes)
    }

    /// Checks that nothing the library hides stands before the field, and notes where the next must begin.
    private mutating func note(_ name: UInt, _ nameBytes: Int, _ value: UInt, _ valueBytes: Int) {
        // The library skips spaces and tabs after the colon, so the value may begin later, but never earlier.
        // Beyond 64 KiB is no head of ours: the library copied a folded value elsewhere.
        guard !isIrregular, name == next, value > name, value - name > UInt(nameBytes),
            value - start + UInt(valueBytes) <= UInt16.max
        else {
            isIrregular = true
            return
        }
        let nameStart = Int(name - start)
        let valueStart = Int(value - start)
        fields.append(
            RequestFields.Place(
                name: nameStart..<(nameStart + nameBytes),
                value: valueStart..<(valueStart + valueBytes)
            )
        )
        next = value + UInt(valueBytes) + 2
    }

    private func checkEnd(_ head: cmhd_head) throws(FramingError) {
        // The empty line's CRLF is the head's last part.
        guard !isIrregular, next + 2 == start + UInt(unsafe head.head_bytes) else {
            if fields.count == 0 { throw .irregularRequestLine }
            throw .irregularFieldLine(index: fields.count - 1)
        }
    }

    // MARK: Fields

    private mutating func readFields(_ head: cmhd_head) throws(FramingError) {
        // All of the head: that is what the places were held against. Copied within the call that lends it.
        unsafe fields.copy(UnsafeBufferPointer(start: head.method, count: head.head_bytes))
        for index in 0..<fields.count {
            try readField(at: index)
        }
        try unsafe framing.check(isHTTP10: isHTTP10(head))
    }

    private mutating func readField(at index: Int) throws(FramingError) {
        let head = fields.head
        let bytes = head.span
        let name = fields.places[index].nameRange
        guard FieldSyntax.isToken(bytes, name) else {
            // RFC 9112 §5.1: white space before the colon must be refused, and has been used to hide a length.
            if !name.isEmpty, FieldSyntax.isWhitespace(bytes[name.upperBound - 1]) {
                throw .whitespaceBeforeColon(name: String(ascii: bytes, FieldSyntax.trimmed(bytes, name)))
            }
            throw .invalidFieldName(index: index)
        }
        let value = FieldSyntax.trimmed(bytes, fields.places[index].valueRange)
        if let byte = FieldSyntax.forbiddenByte(in: bytes, value) {
            throw .invalidFieldValue(name: String(ascii: bytes, name), byte: byte)
        }
        let nameBytes = bytes.extracting(name)
        let valueBytes = bytes.extracting(value)
        try framing.read(name: nameBytes, value: valueBytes)
        if nameBytes.count == 12, nameBytes.equals("X-Request-ID"), RequestIDGenerator.accepts(valueBytes) {
            requestID = .given(String(ascii: bytes, value))
        }
        fields.trim(to: value, at: index)
    }

    /// The library lets `HTTP/1.` and one digit through, and answers everything else by itself.
    private func isHTTP10(_ head: cmhd_head) -> Bool {
        let version = unsafe UnsafeBufferPointer(start: head.version, count: head.version_bytes)
        return unsafe version.last == UInt8(ascii: "0")
    }
}

extension Span<UInt8> {
    /// Methods are compared with their case (RFC 9110 §9.1).
    fileprivate var isPOST: Bool {
        count == 4 && self[0] == UInt8(ascii: "P") && self[1] == UInt8(ascii: "O") && self[2] == UInt8(ascii: "S")
            && self[3] == UInt8(ascii: "T")
    }
}
