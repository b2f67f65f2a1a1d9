internal import Glibc
internal import Serialization

/// `X-Request-ID`: taken from the request, or made for it. Text is made only for what needs text.
enum RequestID: Equatable, Sendable {
    /// What the client sent.
    case given(String)

    /// 128 bits, written as 32 hexadecimal digits.
    case made(UInt64, UInt64)

    var text: String {
        switch self {
        case .given(let text): text
        case .made: unsafe withCString { digits in unsafe String(cString: digits) }
        }
    }

    /// Lends the text with a zero byte after it.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        switch self {
        case .given(let text): return unsafe text.withCString(body)
        case .made(let high, let low):
            let words: InlineArray<5, UInt64> = [
                Self.digits(of: high >> 32), Self.digits(of: high), Self.digits(of: low >> 32), Self.digits(of: low), 0,
            ]
            // The words' bytes are the digits, and a zero byte after them.
            return unsafe words.span.bytes.withCString(body)
        }
    }

    /// The eight hexadecimal digits of the low 32 bits, the first in the byte that comes first in memory.
    private static func digits(of word: UInt64) -> UInt64 {
        // Each half of each part moves up, until every byte holds four bits.
        var spread = word & 0xFFFF_FFFF
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 10 and more carry into bit 4 when 6 is added; from `9` to `a` are 39 more than one.
        let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (spread &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).bigEndian
    }
}

extension RequestFields {
    /// The client's own identifier, if it is acceptable.
    var requestID: RequestID? {
        guard let place = place(of: .requestID) else { return nil }
        let value = head.span.extracting(place.valueRange)
        return RequestIDGenerator.accepts(value) ? .given(String(field: value)) : nil
    }
}

extension RawSpan {
    /// Lends the bytes as text, which their first zero byte ends.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe withUnsafeBytes { bytes in
            guard let text = bytes.baseAddress, unsafe bytes.last == 0 else {
                preconditionFailure("a text of C ends in a zero byte")
            }
            return unsafe body(text.assumingMemoryBound(to: CChar.self))
        }
    }
}

/// Makes request identifiers.
///
/// A generator of its own for each connection, seeded by the system once, so that no identifier costs a system call and
/// no two connections share state. The identifiers are there to be told apart; they are no secrets.
struct RequestIDGenerator {
    private var state: (UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next(), system.next())
    }

    mutating func next() -> RequestID {
        .made(Self.mix(&state.0), Self.mix(&state.1))
    }

    /// SplitMix64: a full period over 64 bits, and each output bit depends on each state bit.
    private static func mix(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Whether a client's identifier is taken as it is: `[A-Za-z0-9_-]{1,128}`.
    static func accepts(_ candidate: Span<UInt8>) -> Bool {
        guard 1...128 ~= candidate.count else { return false }
        for index in candidate.indices {
            switch candidate[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default:
                return false
            }
        }
        return true
    }
}
