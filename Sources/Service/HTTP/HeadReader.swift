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

    /// How many fields were where they must begin.
    private var regularCount = 0

    /// What is wrong with the first field that has something wrong in itself. Those after it are not read.
    private var fault: FramingError?

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
        try unsafe reader.check(head)
        return reader
    }

    private init(after head: cmhd_head, method: String, in memory: consuming RequestFields) {
        self.method = method
        // A head is one buffer of the library's, so sums of its lengths do not overflow.
        start = unsafe UInt(bitPattern: head.method)
        next = unsafe UInt(bitPattern: head.version) + UInt(head.version_bytes) + 2
        fields = memory
        // All of the head: that is what the places are held against. Copied within the call that lends it.
        unsafe fields.begin(withHead: UnsafeBufferPointer(start: head.method, count: head.head_bytes))
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

    /// Checks that nothing the library hides stands before the field, reads it, and notes where the next must begin.
    @inline(__always)
    private mutating func note(_ name: UInt, _ nameBytes: Int, _ value: UInt, _ valueBytes: Int) {
        // The library skips spaces and tabs after the colon, so the value may begin later, but never earlier.
        // What ends beyond the head is elsewhere altogether: the library copied a folded value.
        guard !isIrregular, name == next, value > name, value - name > UInt(nameBytes),
            value - start + UInt(valueBytes) <= UInt(fields.headBytes)
        else {
            isIrregular = true
            return
        }
        next = value + UInt(valueBytes) + 2
        regularCount += 1
        guard fault == nil else { return }
        let nameStart = Int(name - start)
        let valueStart = Int(value - start)
        do throws(FramingError) {
            try readField(nameStart..<(nameStart + nameBytes), valueStart..<(valueStart + valueBytes))
        } catch {
            fault = error
        }
    }

    private func check(_ head: cmhd_head) throws(FramingError) {
        // The empty line's CRLF is the head's last part.
        guard !isIrregular, next + 2 == start + UInt(unsafe head.head_bytes) else {
            throw regularCount == 0 ? .irregularRequestLine : .irregularFieldLine(index: regularCount - 1)
        }
        if let fault { throw fault }
        try unsafe framing.check(isHTTP10: isHTTP10(head))
    }

    // MARK: Fields

    /// Reads one field, of which `name` and `value` say where it lies in the head.
    @inline(__always)
    private mutating func readField(_ name: Range<Int>, _ value: Range<Int>) throws(FramingError) {
        // A copy, because the head is lent by a part of the same struct.
        var framing = framing
        let place = try Self.place(of: name, value, in: fields.head.span, &framing, index: fields.count)
        self.framing = framing
        if place.field == .requestID, let id = Self.acceptableID(fields.head.span.extracting(place.valueRange)) {
            requestID = id
        }
        fields.append(place)
    }

    @inline(__always)
    private static func place(
        of name: Range<Int>,
        _ value: Range<Int>,
        in head: Span<UInt8>,
        _ framing: inout RequestFraming,
        index: Int
    ) throws(FramingError) -> RequestFields.Place {
        let field = FieldName(head.extracting(name))
        if !field.isToken, !FieldSyntax.isToken(head, name) { throw nameFault(head, name, index: index) }
        let value = FieldSyntax.trimmed(head, value)
        if let byte = FieldSyntax.forbiddenByte(in: head, value) {
            throw .invalidFieldValue(name: String(ascii: head, name), byte: byte)
        }
        try framing.read(field, value: head.extracting(value))
        return RequestFields.Place(field: field, name: name, value: value)
    }

    private static func nameFault(_ head: Span<UInt8>, _ name: Range<Int>, index: Int) -> FramingError {
        // RFC 9112 §5.1: white space before the colon must be refused, and has been used to hide a length.
        if !name.isEmpty, FieldSyntax.isWhitespace(head[name.upperBound - 1]) {
            return .whitespaceBeforeColon(name: String(ascii: head, FieldSyntax.trimmed(head, name)))
        }
        return .invalidFieldName(index: index)
    }

    private static func acceptableID(_ value: Span<UInt8>) -> RequestID? {
        RequestIDGenerator.accepts(value) ? .given(String(field: value)) : nil
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
