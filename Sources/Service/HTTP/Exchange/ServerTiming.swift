/// The field `Server-Timing: decode;dur=0.012`, in milliseconds (W3C Server Timing).
struct ServerTiming {
    static let name: StaticString = "Server-Timing"

    /// The value of the field, followed by zero bytes. The capacity suffices for the longest value, which is that of
    /// 2⁶⁴ nanoseconds.
    private(set) var text = InlineArray<40, UInt8>(repeating: 0)

    init(decodingNanoseconds: UInt64) {
        let microseconds = decodingNanoseconds / 1000
        var count = 0
        func append(_ byte: UInt8) {
            text[count] = byte
            count += 1
        }
        func appendDigit(_ value: UInt64) {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
        }
        let prefix: StaticString = "decode;dur="
        // `index` is less than the length of the literal.
        for index in 0..<prefix.utf8CodeUnitCount { unsafe append(prefix.utf8Start[index]) }
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
}
