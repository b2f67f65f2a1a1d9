internal import HTTP
internal import Serialization

// Decant's own entity tag of what it has made of a stored response.
//
//     JSON     the response without its object `upstream`, which changes when the stored response is validated
//     image    the content of the stored response, and the options. The pixels can differ slightly if several sizes
//              are made in one decode
//
// It is the same in every process, and after a restart, so that a client that has a response of one replica receives
// 304 from another one. It is a hash without a secret, and no protection against an origin that chooses contents with
// equal hashes: an origin can also keep a response from changing.

/// What the entity tag of a rendition depends on.
enum RenditionTag {
    /// The response itself.
    case response
    /// The content of an image, and the options with which a thumbnail is made of it.
    case image(SharedBytes?, SerializationOptions)

    /// Returns the weak entity tag (RFC 9110 §8.8.3) of a response.
    func text(of response: RenderedParts) -> String {
        var bytes: [UInt8] = []
        func add(_ hash: UInt128) {
            for shift in stride(from: 0, to: 128, by: 8) { bytes.append(UInt8(truncatingIfNeeded: hash >> shift)) }
        }
        add(UInt128(UInt(response.status)))
        if let type = response.contentType { bytes += "\(type)".utf8 }
        switch self {
        case .response:
            let range = response.upstream?.range ?? 0..<0
            response.content.withBytes { content in
                add(SipHash.hash(of: content.extracting(..<range.lowerBound)))
                add(SipHash.hash(of: content.extracting(range.upperBound...)))
            }
        case .image(let content, let options):
            content?.withBytes { add(SipHash.hash(of: $0)) }
            let thumbnails = options.thumbnails?.map(\.text).joined(separator: "&") ?? ""
            bytes += "\(thumbnails);\(options.truncated.rawValue);\(decantVersion)".utf8
        }
        return "W/\"\(String(SipHash.hash(of: bytes.span), radix: 36))\""
    }
}

/// The parts of a response that its entity tag may depend on.
struct RenderedParts {
    let status: Int
    let contentType: StaticString?
    let content: SharedBytes
    let upstream: UpstreamPart?
}

/// SipHash-1-3 with 128 bits (Aumasson and Bernstein, 2012), and a key of zeros.
enum SipHash {
    private static let wordBytes = 8

    static func hash(of content: Span<UInt8>) -> UInt128 {
        var state = State()
        let whole = content.count / wordBytes * wordBytes
        var offset = 0
        while offset < whole {
            // The word is in the content, and needs no alignment.
            let word = unsafe content.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            state.add(UInt64(littleEndian: word))
            offset += wordBytes
        }
        // The last word has the rest of the content, and its length in the highest byte.
        var last = UInt64(truncatingIfNeeded: content.count) << 56
        for index in whole..<content.count { last |= UInt64(content[index]) << UInt64(8 * (index - whole)) }
        state.add(last)
        return state.finish()
    }

    private struct State {
        private var v0: UInt64 = 0x736f_6d65_7073_6575
        private var v1: UInt64 = 0x646f_7261_6e64_6f6d ^ 0xEE
        private var v2: UInt64 = 0x6c79_6765_6e65_7261
        private var v3: UInt64 = 0x7465_6462_7974_6573

        mutating func add(_ word: UInt64) {
            v3 ^= word
            round()
            v0 ^= word
        }

        consuming func finish() -> UInt128 {
            v2 ^= 0xEE
            for _ in 0..<3 { round() }
            let low = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xDD
            for _ in 0..<3 { round() }
            return UInt128(v0 ^ v1 ^ v2 ^ v3) << 64 | UInt128(low)
        }

        @inline(__always) private mutating func round() {
            v0 &+= v1
            v1 = Self.rotate(v1, 13) ^ v0
            v0 = Self.rotate(v0, 32)
            v2 &+= v3
            v3 = Self.rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = Self.rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = Self.rotate(v1, 17) ^ v2
            v2 = Self.rotate(v2, 32)
        }

        @inline(__always) private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
            word &<< bits | word &>> (64 &- bits)
        }
    }
}
