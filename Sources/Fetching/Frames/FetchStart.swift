internal import Primitives

/// The payload of a `start` frame: a request, and how it is made.
package struct FetchStart: Equatable, Sendable {
    /// The timeouts of an attempt, in milliseconds, each from 1 to ``maxMilliseconds``.
    package struct Timeouts: Equatable, Sendable {
        package static let maxMilliseconds: UInt32 = 24 * 60 * 60 * 1_000

        package var resolve: UInt32
        package var connect: UInt32
        /// The longest time without a byte.
        package var idle: UInt32
        package var total: UInt32

        package init(resolve: UInt32, connect: UInt32, idle: UInt32, total: UInt32) {
            self.resolve = resolve
            self.connect = connect
            self.idle = idle
            self.total = total
        }
    }

    /// The maximum length of a method, in bytes.
    static let maxMethodBytes = FetchMethods.maxNameBytes

    /// The maximum length of the content of a request, in bytes, inclusive. The memory of the fetcher holds several
    /// copies of one while it is received.
    package static let maxContentBytes = 16 << 20

    /// The maximum length of the name of a partition, in bytes, inclusive.
    static let maxPartitionBytes = 128

    /// The maximum length of all fields, as ``FieldRules/maxBytes`` counts them, with those that Decant adds.
    package static let maxFieldBytes =
        FieldRules.maxBytes + CDNLoop.maxBytes + OriginCredentials.maxBytes + 4 * 1024

    /// The maximum length of the payload without the content of the request, in bytes.
    static let maxBytesWithoutContent =
        64 + maxMethodBytes + FetchURL.maxBytes + maxPartitionBytes + maxFieldBytes

    /// The request with all fields that are sent, except those of the framing and `Host`.
    package private(set) var request: FetchRequest

    /// The partition of the callers, whose connections no other partition uses.
    package let partition: String

    /// See ``FetchPolicy/Admission/hostIsNamed``.
    package let hostIsNamed: Bool

    package let timeouts: Timeouts

    /// The rate below which a transfer fails, in bytes per second over ten seconds; 0 for none.
    package let slowestBytesPerSecond: UInt32

    /// - Throws: ``FetchFrameError/invalid(_:)`` for a value that a frame cannot contain.
    package init(
        _ request: FetchRequest,
        partition: String,
        hostIsNamed: Bool,
        timeouts: Timeouts,
        slowestBytesPerSecond: UInt32
    ) throws(FetchFrameError) {
        guard request.method.utf8.count <= Self.maxMethodBytes, request.method.isToken else { throw .invalid(.method) }
        try FrameFields.check(request.fields, maxBytes: Self.maxFieldBytes)
        guard partition.utf8.count <= Self.maxPartitionBytes else { throw .invalid(.partition) }
        // The length of the payload is a number of 32 bits.
        let maxContentBytes = Int(UInt32.max) - Self.maxBytesWithoutContent
        guard request.content?.count ?? 0 <= maxContentBytes else { throw .invalid(.content) }
        for timeout in [timeouts.resolve, timeouts.connect, timeouts.idle, timeouts.total] {
            guard 1...Timeouts.maxMilliseconds ~= timeout else { throw .invalid(.timeout) }
        }
        self.request = request
        self.partition = partition
        self.hostIsNamed = hostIsNamed
        self.timeouts = timeouts
        self.slowestBytesPerSecond = slowestBytesPerSecond
    }
}

extension FetchStart {
    /// Releases the memory of the content, whose length becomes 0.
    package mutating func releaseContent() { if request.content != nil { request.content = [] } }

    private static let namedFlag: UInt8 = 1
    private static let contentFlag: UInt8 = 2

    var payload: [UInt8] {
        var writer = FrameWriter(capacity: 1024)
        writer.integer((hostIsNamed ? Self.namedFlag : 0) | (request.content == nil ? 0 : Self.contentFlag))
        for timeout in [timeouts.resolve, timeouts.connect, timeouts.idle, timeouts.total] { writer.integer(timeout) }
        writer.integer(slowestBytesPerSecond)
        writer.short(request.method.utf8)
        writer.short(request.url.text.utf8)
        writer.short(partition.utf8)
        FrameFields.write(request.fields, to: &writer)
        if let content = request.content { writer.long(content) }
        return writer.bytes
    }

    init(payload: [UInt8]) throws(FetchFrameError) {
        var cursor = FrameCursor(payload)
        let flags: UInt8 = try cursor.integer(.flags)
        guard flags & ~(Self.namedFlag | Self.contentFlag) == 0 else { throw .invalid(.flags) }
        let timeouts = Timeouts(
            resolve: try cursor.integer(.timeout),
            connect: try cursor.integer(.timeout),
            idle: try cursor.integer(.timeout),
            total: try cursor.integer(.timeout)
        )
        let rate: UInt32 = try cursor.integer(.slowestRate)
        let method = try cursor.text(.method)
        let text = try cursor.text(.url)
        // The text must be canonical: what was decided about is what is requested.
        guard let url = try? FetchURL(parsing: text), url.text == text else { throw .invalid(.url) }
        let partition = try cursor.text(.partition)
        let fields = try FrameFields.read(from: &cursor)
        let content = flags & Self.contentFlag == 0 ? nil : Array(try cursor.long(.content))
        try cursor.end(of: .start)
        try self.init(
            FetchRequest(method: method, url: url, fields: fields, content: content),
            partition: partition,
            hostIsNamed: flags & Self.namedFlag != 0,
            timeouts: timeouts,
            slowestBytesPerSecond: rate
        )
    }
}

/// The fields of a payload: their number in 16 bits, then each name and value after its length in 16 bits. So a field
/// occupies as many bytes as in HTTP, where `: ` and a line break separate them.
enum FrameFields {
    /// Returns the length of `fields` in a payload, without their number.
    static func byteCount(_ fields: [HeaderFields.Field]) -> Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    static func check(_ fields: [HeaderFields.Field], maxBytes: Int) throws(FetchFrameError) {
        guard byteCount(fields) <= maxBytes, fields.count <= UInt16.max else { throw .invalid(.fields) }
        for field in fields {
            guard field.name.isToken, field.name.utf8.count <= UInt16.max else { throw .invalid(.fieldName) }
            guard field.value.utf8.span.firstForbiddenInField() == nil, field.value.utf8.count <= UInt16.max else {
                throw .invalid(.fieldValue)
            }
        }
    }

    static func write(_ fields: [HeaderFields.Field], to writer: inout FrameWriter) {
        writer.integer(UInt16(clamping: fields.count))
        for field in fields {
            writer.short(field.name.utf8)
            writer.short(field.value.utf8)
        }
    }

    static func read(from cursor: inout FrameCursor) throws(FetchFrameError) -> [HeaderFields.Field] {
        let count: UInt16 = try cursor.integer(.fieldCount)
        var fields: [HeaderFields.Field] = []
        for _ in 0..<count {
            let name = try cursor.text(.fieldName)
            fields.append(HeaderFields.Field(name: name, value: try cursor.text(.fieldValue)))
        }
        return fields
    }
}
