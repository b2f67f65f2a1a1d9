internal import Primitives

/// The representation in which a response is sent (RFC 9110 §8): whether its content is compressed, and whether its
/// digest is added.
///
/// The digest is that of the content as it is sent, after its coding (RFC 9530 §3). A short response is converted
/// on the HTTP thread, others on the compute lane.
package struct ResponseRepresentation: Sendable {
    /// The size from which responses are compressed, in bytes; 0 if no response is compressed.
    private var gzipAboveBytes = 0
    private var codings = AcceptedCodings()
    private var wantsDigest = false

    /// The maximum size of content that is compressed or hashed on an HTTP thread, in bytes, inclusive: other requests
    /// wait meanwhile.
    package static let maxInlineBytes = 64 << 10

    init() {}

    /// - Parameter gzipAboveBytes: the setting of the service.
    init(_ fields: borrowing RequestFields, gzipAboveBytes: Int) {
        self.gzipAboveBytes = gzipAboveBytes
        var codings = AcceptedCodings()
        var wanted: [UInt8]?
        fields.forEach { field, _, value in
            switch field {
            case .acceptEncoding where gzipAboveBytes > 0: codings.add(value)
            case .wantReprDigest:
                // RFC 9651 §4.2: several fields are one list.
                wanted = (wanted.map { $0 + [UInt8(ascii: ",")] } ?? []) + value.indices.map { value[$0] }
            case .acceptEncoding, .other, .host, .connection, .expect, .contentLength, .transferEncoding, .requestID,
                .traceparent, .authorization, .contentType, .contentEncoding, .upstreamStatus, .upstreamURL,
                .upstreamMethod, .upstreamField, .upstreamUnknown:
                break
            }
        }
        self.codings = codings
        if let wanted { wantsDigest = WantedDigest.includesSHA256(in: wanted.span) }
    }

    /// Whether all responses are sent as they are.
    private var changesNothing: Bool { gzipAboveBytes == 0 && !wantsDigest }

    /// Whether converting content that several responses share to this representation may take too long for an HTTP
    /// thread. It is done once.
    package func mayTakeLong(ofBytes count: Int) -> Bool { !changesNothing && count > Self.maxInlineBytes }

    // MARK: Steps

    /// Whether converting `response` to this representation takes too long for an HTTP thread.
    private func takesLong(_ response: borrowing Response) -> Bool {
        let count = response.content.count
        guard !response.hasRepresentation, count > Self.maxInlineBytes else { return false }
        let compresses = compresses(response, count)
        switch response.content {
        case .buffer: return wantsDigest || compresses
        // Shared content is compressed and hashed once.
        case .shared(let content): return !content.has(compressed: compresses, digest: wantsDigest)
        }
    }

    /// Returns the steps with which the response has this representation, or is short enough for an HTTP thread.
    /// - Parameters:
    ///   - lane: the lane on which the step ended.
    ///   - account: the memory of requests.
    func apply(to step: consuming Step, on lane: Lane, _ account: MemoryAccount) -> Step {
        guard !changesNothing else { return step }
        switch consume step {
        case .done(let response):
            guard takesLong(response) else { return .done(response) }
            switch lane {
            case .compute:
                var response = response
                apply(to: &response, account)
                return .done(response)
            case .inline, .facts, .pixels:
                let waiting = PassedResponse(response)
                return .next(
                    on: .compute {
                        guard var response = waiting.take() else { preconditionFailure("a step is called once") }
                        apply(to: &response, account)
                        return .done(response)
                    }
                )
            }
        case .next(on: .compute(let next)): return .next(on: .compute { apply(to: next(), on: .compute, account) })
        case .next(on: .factsStep(let next)): return .next(on: .factsStep { apply(to: next($0), on: .facts, account) })
        case .next(on: .pixelsStep(let next)):
            return .next(on: .pixelsStep { apply(to: next($0), on: .pixels, account) })
        case .park(let begin): return .park(begin)
        }
    }

    // MARK: Responses

    /// Converts a response to this representation. If there is no memory for compressing, the content stays as it is.
    package func apply(to response: inout Response, _ account: MemoryAccount) {
        guard !changesNothing, !response.hasRepresentation else { return }
        response.hasRepresentation = true
        guard response.contentType != nil else { return }
        let count = response.content.count
        if compresses(response, count) || varies(response, count) {
            response.varyByEncoding()
        }
        let isCompressed = compresses(response, count) && response.compress(account)
        // RFC 9110 §15.4.5: 304 describes the content by its length only.
        guard response.status != 304 else { return }
        if isCompressed { response.fields.append(HeaderFields.Field(name: "Content-Encoding", value: "gzip")) }
        if wantsDigest { response.fields.append(.sha256Digest(response.content.digest())) }
    }

    /// Whether the representation of a response depends on `Accept-Encoding`.
    private func varies(_ response: borrowing Response, _ count: Int) -> Bool {
        gzipAboveBytes > 0 && count >= gzipAboveBytes && response.isCompressible
    }

    private func compresses(_ response: borrowing Response, _ count: Int) -> Bool {
        guard gzipAboveBytes > 0, response.isCompressible, codings.prefersGzip else { return false }
        // A client that does not accept the content as it is receives it compressed, whatever its size.
        return count >= gzipAboveBytes || codings.rejectsIdentity && count > 0
    }
}

