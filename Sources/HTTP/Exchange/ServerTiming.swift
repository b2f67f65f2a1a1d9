/// The field `Server-Timing: queue;dur=1.250, decode;dur=0.012`, in milliseconds (W3C Server Timing).
package struct ServerTiming {
    package static let name: StaticString = "Server-Timing"

    /// The value of the field, followed by zero bytes. The capacity suffices for durations of 2⁶⁴ nanoseconds.
    private(set) var text = InlineArray<72, UInt8>(repeating: 0)
    private var count = 0

    /// - Parameters:
    ///   - queueNanoseconds: the time in the queues of lanes; 0 if the response did not wait.
    ///   - decodingNanoseconds: the time for computing the response.
    init(queueNanoseconds: UInt64 = 0, decodingNanoseconds: UInt64) {
        if queueNanoseconds > 0 {
            append("queue;dur=", queueNanoseconds)
            append(", ")
        }
        append("decode;dur=", decodingNanoseconds)
    }

    private mutating func append(_ literal: StaticString) {
        // `index` is less than the length of the literal.
        for index in 0..<literal.utf8CodeUnitCount { unsafe append(literal.utf8Start[index]) }
    }

    private mutating func append(_ name: StaticString, _ nanoseconds: UInt64) {
        append(name)
        let microseconds = nanoseconds / 1000
        var unit: UInt64 = 1000
        while microseconds / unit >= 10 { unit *= 10 }
        while unit >= 1000 {
            appendDigit(microseconds / unit)
            unit /= 10
        }
        append(UInt8(ascii: "."))
        appendDigit(microseconds / 100)
        appendDigit(microseconds / 10)
        appendDigit(microseconds)
    }

    private mutating func append(_ byte: UInt8) {
        text[count] = byte
        count += 1
    }

    private mutating func appendDigit(_ value: UInt64) {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}

extension StageDurations {
    /// The field with these durations; `nil` if no response was computed.
    var timing: ServerTiming? {
        guard decoding > 0 else { return nil }
        return ServerTiming(queueNanoseconds: waitingForCompute + waitingForWorker, decodingNanoseconds: decoding)
    }
}
