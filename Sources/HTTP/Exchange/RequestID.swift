internal import Glibc
internal import Primitives

/// The identifier of a request (`X-Request-ID`), which was received or generated. Its text is created only on demand.
package enum RequestID: Equatable, Sendable {
    /// The client's identifier.
    case given(String)

    /// A generated identifier of 128 bits, written as 32 hexadecimal digits.
    case made(UInt64, UInt64)

    package var text: String {
        switch self {
        case .given(let text): text
        case .made: unsafe withCString { digits in unsafe String(cString: digits) }
        }
    }

    /// Calls `body` with the text and a terminating zero byte, which are valid for the duration of the call.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        switch self {
        case .given(let text): return unsafe text.withCString(body)
        case .made(let high, let low):
            let words: InlineArray<5, UInt64> = [
                Hexadecimal.digits(of: high >> 32), Hexadecimal.digits(of: high), Hexadecimal.digits(of: low >> 32),
                Hexadecimal.digits(of: low), 0,
            ]
            // The bytes of the words are the digits and a terminating zero byte.
            return unsafe words.span.bytes.withCString(body)
        }
    }
}

extension RequestFields {
    /// The client's identifier; `nil` if it is missing or not accepted.
    package var requestID: RequestID? {
        guard let entry = entry(of: .requestID) else { return nil }
        let value = head.span.extracting(entry.valueRange)
        return NameSyntax.isName(value) ? .given(value.text) : nil
    }
}

extension RawSpan {
    /// Calls `body` with the bytes as a C string, which is valid for the duration of the call.
    ///
    /// The last byte must be zero.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe withUnsafeBytes { bytes in
            precondition(unsafe bytes.last == 0, "a C string ends in a zero byte")
            return unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                // There is a last byte, so the address is not `nil`.
                unsafe body(text.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}

/// A generator of request identifiers.
///
/// Each connection has its own generator, which is seeded by the system once. Therefore an identifier requires no
/// system call, and connections share no state. The identifiers are distinct, but they are not secrets.
package struct RequestIDGenerator {
    private var state: (UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next(), system.next())
    }

    mutating func next() -> RequestID { .made(Self.mix(&state.0), Self.mix(&state.1)) }

    private static func mix(_ state: inout UInt64) -> UInt64 {
        state &+= SplitMix64.increment
        return SplitMix64.mix(state)
    }
}
