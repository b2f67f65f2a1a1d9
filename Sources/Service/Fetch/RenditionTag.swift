internal import HTTP
internal import Serialization
internal import Synchronization

// Decant's own entity tag of what it has made of a stored response.
//
//     JSON     the response without the values of the fields of the origin in `upstream`, most of which differ each
//              time: only those count that lead the caller on, and those that the caller has named
//     image    the fields of the response, the content of the stored one, and the options. The pixels can differ
//              slightly if several sizes are made in one decode
//
// It is the same in every process, and after a restart, so that a client that has a response of one replica receives
// 304 from another one. It is a hash without a secret, and no protection against an origin that chooses contents with
// equal hashes: an origin can also keep a response from changing.

/// What the entity tag of a rendition depends on.
enum RenditionTag {
    /// The response itself.
    case response
    /// The content of an image, and the options with which a thumbnail is made of it.
    case image(HashedContent, SerializationOptions)

    /// The fields of the origin whose values count, in lower case.
    private static let fieldNames = ["content-location", "etag", "link", "location", "retry-after"]

    /// Returns the hash of what does not change when the stored response is validated.
    /// - Parameter upstream: the part of the content that changes.
    func hash(of content: SharedContent, without upstream: UpstreamPart?) -> UInt128 {
        var hash = SipHash()
        switch self {
        case .response:
            let range = upstream?.range ?? 0..<0
            for rest in [0..<range.lowerBound, range.upperBound..<content.count] {
                content.extracting(rest).forEachPart { hash.add($0) }
            }
        case .image(let source, let options):
            hash.add(source.hash)
            let thumbnails = options.thumbnails?.map(\.text).joined(separator: "&") ?? ""
            hash.add("\(thumbnails);\(options.truncated.rawValue);\(decantVersion)")
        }
        return hash.finish()
    }

    /// Returns the weak entity tag (RFC 9110 §8.8.3) of a response.
    /// - Parameter contentHash: ``hash(of:without:)``.
    static func text(of response: RenderedResponse, _ contentHash: UInt128) -> String {
        var hash = SipHash()
        hash.add(UInt64(response.status))
        hash.add(response.contentType.map { "\($0)" } ?? "")
        hash.add(response.fields)
        hash.add(contentHash)
        if let facts = response.upstream?.facts { add(facts, to: &hash) }
        return "W/\"\(Hexadecimal.text(of: hash.finish()))\""
    }

    private static func add(_ facts: UpstreamFacts, to hash: inout SipHash) {
        var writer = JSONWriter(capacity: 256)
        writer.upstream(facts.withoutHead)
        writer.finish().withBytes { hash.add($0) }
        guard let head = facts.head else { return }
        for field in head.fields {
            hash.add(field.name)
            if head.hasNamedFields || fieldNames.contains(field.name) { hash.add(field.value) }
        }
        for response in head.history {
            hash.add(UInt64(response.status))
            hash.add(response.url ?? "")
        }
    }
}

/// Content of which several responses are made. It is hashed once, and only if one of them has an entity tag.
final class HashedContent: Sendable {
    private let content: SharedBytes?
    private let computed = Mutex<UInt128?>(nil)

    init(_ content: SharedBytes?) { self.content = content }

    var hash: UInt128 {
        computed.withLock { computed in
            let hash = computed ?? content?.withBytes { SipHash.hash(of: $0) } ?? 0
            computed = hash
            return hash
        }
    }
}

/// SipHash-1-3 with 128 bits (Aumasson and Bernstein, 2012), and a key of zeros.
struct SipHash {
    private static let wordBytes = 8

    private var v0: UInt64 = 0x736f_6d65_7073_6575
    private var v1: UInt64 = 0x646f_7261_6e64_6f6d ^ 0xEE
    private var v2: UInt64 = 0x6c79_6765_6e65_7261
    private var v3: UInt64 = 0x7465_6462_7974_6573

    static func hash(of content: Span<UInt8>) -> UInt128 {
        var hash = SipHash()
        hash.addWords(of: content)
        return hash.finish()
    }

    mutating func add(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    mutating func add(_ number: UInt128) {
        add(UInt64(truncatingIfNeeded: number))
        add(UInt64(truncatingIfNeeded: number >> 64))
    }

    /// Adds content after its length, so that other contents in a row do not have the same words.
    mutating func add(_ content: Span<UInt8>) {
        add(UInt64(content.count))
        addWords(of: content)
    }

    mutating func add(_ text: String) { add(text.utf8.span) }

    mutating func add(_ fields: [HeaderFields.Field]) {
        add(UInt64(fields.count))
        for field in fields {
            add(field.name)
            add(field.value)
        }
    }

    private mutating func addWords(of content: Span<UInt8>) {
        let whole = content.count / Self.wordBytes * Self.wordBytes
        var offset = 0
        while offset < whole {
            // The word is in the content, and needs no alignment.
            let word = unsafe content.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            add(UInt64(littleEndian: word))
            offset += Self.wordBytes
        }
        // The last word has the rest of the content, and its length in the highest byte.
        var last = UInt64(truncatingIfNeeded: content.count) << 56
        for index in whole..<content.count { last |= UInt64(content[index]) << UInt64(8 * (index - whole)) }
        add(last)
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