/// A response that one thread passes to another, or one step to the next.
///
/// @unchecked Sendable: the work that takes it is submitted after it was created, and is executed once.
final class PassedResponse: @unchecked Sendable {
    private var response: Response?

    init(_ response: consuming Response) { self.response = consume response }

    func take() -> Response? { response.take() }
}

extension Response {
    /// Whether the content is text. Images are compressed already.
    fileprivate var isCompressible: Bool {
        guard let contentType else { return false }
        return !"\(contentType)".hasPrefix("image/")
    }

    /// Adds `Accept-Encoding` to the field `Vary`.
    fileprivate mutating func varyByEncoding() {
        if let index = fields.firstIndex(where: { $0.name == "Vary" }) {
            fields[index].value += ", Accept-Encoding"
        } else {
            fields.append(HeaderFields.Field(name: "Vary", value: "Accept-Encoding"))
        }
    }

    /// Compresses the content.
    /// - Returns: `false` if there is no memory for it. Then the content is unchanged.
    fileprivate mutating func compress(_ account: MemoryAccount) -> Bool {
        // Short content has no reservation, and shared content reserves its own memory, once.
        guard content.isShared || content.count <= ResponseRepresentation.maxInlineBytes else {
            return compressLongBuffer(account)
        }
        guard let compressed = content.compressed(account) else { return false }
        content = compressed
        return true
    }

    private mutating func compressLongBuffer(_ account: MemoryAccount) -> Bool {
        let memory: MemoryReservation
        do throws(RejectionReason) {
            memory = try GzipMember.reserve(forContentBytes: content.count, in: account)
        } catch { return false }
        guard let compressed = content.compressed(account) else { return false }
        memory.resize(to: compressed.count)
        // Until the response is sent, the larger of both reservations would remain without this.
        charge = .reserved(memory)
        content = compressed
        return true
    }
}

extension ResponseContent {
    /// Returns the content as gzip; `nil` if there is no memory.
    fileprivate func compressed(_ account: MemoryAccount) -> ResponseContent? {
        switch self {
        case .buffer(let buffer):
            guard let compressed = buffer.withBytes({ GzipMember.compress($0) }) else { return nil }
            return .buffer(compressed)
        case .shared(let content):
            let short = content.compressed(unreservedUpTo: ResponseRepresentation.maxInlineBytes)
            return (short ?? content.compressed(account)).map { .shared($0) }
        }
    }

    /// The digest of the bytes with SHA-256.
    fileprivate func digest() -> [UInt8] {
        switch self {
        case .buffer(let buffer): return buffer.withBytes { SHA256.digest(of: $0) }
        case .shared(let content): return content.digest
        }
    }
}

extension HeaderFields.Field {
    /// Returns the field `Repr-Digest` (RFC 9530 §3) with a digest.
    fileprivate static func sha256Digest(_ digest: [UInt8]) -> HeaderFields.Field {
        HeaderFields.Field(name: "Repr-Digest", value: "sha-256=:\(Base64.text(of: digest.span)):")
    }
}
