/// One coding in the chain of a ``ContentDecoder``: its reader, its input and its state.
final class CodingStage {
    let coding: ContentCoding

    /// The codings of the preceding stages, in their order.
    private let decoded: [ContentCoding]

    /// The output of the preceding stage that has not been consumed; empty in the first stage, whose input is the
    /// content.
    var input = OutputBuffer(capacity: 0)

    /// Whether ``input`` is kept from the beginning, because the reader may detect late that it is not encoded.
    private let keepsInput: Bool

    /// The reader; `nil` until there is enough input to determine whether it is encoded.
    var reader: (any CodingReader)?

    /// The offset of the next byte in ``input``, or in the content.
    var inputOffset = 0
    /// The number of bytes that were removed from ``input``.
    private var removedBytes = 0

    /// The total number of bytes of output.
    var producedBytes = 0

    /// Whether the stage has to wait for more output of the preceding stage.
    var needsInput: Bool
    var hasEnded = false
    /// Whether bytes follow the end of the data.
    var hasTrailingBytes = false

    /// The error at the end of truncated input, if `truncated=allow`.
    var truncation: CodingError?
    var warnings: [Warning] = []

    /// - Parameter decoded: the codings of the stages before it.
    init(_ coding: ContentCoding, after decoded: [ContentCoding]) {
        self.coding = coding
        self.decoded = decoded
        needsInput = !decoded.isEmpty
        keepsInput = !decoded.isEmpty && !coding.hasSignature
    }

    /// The offset of the next byte in the encoded bytes of this coding.
    var offset: Int { removedBytes + inputOffset }

    /// Removes the consumed input if it is at least half of the input, so that no byte is moved more than once on
    /// average.
    func compact() {
        guard inputOffset > 0, inputOffset >= input.count / 2, !keepsInput else { return }
        let rest = input.withBytes { bytes in (inputOffset..<bytes.count).map { bytes[$0] } }
        input.truncate(to: 0)
        input.append(contentsOf: rest)
        removedBytes += inputOffset
        inputOffset = 0
    }

    func error(_ reason: CodingError.Reason) -> CodingError {
        CodingError(reason, in: coding, at: offset, after: decoded)
    }

    func warn(_ kind: Warning.Kind) { warnings.append(Warning(kind, at: error(.truncated).location)) }
}

extension ContentCoding {
    /// Whether the first bytes of data in this coding distinguish it from other content. A text can begin like the
    /// header of zlib.
    var hasSignature: Bool {
        switch self {
        case .gzip, .zstd: true
        case .deflate, .br: false
        }
    }

    /// Returns whether content may be in this coding.
    /// - Parameter head: the first ``signatureBytes`` bytes, or all of them.
    func mayBegin(_ head: Span<UInt8>) -> Bool {
        switch self {
        case .gzip: GzipReader.begins(head)
        case .zstd: ZstdReader.begins(head) && (head.count >= Self.signatureBytes || !head.beginsLikeText)
        case .deflate, .br: true
        }
    }

    /// Returns whether content may be in the coding with this name, according to its first bytes: they are the
    /// signature of the coding or, if it has none, neither text nor the signature of a known format.
    /// - Parameter name: in lower case. Codings that are not supported have no known signature.
    package static func mayBegin(_ content: Span<UInt8>, in name: String) -> Bool {
        let coding = ContentCoding(name: name)
        return switch coding {
        case .gzip, .zstd: coding?.mayBegin(content) ?? false
        case .deflate: coding?.isLikely(content) ?? false || !content.looksUnencoded
        case .br, nil: !content.looksUnencoded
        }
    }

    /// Creates the coding whose signature the content begins with; `nil` if there is none.
    package init?(signatureOf content: Span<UInt8>) {
        guard let coding = Self.allCases.first(where: { $0.isLikely(content) }) else { return nil }
        self = coding
    }

    /// Returns whether content is likely to be in this coding.
    func isLikely(_ content: Span<UInt8>) -> Bool {
        switch self {
        case .gzip, .zstd: content.count >= Self.signatureBytes && mayBegin(content)
        case .deflate: DeflateReader.beginsWrapped(content)
        case .br: false
        }
    }

    /// The number of bytes on which ``mayBegin(_:)`` depends.
    static let signatureBytes = 4
}

extension Span<UInt8> {
    /// Returns whether content that cannot be decoded is not encoded: it is text, or of a known format.
    var looksUnencoded: Bool {
        if beginsLikeText { return true }
        switch ContentSignature(of: self) {
        case nil, .gzip, .zstd, .zip, .bzip2, .xz, .sevenZip, .rar: return false
        default: return true
        }
    }

    /// Returns whether the first ``maxTextBytes`` bytes are text: they are ASCII or UTF-8, or begin with a byte order
    /// mark.
    fileprivate var beginsLikeText: Bool {
        if count >= 2, self[0] == 0xFF && self[1] == 0xFE || self[0] == 0xFE && self[1] == 0xFF { return true }
        let head = extracting(first: Self.maxTextBytes)
        var index = 0
        while index < head.count, head[index].isASCIIText { index += 1 }
        if index == head.count || index >= Self.enoughTextBytes { return true }
        // The last character may be incomplete.
        for cut in 0..<Swift.min(4, head.count) {
            let text = head.extracting(droppingLast: cut)
            if (try? UTF8Span(validating: text)) != nil { return text.hasNoControl }
            guard head.count == Self.maxTextBytes, head[head.count - 1 - cut] >= 0x80 else { return false }
        }
        return false
    }

    private static var maxTextBytes: Int { 512 }
    private static var enoughTextBytes: Int { 16 }

    private var hasNoControl: Bool {
        for index in indices where self[index] < 0x80 && !self[index].isASCIIText { return false }
        return true
    }
}

extension UInt8 {
    fileprivate var isASCIIText: Bool {
        0x20...0x7E ~= self || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D
    }
}
