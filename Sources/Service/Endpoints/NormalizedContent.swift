internal import HTTP
internal import Serialization

/// The content of an upstream response that several steps need, and its owner.
enum NormalizedContent: Sendable {
    /// There is no data at all, which is not the same as zero bytes. The reservation is that of nothing.
    case none(MemoryReservation)
    /// A part of the request's content.
    case slice(OwnedContent, Range<Int>)
    /// Content that was decoded from the request's content, and its reservation.
    case bytes([UInt8], MemoryReservation)
    /// The content after its codings were decoded, and its reservation.
    case decoded(SharedBytes, MemoryReservation)

    /// All of the request's content.
    static func all(of content: OwnedContent) -> NormalizedContent {
        .slice(content, 0..<content.withBytes { $0.count })
    }

    /// Calls `body` with the content, which is valid for the duration of the call.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .none: try body(nil)
        case .slice(let content, let range):
            try content.withBytes { bytes throws(Failure) in try body(bytes.extracting(range)) }
        case .bytes(let bytes, _): try body(bytes.span)
        case .decoded(let bytes, _): try bytes.withBytes { bytes throws(Failure) in try body(bytes) }
        }
    }

    /// Reserves `bytes` of memory besides the content.
    func reserve(_ bytes: Int) throws(RejectionReason) -> MemoryReservation {
        switch self {
        case .none(let memory): try memory.reserve(bytes, besides: 0)
        case .slice(let content, _): try content.reserve(bytes)
        case .bytes(let content, let memory): try memory.reserve(bytes, besides: content.count)
        case .decoded(let content, let memory): try memory.reserve(bytes, besides: content.count)
        }
    }
}

/// Encoded content, whose owner releases it as soon as it is decoded.
///
/// @unchecked Sendable: only one step uses it at a time, and then passes it to the next step.
final class EncodedContent: @unchecked Sendable {
    var content: NormalizedContent
    /// The memory of the decoder.
    let memory: MemoryReservation

    init(_ content: NormalizedContent, _ memory: MemoryReservation) {
        self.content = content
        self.memory = memory
    }
}

// MARK: Content in the content of a request

extension Normalization {
    /// The first step for content that the content of the request contains, on the HTTP thread.
    /// - Parameters:
    ///   - content: the content; `nil` if there is no data at all.
    ///   - decodedBytes: the memory that is reserved for decoded content if a later step needs it.
    func begin(
        _ content: ContainedBytes?,
        in text: Span<UInt8>,
        decodedBytes: Int,
        _ takeOwnership: () throws(RejectionReason) -> OwnedContent
    ) throws(RejectionReason) -> Step {
        switch content {
        case .none: try begin(nil) { () throws(RejectionReason) in .none(try takeOwnership().reserve(0)) }
        case .slice(let range):
            try begin(text.extracting(range)) { () throws(RejectionReason) in .slice(try takeOwnership(), range) }
        case .bytes(let bytes):
            try begin(bytes.span) { () throws(RejectionReason) in
                .bytes(bytes, try takeOwnership().reserve(decodedBytes))
            }
        }
    }

    /// The step on the compute lane for content that the content of the request contains.
    /// - Parameter memory: that of reading the request, of which that of the decoded content remains.
    func compute(_ content: consuming ContainedBytes?, in text: OwnedContent, _ memory: MemoryReservation) -> Step {
        memory.resize(to: content?.decodedBytes ?? 0)
        return switch consume content {
        case .none: compute(.none(memory))
        case .slice(let range): compute(.slice(text, range))
        case .bytes(let bytes): compute(.bytes(bytes, memory))
        }
    }
}
