// The envelope around a value is written into the same buffer as the value: first the members before it, then the value
// by its reader, then the members after it. Values are therefore never copied.

extension AnswerView {
    /// Writes the part of the response that precedes the value of a serializer, without a comma or a limit of its own.
    func open(_ kind: SerializerKind, in writer: inout JSONWriter) {
        switch self {
        case .full: writer.openFrame(.value, kind)
        case .value: break
        }
    }
}

extension Answer {
    /// Creates the answer for an acceptable response without content to decode, or without the selected part.
    /// - Parameter nullsDropped: The number of nulls that were removed from the value that lacks the part.
    private init(
        emptyWith kind: SerializerKind,
        view: AnswerView,
        nullsDropped: Int,
        _ message: consuming ReceivedMessage
    ) {
        var writer = JSONWriter()
        var upstreamRange: Range<Int>?
        switch view {
        case .full:
            writer.openFrame(.empty, kind)
            writer.null()
            upstreamRange = writer.closeFrame(nullsDropped: nullsDropped, omitted: 0, hints: nil, message)
        case .value: break
        }
        self.init(
            outcome: .empty,
            serializer: kind,
            nullsDropped: nullsDropped,
            message: message,
            upstreamRange: upstreamRange,
            json: writer.buffer
        )
    }

    /// Creates the answer for an acceptable response without content to decode.
    init(emptyWith kind: SerializerKind, view: AnswerView, _ message: consuming ReceivedMessage) {
        self.init(emptyWith: kind, view: view, nullsDropped: 0, message)
    }

    /// Creates the answer for a value without the selected part.
    init(
        lackingPart kind: SerializerKind,
        view: AnswerView,
        _ decoded: DecodedFacts,
        _ message: consuming ReceivedMessage
    ) {
        self.init(emptyWith: kind, view: view, nullsDropped: decoded.nullsDropped, message)
        lacksPart = true
    }

    /// Creates the answer for a value that `writer` contains after the opening of `view`.
    init(
        _ kind: SerializerKind,
        view: AnswerView,
        _ decoded: DecodedFacts,
        _ message: consuming ReceivedMessage,
        writer: consuming JSONWriter
    ) {
        var upstreamRange: Range<Int>?
        switch view {
        case .full:
            upstreamRange = writer.closeFrame(
                nullsDropped: decoded.nullsDropped,
                omitted: decoded.omitted ?? 0,
                hints: decoded.hints,
                message
            )
        case .value: break
        }
        self.init(
            outcome: .value,
            serializer: kind,
            nullsDropped: decoded.nullsDropped,
            message: message,
            upstreamRange: upstreamRange,
            json: writer.buffer
        )
        omitted = decoded.omitted ?? 0
    }
}

extension JSONWriter {
    /// Sets the limit to the current length plus `bytes`.
    mutating func limit(next bytes: Int) { maxBytes = bytes < .max - buffer.count ? buffer.count + bytes : .max }

    /// Lifts the limit, which applied to the value, and requests the memory for the copies of `hints` and of the header
    /// fields in the envelope.
    /// - Parameter headBytes: The maximum length of the header fields in the envelope, in bytes.
    /// - Returns: `false` if there is no memory.
    mutating func finish(with hints: [UInt8]?, headBytes: Int) -> Bool {
        guard reserveMemory(for: (hints?.count ?? 0) + headBytes) else { return false }
        maxBytes = .max
        // The remaining part is short.
        use(.unlimited, after: .max)
        return true
    }

    fileprivate mutating func openFrame(_ outcome: Answer.Outcome, _ kind: SerializerKind) {
        // These are constants only: three copies instead of twenty writes.
        switch outcome {
        case .value: buffer.append(#"{"outcome":"value","serializer":""#)
        case .empty: buffer.append(#"{"outcome":"empty","serializer":""#)
        }
        buffer.append(kind.rawValue.utf8.span)
        buffer.append(#"","value":"#)
        needsComma = false
    }

    /// Returns the positions of the object `upstream`.
    fileprivate mutating func closeFrame(
        nullsDropped: Int,
        omitted: Int,
        hints: [UInt8]?,
        _ message: borrowing ReceivedMessage
    ) -> Range<Int> {
        if nullsDropped > 0 { member("nullsDropped", nullsDropped) }
        if omitted > 0 { member("omitted", omitted) }
        if let hints {
            name("hints")
            raw(hints)
        }
        let start: Int
        if message.hasUsualFacts, let bytes = message.bytes {
            start = buffer.count + #","upstream":"#.utf8.count
            // The constants of most responses, in one copy.
            buffer.append(
                """
                ,"upstream":{"status":200,"statusAssumed":true,"mediaType":"application/json","charset":"utf-8",\
                "bytes":
                """
            )
            needsComma = false
            integer(bytes)
            endObject()
        } else {
            name("upstream")
            start = buffer.count
            upstream(message.facts)
        }
        let range = start..<buffer.count
        let warnings = message.warnings.warnings
        if !warnings.isEmpty {
            name("warnings")
            self.warnings(warnings)
        }
        endObject()
        return range
    }
}
