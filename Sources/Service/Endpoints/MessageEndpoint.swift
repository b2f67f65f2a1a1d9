internal import HTTP
internal import Serialization

/// `POST /v1/normalize/message`: the upstream response as a raw message, or as the output of `curl -i`.
struct MessageEndpoint: Sendable {
    let configured: ConfiguredSerializer

    func plan(for head: borrowing RequestHead) -> Plan.Decision {
        let requestID = head.requestID
        do {
            try RequestFormat.message.check(head.fields)
            let serializer = try configured.serializer(query: head.target.query)
            let maxBytes = Message.maxBytes(maxContentBytes: serializer.limits.maxContentBytes)
            let reading = Reading(serializer: serializer, requestID: requestID)
            return .accept(maxContentBytes: maxBytes) { (message, takeOwnership) throws(RejectionReason) in
                if message.count <= Reading.maxInlineBytes, let step = try reading.begin(message, takeOwnership) {
                    return step
                }
                return try reading.readOnCompute(try takeOwnership())
            }
        } catch { return .respond(Problem(error).response(requestID: requestID.text)) }
    }
}

/// The steps of one request.
private struct Reading: Sendable {
    let serializer: ResponseSerializer
    let requestID: RequestID

    /// The maximum length of a message that is read on an HTTP thread, in bytes, inclusive.
    static let maxInlineBytes = 128 << 10

    /// Reserves the memory for a copy of the content without the lines around its chunks, and for the fields of the
    /// final head, of the trailer section and of the history: strings of at most ``Message/maxHeadBytes`` each, and 64
    /// bytes per field.
    private static func reserve(for message: OwnedContent) throws(RejectionReason) -> MemoryReservation {
        try message.reserve(message.count + 3 * (Message.maxHeadBytes * 2 + Message.maxFields * 64))
    }

    func readOnCompute(_ message: OwnedContent) throws(RejectionReason) -> Step {
        let memory = try Self.reserve(for: message)
        return .next(on: .compute { self.respondOnCompute(message, memory) })
    }

    /// Reads a message on the HTTP thread.
    /// - Returns: `nil` if this would take too much time.
    func begin(
        _ bytes: Span<UInt8>,
        _ takeOwnership: () throws(RejectionReason) -> OwnedContent
    ) throws(RejectionReason) -> Step? {
        let message: Message
        do {
            let short = try MessageReader.readShort(
                bytes,
                maxContentBytes: serializer.limits.maxContentBytes,
                allowsTruncation: serializer.options.truncated == .allow
            )
            guard let short else { return nil }
            message = short
        } catch {
            guard error.isTruncation else { return .done(Problem(error).response(requestID: requestID.text)) }
            let owned = try takeOwnership()
            let memory = try Self.reserve(for: owned)
            return .next(on: .compute { self.reject(owned, error, memory) })
        }
        let normalization = Normalization(of: message.response, with: serializer, requestID: requestID)
        // The memory of the content without the lines around its chunks, and of the fields of the heads.
        return try normalization.begin(message.content, in: bytes, decodedBytes: bytes.count, takeOwnership)
    }

    /// Reads a message on the compute lane.
    private func respondOnCompute(_ bytes: OwnedContent, _ memory: MemoryReservation) -> Step {
        let message: Message
        do {
            message = try bytes.withBytes { bytes throws(MessageError) in try Message(bytes, for: serializer) }
        } catch { return reject(bytes, error, memory) }
        let normalization = Normalization(of: message.response, with: serializer, requestID: requestID)
        return normalization.compute(message.content, in: bytes, memory)
    }

    /// Ends with the problem with what would accept the message, on the compute lane or with a reader of images.
    /// - Parameters:
    ///   - memory: that of the message, in the account that grants the memory of the trial.
    ///   - reader: the reader; `nil` on the compute lane.
    private func reject(
        _ bytes: OwnedContent,
        _ failure: MessageError,
        _ memory: MemoryReservation,
        _ reader: (any ImageReader)? = nil
    ) -> Step {
        var remedy: Remedy?
        do throws(ReaderRequired) {
            remedy = try bytes.withBytes { bytes throws(ReaderRequired) in
                let messageBytes = bytes.count
                return try Message.remedy(for: failure, bytes, serializer, reader) { response, serializer, content in
                    let trialBytes = serializer.memoryBytes(for: content, of: response)
                    do throws(RejectionReason) {
                        return RemedyTrial(memory: try memory.reserve(trialBytes, besides: messageBytes))
                    } catch { return nil }
                }
            }
        } catch {
            guard reader != nil else { return .next(on: .pixels { self.reject(bytes, failure, memory, $0) }) }
        }
        return .done(Problem(failure, remedy: remedy).response(requestID: requestID.text))
    }
}

extension MessageError {
    /// Whether the message ends inside its content.
    var isTruncation: Bool { if case .rejected(.endsInContent, at: _) = self { true } else { false } }
}

extension Message {
    /// Tries whether a message that ends early is accepted with `truncated=allow`.
    /// - Parameters:
    ///   - reader: the reader of images in the trial; `nil` if this thread must not read them.
    ///   - permit: permits the trial for a response, see
    ///     ``ResponseSerializer/acceptsTruncated(_:content:reader:permit:)``.
    static func remedy(
        for error: MessageError,
        _ bytes: Span<UInt8>,
        _ serializer: ResponseSerializer,
        _ reader: (any ImageReader)?,
        permit: @escaping (UpstreamResponse, ResponseSerializer, Span<UInt8>) -> RemedyTrial?
    ) throws(ReaderRequired) -> Remedy? {
        guard error.isTruncation,
            let message = try? MessageReader.read(
                bytes,
                maxContentBytes: serializer.limits.maxContentBytes,
                allowsTruncation: true
            )
        else { return nil }
        // The size of a first chunk that is not complete may be the first line of content whose chunks are undone: it
        // would be lost.
        if case .rejected(.endsInContent(declared: nil, received: _), at: _) = error,
            case .slice(let chunk) = message.content, chunk.upperBound == bytes.count
        {
            return nil
        }
        let response = message.response
        let isAccepted = try message.content.withBytes(in: bytes) { content throws(ReaderRequired) in
            try serializer.acceptsTruncated(response, content: content, reader: reader) { permit(response, $0, $1) }
        }
        return isAccepted ? .truncated : nil
    }

    /// Reads a message within the limits of a serializer.
    init(_ bytes: Span<UInt8>, for serializer: ResponseSerializer) throws(MessageError) {
        self = try MessageReader.read(
            bytes,
            maxContentBytes: serializer.limits.maxContentBytes,
            allowsTruncation: serializer.options.truncated == .allow
        )
    }
}
