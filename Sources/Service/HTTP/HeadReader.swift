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
struct HeadReader {
    private(set) var framing = RequestFraming()
    private(set) var fields: RequestFields

    /// The client's own identifier, where it sent one that is acceptable.
    private(set) var requestID: String?

    /// Address at which the next part must begin.
    private var next: UInt
    private var failure: FramingError?

    /// Reads the head of the request that `handle` is at.
    /// - Parameter target: the target as it was sent.
    static func read(
        _ head: cmhd_head,
        target: Span<UInt8>,
        of handle: OpaquePointer
    ) throws(FramingError) -> (reader: HeadReader, method: String) {
        let method = try unsafe checkedMethod(of: head, target: target)
        var reader = unsafe HeadReader(after: head)
        // The reader outlives the call, which visits the fields before it returns.
        unsafe withUnsafeMutablePointer(to: &reader) { reader in
            unsafe cmhd_each_field(handle, UnsafeMutableRawPointer(reader), visit)
        }
        try unsafe reader.finish(head)
        return (reader, method)
    }

    private init(after head: cmhd_head) {
        // A head is one buffer of the library's, so sums of its lengths do not overflow.
        next = unsafe UInt(bitPattern: head.version) + UInt(head.version_bytes) + 2
        fields = unsafe RequestFields(capacity: head.head_bytes)
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
        return unsafe String(decoding: method, as: UTF8.self)
    }

    // MARK: Fields

    private typealias Visit =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int) -> Void

    private static let visit: Visit = { context, name, nameBytes, value, valueBytes in
        // The context is the reader that `read` lends for the time of the call.
        guard let reader = unsafe context?.assumingMemoryBound(to: HeadReader.self) else { return }
        unsafe reader.pointee.take(
            name: UnsafeBufferPointer(start: name, count: nameBytes),
            value: UnsafeBufferPointer(start: value, count: valueBytes)
        )
    }

    private mutating func take(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard failure == nil else { return }
        do throws(FramingError) {
            try unsafe checkPlace(of: name, value)
            try unsafe read(name: name.span, value: value.span)
        } catch {
            failure = error
        }
    }

    /// Checks that nothing the library hides stands before the field, and notes where the next must begin.
    private mutating func checkPlace(
        of name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>
    ) throws(FramingError) {
        let nameAddress = UInt(bitPattern: name.baseAddress)
        let valueAddress = UInt(bitPattern: value.baseAddress)
        // The library skips spaces and tabs after the colon, so the value may begin later, but never earlier.
        guard nameAddress == next, valueAddress > nameAddress, valueAddress - nameAddress > UInt(name.count) else {
            if fields.count == 0 { throw .irregularRequestLine }
            throw .irregularFieldLine(index: fields.count - 1)
        }
        next = valueAddress + UInt(value.count) + 2
    }

    private mutating func read(name: Span<UInt8>, value: Span<UInt8>) throws(FramingError) {
        guard FieldSyntax.isToken(name) else {
            // RFC 9112 §5.1: white space before the colon must be refused, and has been used to hide a length.
            if name.count > 0, FieldSyntax.isWhitespace(name[name.count - 1]) {
                throw .whitespaceBeforeColon(name: String(ascii: name, FieldSyntax.trimmed(name)))
            }
            throw .invalidFieldName(index: fields.count)
        }
        let value = value.extracting(FieldSyntax.trimmed(value))
        if let byte = FieldSyntax.forbiddenByte(in: value) {
            throw .invalidFieldValue(name: String(ascii: name, 0..<name.count), byte: byte)
        }
        try framing.read(name: name, value: value)
        if name.count == 12, name.equals("x-request-id"), RequestIDGenerator.accepts(value) {
            requestID = String(ascii: value, 0..<value.count)
        }
        fields.append(name: name, value: value)
    }

    // MARK: End

    private func finish(_ head: cmhd_head) throws(FramingError) {
        if let failure { throw failure }
        // The empty line's CRLF is the head's last part.
        guard unsafe next + 2 == UInt(bitPattern: head.method) + UInt(head.head_bytes) else {
            if fields.count == 0 { throw .irregularRequestLine }
            throw .irregularFieldLine(index: fields.count - 1)
        }
        try unsafe framing.check(isHTTP10: isHTTP10(head))
    }

    /// The library lets `HTTP/1.` and one digit through, and answers everything else by itself.
    private func isHTTP10(_ head: cmhd_head) -> Bool {
        let version = unsafe UnsafeBufferPointer(start: head.version, count: head.version_bytes)
        return unsafe version.last == UInt8(ascii: "0")
    }
}
