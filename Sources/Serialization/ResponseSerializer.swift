/// Turns the response of an upstream into normalized JSON: validate, then decode.
///
/// Hermetic: no clock, no file, no log. The same input gives the same bytes. A class, so that passing it on costs one
/// reference count and not one for each option.
public final class ResponseSerializer: Sendable {
    public let options: SerializationOptions
    public let limits: Limits
    let validator: ResponseValidator

    /// What decodes pixels; nil where nothing does.
    public let renderer: (any ImageRenderer)?

    public init(
        options: SerializationOptions = SerializationOptions(),
        limits: Limits = Limits(),
        renderer: (any ImageRenderer)? = nil
    ) {
        self.options = options
        // Every request has a serializer; hardly any has limits of its own.
        self.limits = limits == Limits() ? limits : limits.bounded
        self.renderer = renderer
        validator = ResponseValidator(options: options)
    }

    /// Validates and decodes one response; where pixels are needed, waits for them.
    /// - Parameters:
    ///   - content: the content as it came; nil means there was no data at all, which is not the same as zero bytes.
    ///   - memory: the source of memory beyond ``memoryBytes(for:of:)``; `nil` if it is not limited.
    /// - Throws: the whole chain of what was refused.
    public func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: (any MemoryGrant)? = nil
    ) throws(SerializationFailure) -> Answer {
        try serialize(response, content, renderer, memory)
    }

    /// The same with another renderer than ``renderer``, for this response alone.
    public func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        renderer: any ImageRenderer,
        memory: (any MemoryGrant)? = nil
    ) throws(SerializationFailure) -> Answer {
        try serialize(response, content, renderer, memory)
    }

    /// Validates and decodes one response unless that needs pixels, which is found out before anything takes long.
    /// - Returns: nil where it needs them: then ``serialize(_:content:renderer:)`` is to be called, by a thread that may wait.
    /// - Throws: the whole chain of what was refused.
    public func serializeAtOnce(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: (any MemoryGrant)? = nil
    ) throws(SerializationFailure) -> Answer? {
        do {
            return try serialize(response, content, renderer == nil ? nil : DeferringRenderer.shared, memory)
        } catch {
            guard error.isDeferred else { throw error }
            return nil
        }
    }

    private func serialize(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>?,
        _ renderer: (any ImageRenderer)?,
        _ memory: (any MemoryGrant)?
    ) throws(SerializationFailure) -> Answer {
        try withDecoded(response, content, memory) { (response, content) throws(SerializationFailure) in
            try serialize(decoded: response, content, renderer, memory)
        }
    }

    private func serialize(
        decoded response: UpstreamResponse,
        _ content: Span<UInt8>?,
        _ renderer: (any ImageRenderer)?,
        _ memory: (any MemoryGrant)?
    ) throws(SerializationFailure) -> Answer {
        switch options.serializer {
        case .auto: try serialize(received(response, content, memory), content, with: nil, renderer)
        case .one(let kind): try serialize(received(response, content, memory), content, with: kind, renderer)
        case .compound(let kinds): try serialize(response, content, withFirstOf: kinds, renderer, memory)
        }
    }

    /// The media type alone, without what else the head says.
    func declaredType(of response: UpstreamResponse) -> DeclaredType {
        var warnings = WarningList(max: 0)
        return .declared(by: response, options: options, warnings: &warnings)
    }

    /// What the head says.
    func received(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>?,
        _ memory: (any MemoryGrant)? = nil
    ) -> ReceivedMessage {
        ReceivedMessage(response, contentBytes: content?.count, options: options, limits: limits, memory: memory)
    }

    /// One serializer's way: is the status acceptable, is there content, is its type acceptable, does it decode?
    /// - Parameter kind: nil lets the type choose.
    func serialize(
        _ message: consuming ReceivedMessage,
        _ content: Span<UInt8>?,
        with kind: SerializerKind?,
        _ renderer: (any ImageRenderer)?
    ) throws(SerializationFailure) -> Answer {
        var refusals = validator.refusalOfStatus(of: message)
        guard let decoder = try decoder(for: &message, content, with: kind, &refusals) else {
            let kind = validator.serializerOfEmpty(message.type, for: kind)
            return Answer(emptyWith: kind, view: options.view, message)
        }
        let bytes: Span<UInt8>
        if let content { bytes = content } else { bytes = Span() }
        return try decode(bytes, of: message, with: decoder, renderer, refusals)
    }

    /// Everything up to the decoding.
    /// - Parameter refusals: what was said of the status; what else may be beside a value is added.
    /// - Returns: nil for an acceptable response with nothing to decode.
    @inline(__always)
    func decoder(
        for message: inout ReceivedMessage,
        _ content: Span<UInt8>?,
        with kind: SerializerKind?,
        _ refusals: inout RefusalChain
    ) throws(SerializationFailure) -> SerializerKind? {
        if let error = message.undoneCodings?.error { throw message.failure(refusals.wrapped(in: error)) }
        guard !validator.isEmpty(content, of: message, for: kind) else {
            if let content, !content.isEmpty { noteUnread(content, in: &message) }
            guard refusals.isEmpty else { throw message.failure(refusals) }
            return nil
        }
        let bytes: Span<UInt8>
        if let content { bytes = content } else { bytes = Span() }

        if message.bytes ?? 0 > limits.maxContentBytes {
            throw message.failure(refusals.wrapped(in: .contentTooLong(max: limits.maxContentBytes)))
        }

        switch validator.decision(for: kind, message.type, bytes) {
        case .decode(let kind):
            return kind
        case .unacceptable(let looksLike):
            refusals.append(validator.refusedType(of: message, looksLike: looksLike, for: kind))
            // A wrong type is never decoded. AFNetworking's `http` gives the raw content beside the error.
            guard options.rules == .afnetworking, kind == .http else { throw message.failure(refusals) }
            return .http
        }
    }

    /// Says what came where there was nothing to decode.
    private func noteUnread(_ content: Span<UInt8>, in message: inout ReceivedMessage) {
        if message.forbidsContent {
            message.warnings.append(Warning(.unexpectedContent(bytes: content.count)))
        } else if options.rules == .decant, case let (encoding, bytes) = UnicodeEncoding.detect(content), bytes > 0 {
            message.warnings.append(
                Warning(.byteOrderMark(encoding: encoding.rawValue), at: SourceLocation(byte: 0))
            )
        }
    }

    /// The last step: an answer, or beside a refused status the value alone.
    private func decode(
        _ content: Span<UInt8>,
        of message: consuming ReceivedMessage,
        with kind: SerializerKind,
        _ renderer: (any ImageRenderer)?,
        _ refusals: RefusalChain
    ) throws(SerializationFailure) -> Answer {
        let view = refusals.isEmpty ? options.view : .value
        let usualBytes = responseBytes(forContentBytes: content.count, kind)
        var writer = JSONWriter(capacity: usualBytes)
        let reservedBytes = message.memory == nil ? .max : usualBytes + markupResponseBytes(of: content, kind)
        writer.use(message.memory, after: reservedBytes)
        view.open(kind, in: &writer)
        writer.limit(next: limits.maxOutputBytes)
        let decoded: Decoded
        do {
            decoded = try decode(content, of: &message, with: kind, renderer, into: &writer)
        } catch {
            throw message.failure(refusals.wrapped(in: error))
        }
        guard writer.finish(with: decoded.hints, headBytes: message.headBytes) else {
            throw message.failure(refusals.wrapped(in: .outOfMemory))
        }
        guard refusals.isEmpty else { throw message.failure(refusals, value: Array(writer.buffer)) }
        return Answer(
            kind,
            view: view,
            nullsDropped: decoded.nullsDropped,
            hints: decoded.hints,
            message,
            writer: writer
        )
    }

    /// What was learnt besides the value.
    private struct Decoded {
        /// Nulls left out.
        var nullsDropped = 0
        /// Text of the JSON object that says the source's types; nil where there is nothing to say.
        var hints: [UInt8]?
    }

    /// Writes the value.
    private func decode(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        with kind: SerializerKind,
        _ renderer: (any ImageRenderer)?,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> Decoded {
        var decoded = Decoded()
        switch kind {
        case .http:
            let charset = message.type.charset
            message.charset = try RawContent.write(content, charset: charset, into: &writer, limits: limits)
            message.warnOfMismatch(content)
        case .json:
            do {
                let summary = try JSONReader.read(
                    content,
                    options: options.jsonOptions(for: message.type, limits: limits),
                    memory: message.memory,
                    charset: options.rules == .afnetworking ? nil : message.type.charset,
                    into: &writer,
                    warnings: &message.warnings
                )
                message.charset = summary.encoding
                decoded.nullsDropped = summary.nullsDropped
            } catch {
                if error.reason == .outOfMemory { throw .outOfMemory }
                message.noteMismatch(content)
                throw .json(error)
            }
        case .xml:
            decoded.hints = try readXML(content, of: &message, .compact, into: &writer)
        case .xmlDocument:
            decoded.hints = try readXML(content, of: &message, .document, into: &writer)
        case .plist:
            do {
                let summary = try PropertyListReader.read(
                    content,
                    options: options.propertyListOptions(
                        for: message.type,
                        limits: limits,
                        memory: message.memory
                    ),
                    charset: options.rules == .afnetworking ? nil : message.type.charset,
                    into: &writer,
                    warnings: &message.warnings
                )
                message.charset = summary.charset
                decoded.nullsDropped = summary.nullsDropped
                decoded.hints = summary.hints
            } catch {
                if error.reason == .outOfMemory { throw .outOfMemory }
                message.noteMismatch(content)
                throw .plist(error)
            }
        case .image:
            do {
                try readImage(content, of: &message, with: renderer, into: &writer)
            } catch {
                throw .image(error)
            }
        }
        guard !writer.isOverLimit else {
            throw writer.isOutOfMemory ? .outOfMemory : .outputTooLong(max: limits.maxOutputBytes)
        }
        return decoded
    }

    /// - Returns: the source's types, as ``Decoded/hints``.
    private func readXML(
        _ content: Span<UInt8>,
        of message: inout ReceivedMessage,
        _ form: XMLReader.Options.Form,
        into writer: inout JSONWriter
    ) throws(SerializationError) -> [UInt8]? {
        do {
            let summary = try XMLReader.read(
                content,
                options: options.xmlOptions(form, limits: limits, memory: message.memory),
                charset: options.rules == .afnetworking ? nil : message.type.charset,
                into: &writer,
                warnings: &message.warnings
            )
            message.charset = summary.encoding
            message.xml = summary.facts
            return summary.hints
        } catch {
            if error.reason == .outOfMemory { throw .outOfMemory }
            message.noteMismatch(content)
            throw .xml(error)
        }
    }
}
