package import Primitives

// The payloads of the frames that the fetcher sends. Each type validates its values when it is created, both by the
// fetcher, from what an origin sent, and by the service, from what it received.

/// The payload of a `head` frame: the head of a final response. Interim responses are not reported.
///
/// The values of fields are UTF-8 here. The fetcher replaces other bytes, as in the head of any upstream response.
package struct FetchHead: Equatable, Sendable {
    /// The maximum length of all fields with `: ` and their line breaks, in bytes. It is inclusive.
    package static let maxFieldBytes = 64 * 1024

    /// The maximum number of fields, inclusive, as in messages. libcurl keeps each field in blocks of its own.
    package static let maxFieldCount = 1_000

    static let maxBytes = maxFieldBytes + 4

    /// The status, in 200 to 999.
    package let status: Int

    package let fields: [HeaderFields.Field]

    /// - Throws: ``FetchFrameError/invalid(_:)`` for a head that must not be used: the response is malformed.
    package init(status: Int, fields: [HeaderFields.Field]) throws(FetchFrameError) {
        // RFC 9110 §15.2: 1xx responses are interim. 101 would switch to a protocol that was not asked for.
        guard 200...999 ~= status else { throw .invalid(.status) }
        guard fields.count <= Self.maxFieldCount else { throw .invalid(.fields) }
        try FrameFields.check(fields, maxBytes: Self.maxFieldBytes)
        self.status = status
        self.fields = fields
    }

    /// Returns whether a head may have so many fields, and so many bytes in them.
    static func hasValidLength(_ fields: [HeaderFields.Field]) -> Bool {
        FrameFields.byteCount(fields) <= maxFieldBytes && fields.count <= maxFieldCount
    }

    var payload: [UInt8] {
        var writer = FrameWriter(capacity: 512)
        writer.integer(UInt16(clamping: status))
        FrameFields.write(fields, to: &writer)
        return writer.bytes
    }

    init(payload: [UInt8]) throws(FetchFrameError) {
        var cursor = FrameCursor(payload)
        let status: UInt16 = try cursor.integer(.status)
        let fields = try FrameFields.read(from: &cursor)
        try cursor.end(of: .head)
        try self.init(status: Int(status), fields: fields)
    }
}

/// The durations of an attempt, in microseconds. A phase that did not take place has none: a reused connection is not
/// opened.
package struct FetchTimings: Equatable, Sendable {
    /// The maximum of each duration: a day.
    package static let maxMicroseconds: UInt64 = 24 * 60 * 60 * 1_000_000

    static let byteCount = 5 * 8

    package let resolve: UInt64?
    package let connect: UInt64?
    package let tls: UInt64?
    /// The time from sending the request to the first byte of the response.
    package let firstByte: UInt64?
    package let transfer: UInt64?

    /// Longer durations than ``maxMicroseconds`` are limited to it.
    package init(
        resolve: UInt64? = nil,
        connect: UInt64? = nil,
        tls: UInt64? = nil,
        firstByte: UInt64? = nil,
        transfer: UInt64? = nil
    ) {
        func limited(_ duration: UInt64?) -> UInt64? { duration.map { min($0, Self.maxMicroseconds) } }
        self.resolve = limited(resolve)
        self.connect = limited(connect)
        self.tls = limited(tls)
        self.firstByte = limited(firstByte)
        self.transfer = limited(transfer)
    }

    /// The durations in the order of the phases.
    package var all: [UInt64?] { [resolve, connect, tls, firstByte, transfer] }

    func write(to writer: inout FrameWriter) { for duration in all { writer.integer(duration ?? .max) } }

    init(from cursor: inout FrameCursor) throws(FetchFrameError) {
        self.init(
            resolve: try Self.duration(from: &cursor),
            connect: try Self.duration(from: &cursor),
            tls: try Self.duration(from: &cursor),
            firstByte: try Self.duration(from: &cursor),
            transfer: try Self.duration(from: &cursor)
        )
    }

    private static func duration(from cursor: inout FrameCursor) throws(FetchFrameError) -> UInt64? {
        let value: UInt64 = try cursor.integer(.timing)
        if value == .max { return nil }
        guard value <= maxMicroseconds else { throw .invalid(.timing) }
        return value
    }
}

/// The payload of an `end` frame: a response was received completely.
package struct FetchEnd: Equatable, Sendable {
    static let byteCount = 8 + FetchTimings.byteCount

    /// The number of bytes in all `data` frames of the transfer.
    package let contentBytes: UInt64

    package let timings: FetchTimings

    package init(contentBytes: UInt64, timings: FetchTimings) {
        self.contentBytes = contentBytes
        self.timings = timings
    }

    var payload: [UInt8] {
        var writer = FrameWriter()
        writer.integer(contentBytes)
        timings.write(to: &writer)
        return writer.bytes
    }

    init(payload: [UInt8]) throws(FetchFrameError) {
        var cursor = FrameCursor(payload)
        contentBytes = try cursor.integer(.contentBytes)
        timings = try FetchTimings(from: &cursor)
        try cursor.end(of: .end)
    }
}

/// The payload of a `failed` frame.
package struct FetchFailureReport: Equatable, Sendable {
    /// The maximum length of the detail, in bytes.
    static let maxDetailBytes = 256

    static let maxBytes = 2 + FetchTimings.byteCount + 2 + maxDetailBytes

    package let failure: FetchFailure

    /// The phase in which the attempt failed.
    package let phase: FetchPhase

    package let timings: FetchTimings

    /// Words for the log: visible ASCII and spaces.
    package let detail: String

    /// - Parameters:
    ///   - failure: Any but ``FetchFailure/fetcherDied``, which a fetcher cannot report.
    ///   - detail: It is shortened, and other characters than visible ASCII are replaced.
    package init(_ failure: FetchFailure, in phase: FetchPhase, timings: FetchTimings, detail: String = "") {
        precondition(failure.row.isOfTransfer, "a process does not report its own death")
        self.failure = failure
        self.phase = phase
        self.timings = timings
        let bytes = detail.utf8.prefix(Self.maxDetailBytes).map { Self.isVisible($0) ? $0 : UInt8(ascii: "?") }
        self.detail = String(decoding: bytes, as: UTF8.self)
    }

    var payload: [UInt8] {
        var writer = FrameWriter()
        writer.integer(failure.rawValue)
        writer.integer(phase.rawValue)
        timings.write(to: &writer)
        writer.short(detail.utf8)
        return writer.bytes
    }

    init(payload: [UInt8]) throws(FetchFrameError) {
        var cursor = FrameCursor(payload)
        let number: UInt8 = try cursor.integer(.failure)
        guard let failure = FetchFailure(rawValue: number), failure.row.isOfTransfer else { throw .invalid(.failure) }
        guard let phase = FetchPhase(rawValue: try cursor.integer(.phase)) else { throw .invalid(.phase) }
        let timings = try FetchTimings(from: &cursor)
        let detail = try cursor.text(.detail)
        try cursor.end(of: .failed)
        guard detail.utf8.count <= Self.maxDetailBytes, detail.utf8.allSatisfy(Self.isVisible) else {
            throw .invalid(.detail)
        }
        self.init(failure, in: phase, timings: timings, detail: detail)
    }

    private static func isVisible(_ byte: UInt8) -> Bool { 0x20..<0x7F ~= byte }
}
