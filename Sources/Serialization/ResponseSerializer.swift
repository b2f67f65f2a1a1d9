/// Converts upstream responses to normalized JSON: it validates a response, then decodes it.
///
/// It does not use clocks, files or logs: the same input produces the same bytes. It is a class so that passing it on
/// costs one reference count instead of one per option.
///
/// **Invariant.** The result is determined by the response, its content, the options, the limits, and what the reader
/// and the memory grant return. Each JSON text that it contains, that of an answer or the value in a failure, is
/// complete and valid; a part of a value is never returned. A failure has at least one error. Limits are bounded when
/// the serializer is created, and every loop over content is bounded by one of them. Memory beyond
/// ``memoryBytes(for:of:)`` is granted before it is used. `ResponseOracle` (FuzzResponse), `ResponseSerializerTests`
/// and `MemoryProbe` check this.
public final class ResponseSerializer: Sendable {
    public let options: SerializationOptions
    public let limits: Limits
    let validator: ResponseValidator

    /// The reader of images; `nil` if another thread reads them.
    public let reader: (any ImageReader)?

    public init(
        options: SerializationOptions = SerializationOptions(),
        limits: Limits = Limits(),
        reader: (any ImageReader)? = nil
    ) {
        self.options = options
        // A serializer is created for every request, and few requests change limits.
        self.limits = limits == Limits() ? limits : limits.bounded
        self.reader = reader
        validator = ResponseValidator(options: options)
    }

    /// Validates and decodes one response. If it is an image, the call waits for its reader.
    /// - Parameters:
    ///   - content: the content as it was received. `nil` means that there was no data, which differs from zero bytes.
    ///   - memory: the source of memory beyond ``memoryBytes(for:of:)``.
    /// - Throws: the complete chain of errors.
    public func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> Answer {
        try serialize(response, content, reader, memory)
    }

    /// Validates and decodes one response with `reader` instead of ``reader``.
    /// - Parameter pending: What ``serializeAtOnce(_:content:memory:)`` has returned for this response; `nil` if it was
    ///   not called. A compound continues with the component that must read the image.
    public func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        after pending: PendingImage? = nil,
        reader: any ImageReader,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> Answer {
        try serialize(response, content, reader, memory, after: pending?.progress ?? CompoundProgress())
    }

    /// Validates and decodes one response, unless its image must be read elsewhere. This is determined before any long
    /// computation.
    /// - Throws: the complete chain of errors.
    public func serializeAtOnce(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: any MemoryGrant
    ) throws(SerializationFailure) -> SerializationStep {
        do {
            return .done(try serialize(response, content, reader, memory))
        } catch {
            guard error.isDeferred else { throw error }
            let order = ImageOrder(.value, options, limits)
            if case .compound = options.serializer {
                return .image(PendingImage(order: order, mayContinue: true, progress: error.tried))
            }
            return .image(PendingImage(order: order))
        }
    }

    func serialize(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>?,
        _ reader: (any ImageReader)?,
        _ memory: any MemoryGrant,
        after tried: CompoundProgress = CompoundProgress()
    ) throws(SerializationFailure) -> Answer {
        try withDecoded(response, content, memory) { (response, content) throws(SerializationFailure) in
            switch options.serializer {
            case .auto: try serialize(received(response, content, memory), content, with: nil, reader)
            case .one(let kind): try serialize(received(response, content, memory), content, with: kind, reader)
            case .compound(let kinds):
                try serialize(response, content, withFirstOf: kinds, reader, memory, after: tried)
            }
        }
    }

    /// Returns the declared media type, without evaluating the rest of the head.
    func declaredType(of response: UpstreamResponse) -> DeclaredType {
        var warnings = WarningList(max: 0)
        return .declared(by: response, options: options, warnings: &warnings)
    }

    /// Returns the message with the properties that are known from the head.
    func received(_ response: UpstreamResponse, _ content: Span<UInt8>?, _ memory: any MemoryGrant) -> ReceivedMessage {
        ReceivedMessage(response, contentBytes: content?.count, options: options, limits: limits, memory: memory)
    }

    /// Runs one serializer: validates the status, the presence of content and its type, then decodes the content.
    /// - Parameter kind: the serializer; `nil` if the media type selects it.
    func serialize(
        _ message: consuming ReceivedMessage,
        _ content: Span<UInt8>?,
        with kind: SerializerKind?,
        _ reader: (any ImageReader)?
    ) throws(SerializationFailure) -> Answer {
        var rejections = validator.statusRejection(of: message)
        guard let decoder = try decoder(for: &message, content, with: kind, &rejections) else {
            let kind = validator.serializerOfEmpty(message.type, for: kind)
            return Answer(emptyWith: kind, view: options.view, message)
        }
        let bytes: Span<UInt8>
        if let content { bytes = content } else { bytes = Span() }
        return try decode(bytes, of: message, with: decoder, reader, rejections)
    }

