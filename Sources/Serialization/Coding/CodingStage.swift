/// One coding in the chain of a ``ContentDecoder``: its reader, its input and what became of it.
final class CodingStage {
    let coding: ContentCoding

    /// The codings of the stages before this one, in their order.
    private let undone: [ContentCoding]

    /// What the stage before this one made, and this one has not consumed; empty in the first stage, whose input is the content.
    var input = OutputBuffer(capacity: 0)

    /// Whether ``input`` is kept from the beginning: the reader may find out late that it is not encoded.
    private let keepsInput: Bool

    /// `nil` until enough of the input is there to tell whether it is encoded.
    var reader: (any CodingReader)?

    /// The offset of the next byte in ``input``, or in the content.
    var position = 0
    /// The bytes that were removed from ``input``.
    private var removedBytes = 0

    /// The bytes that were made in total.
    var producedBytes = 0

    /// Whether there is nothing to do before the stage before this one has made more.
    var needsInput: Bool
    var hasEnded = false
    /// Whether bytes follow after the end.
    var hasTrailingBytes = false

    /// Where the input ends too early.
    var truncation: CodingError?
    var warnings: [Warning] = []

    /// - Parameter undone: the codings of the stages before it.
    init(_ coding: ContentCoding, after undone: [ContentCoding]) {
        self.coding = coding
        self.undone = undone
        needsInput = !undone.isEmpty
        keepsInput = !undone.isEmpty && !coding.hasSignature
    }

    /// The offset of the next byte in the encoded bytes of this coding.
    var offset: Int { removedBytes + position }

    /// Removes the consumed input if it is at least half of the input, so that no byte is moved more than once on average.
    func compact() {
        guard position > 0, position >= input.count / 2, !keepsInput else { return }
        let rest = input.withBytes { bytes in (position..<bytes.count).map { bytes[$0] } }
        input.truncate(to: 0)
        input.append(contentsOf: rest)
        removedBytes += position
        position = 0
    }

    func error(_ reason: CodingError.Reason) -> CodingError {
        CodingError(reason, in: coding, at: offset, after: undone)
    }

    func warn(_ kind: Warning.Kind) {
        warnings.append(Warning(kind, at: error(.truncated).location))
    }
}

extension ContentCoding {
    /// Whether data in this coding can be told from other content by its first bytes. The header of zlib can begin texts, too.
    var hasSignature: Bool {
        switch self {
        case .gzip, .zstd: true
        case .deflate, .br: false
        }
    }

    /// Whether content may be in this coding.
    /// - Parameter head: the first ``signatureBytes`` bytes, or all of them.
    func mayBegin(_ head: Span<UInt8>) -> Bool {
        switch self {
        case .gzip: GzipReader.begins(head)
        case .zstd: ZstdReader.begins(head) && (head.count >= Self.signatureBytes || !head.beginsLikeText)
        case .deflate, .br: true
        }
    }

    /// Whether content may be in the coding with this name, as far as its first bytes show: they are the signature of the coding or,
    /// if it has none, neither text nor those of a known format.
    /// - Parameter name: in lower case. Codings that are not supported have no known signature.
    package static func mayBegin(_ content: Span<UInt8>, in name: String) -> Bool {
        let coding = ContentCoding(name: name)
        return switch coding {
        case .gzip, .zstd: coding?.mayBegin(content) ?? false
        case .deflate: coding?.isLikely(content) ?? false || !content.looksUnencoded
        case .br, nil: !content.looksUnencoded
        }
    }

    /// The coding whose signature content begins with; `nil` if there is none.
    package init?(signatureOf content: Span<UInt8>) {
        guard let coding = Self.allCases.first(where: { $0.isLikely(content) }) else { return nil }
        self = coding
    }

    /// Whether content is likely to be in this coding.
    func isLikely(_ content: Span<UInt8>) -> Bool {
        switch self {
        case .gzip, .zstd: content.count >= Self.signatureBytes && mayBegin(content)
        case .deflate: DeflateReader.beginsWrapped(content)
        case .br: false
        }
    }

    /// The bytes that decide ``mayBegin(_:)``.
    static let signatureBytes = 4
}

extension Span<UInt8> {
    /// Whether content that a coding cannot be undone of is something else: text, or of a known format.
    var looksUnencoded: Bool {
        if beginsLikeText { return true }
        switch ContentSignature(of: self) {
        case nil, .gzip, .zstd, .zip: return false
        default: return true
        }
    }

    /// Whether the first bytes are text: in ASCII, or in UTF-8 as far as ``maxTextBytes``, or after a byte order mark.
    fileprivate var beginsLikeText: Bool {
        if count >= 2, self[0] == 0xFF && self[1] == 0xFE || self[0] == 0xFE && self[1] == 0xFF { return true }
        let head = extracting(..<Swift.min(count, Self.maxTextBytes))
        var index = 0
        while index < head.count, head[index].isASCIIText { index += 1 }
        if index == head.count || index >= Self.enoughTextBytes { return true }
        // A character may be cut at the end.
        for cut in 0..<Swift.min(4, head.count) {
            let text = head.extracting(..<(head.count - cut))
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