    /// Runs all steps before decoding, and returns the serializer that decodes the content.
    /// - Parameter rejections: the error of the status, if any. Further errors with which a value is possible are
    ///   added.
    /// - Returns: `nil` for an acceptable response with nothing to decode.
    @inline(__always)
    func decoder(
        for message: inout ReceivedMessage,
        _ content: Span<UInt8>?,
        with kind: SerializerKind?,
        _ rejections: inout RejectionChain
    ) throws(SerializationFailure) -> SerializerKind? {
        if let error = message.decodedCodings?.error { throw message.failure(rejections.wrapped(in: error)) }
        guard !validator.isEmpty(content, of: message, for: kind) else {
            if let content, !content.isEmpty { noteUnread(content, in: &message) }
            guard rejections.isEmpty else { throw message.failure(rejections) }
            return nil
        }
        let bytes: Span<UInt8>
        if let content { bytes = content } else { bytes = Span() }

        if message.bytes ?? 0 > limits.maxContentBytes {
            throw message.failure(rejections.wrapped(in: .contentTooLong(max: limits.maxContentBytes)))
        }

        switch validator.decision(for: kind, message.type, bytes) {
        case .decode(let kind): return kind
        case .unacceptable(let looksLike):
            rejections.append(validator.typeRejection(of: message, looksLike: looksLike, for: kind))
            // Content of a wrong type is never decoded. AFNetworking's `http` returns the raw content in addition to
            // the error.
            guard options.rules == .afnetworking, kind == .http else { throw message.failure(rejections) }
            return .http
        }
    }

    /// Warns of bytes in a response that has nothing to decode.
    private func noteUnread(_ content: Span<UInt8>, in message: inout ReceivedMessage) {
        if message.forbidsContent {
            message.warnings.append(Warning(.unexpectedContent(bytes: content.count)))
        } else if options.rules == .decant, case let (encoding, bytes) = UnicodeEncoding.detect(content), bytes > 0 {
            message.warnings.append(Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0)))
        }
    }

    /// Decodes the content into an answer or, if the status was rejected, into the value of a failure.
    private func decode(
        _ content: Span<UInt8>,
        of message: consuming ReceivedMessage,
        with kind: SerializerKind,
        _ reader: (any ImageReader)?,
        _ rejections: RejectionChain
    ) throws(SerializationFailure) -> Answer {
        let view = rejections.isEmpty ? options.view : .value
        let usualBytes = kind.serializer.reservation.responseBytes(forContentBytes: content.count)
        var writer = JSONWriter(capacity: usualBytes)
        writer.use(message.memory, after: usualBytes)
        view.open(kind, in: &writer)
        writer.limit(next: limits.maxOutputBytes)
        let start = writer.buffer.count
        var decoded: DecodedFacts
        do {
            decoded = try decode(content, of: &message, with: kind, reader, into: &writer)
            if !options.parts.areWhole {
                guard try writer.reduce(from: start, to: parts(after: rejections), &decoded, limits) else {
                    return Answer(lackingPart: kind, view: view, decoded, message)
                }
            }
        } catch { throw message.failure(rejections.wrapped(in: error)) }
        guard writer.finish(with: decoded.hints, headBytes: message.headBytes) else {
            throw message.failure(rejections.wrapped(in: .outOfMemory))
        }
        guard rejections.isEmpty else {
            // The value is copied into the failure, and from there into the problem.
            guard message.memory.grow(by: 2 * writer.buffer.count) else {
                throw message.failure(rejections.wrapped(in: .outOfMemory))
            }
            throw message.failure(rejections, value: Array(writer.buffer))
        }
        return Answer(kind, view: view, decoded, message, writer: writer)
    }

    /// Returns the parts of the value that are used. The value of a rejected response usually describes an error, and
    /// has other parts: nothing is selected from it.
    private func parts(after rejections: RejectionChain) -> ValueParts {
        var parts = options.parts
        if !rejections.isEmpty { parts.selected = .whole }
        return parts
    }

    /// Decodes the content, and writes the value.
    private func decode(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with kind: SerializerKind,
        _ reader: (any ImageReader)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> DecodedFacts {
        let serializer = kind.serializer
        if serializer.isText { message.warnOfDecodedText(under: options.rules) }
        let decoded = try serializer.read(content, of: &message, self, reader, into: &writer)
        guard !writer.isOverLimit else {
            throw writer.isOutOfMemory ? .outOfMemory : .outputTooLong(max: limits.maxOutputBytes)
        }
        return decoded
    }
}

/// The result of a serialization that does not wait.
public enum SerializationStep: ~Copyable, Sendable {
    case done(Answer)
    /// Another thread must call ``ResponseSerializer/serialize(_:content:after:reader:memory:)`` with a reader.
    case image(PendingImage)
}

/// A serialization that continues with a reader of images.
public struct PendingImage: Sendable {
    /// What is read.
    public let order: ImageOrder
    /// Whether other serializers may follow: those of a compound.
    public let mayContinue: Bool
    let progress: CompoundProgress

    init(order: ImageOrder, mayContinue: Bool = false, progress: CompoundProgress = CompoundProgress()) {
        self.order = order
        self.mayContinue = mayContinue
        self.progress = progress
    }
}
