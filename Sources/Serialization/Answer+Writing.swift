// The frame around a value, written into the buffer that the value is written into: first what stands before it, then
// the value by its reader, then what stands after it. So no value is ever copied.

extension AnswerView {
    /// Writes what stands before the value of a serializer, without a comma or a limit of its own.
    func open(_ kind: SerializerKind, in writer: inout JSONWriter) {
        switch self {
        case .full: writer.openFrame(.value, kind)
        case .value: break
        }
    }
}

extension Answer {
    /// An acceptable response with nothing to decode.
    init(emptyWith kind: SerializerKind, view: AnswerView, _ message: consuming ReceivedMessage) {
        var writer = JSONWriter()
        switch view {
        case .full:
            writer.openFrame(.empty, kind)
            writer.null()
            writer.closeFrame(nullsDropped: 0, hints: nil, message)
        case .value:
            break
        }
        self.init(
            outcome: .empty,
            serializer: kind,
            nullsDropped: 0,
            message: message,
            json: writer.buffer
        )
    }

    /// A value that `writer` holds after the opening of `view`.
    init(
        _ kind: SerializerKind,
        view: AnswerView,
        nullsDropped: Int,
        hints: [UInt8]? = nil,
        _ message: consuming ReceivedMessage,
        writer: consuming JSONWriter
    ) {
        switch view {
        case .full:
            writer.closeFrame(nullsDropped: nullsDropped, hints: hints, message)
        case .value:
            break
        }
        self.init(
            outcome: .value,
            serializer: kind,
            nullsDropped: nullsDropped,
            message: message,
            json: writer.buffer
        )
    }
}

extension JSONWriter {
    /// Lets `bytes` more be written after what stands here already.
    mutating func limit(next bytes: Int) {
        maxBytes = bytes < .max - buffer.count ? buffer.count + bytes : .max
    }

    /// Ends the limit, which was the value's, and asks for the memory for what the frame repeats of `hints` and of the header fields.
    /// - Parameter headBytes: what the header fields may take in the frame, in bytes.
    /// - Returns: false if there is none.
    mutating func finish(with hints: [UInt8]?, headBytes: Int) -> Bool {
        guard hasMemory(for: (hints?.count ?? 0) + headBytes) else { return false }
        maxBytes = .max
        // What is left to write is short.
        use(nil, after: 0)
        return true
    }

    fileprivate mutating func openFrame(_ outcome: Answer.Outcome, _ kind: SerializerKind) {
        // Nothing but constants: two copies instead of twenty writes.
        switch outcome {
        case .value: buffer.append(#"{"outcome":"value","serializer":"#)
        case .empty: buffer.append(#"{"outcome":"empty","serializer":"#)
        }
        switch kind {
        case .http: buffer.append(#""http","value":"#)
        case .json: buffer.append(#""json","value":"#)
        case .xml: buffer.append(#""xml","value":"#)
        case .xmlDocument: buffer.append(#""xml-document","value":"#)
        case .plist: buffer.append(#""plist","value":"#)
        case .image: buffer.append(#""image","value":"#)
        }
        needsComma = false
    }

    fileprivate mutating func closeFrame(
        nullsDropped: Int,
        hints: [UInt8]?,
        _ message: borrowing ReceivedMessage
    ) {
        if nullsDropped > 0 {
            name("nullsDropped")
            integer(nullsDropped)
        }
        if let hints {
            name("hints")
            raw(hints)
        }
        if message.hasUsualFacts, let bytes = message.bytes {
            // The constants of most responses, in one copy.
            buffer.append(
                #","upstream":{"status":200,"statusAssumed":true,"mediaType":"application/json","charset":"utf-8","bytes":"#
            )
            needsComma = false
            integer(bytes)
            endObject()
        } else {
            name("upstream")
            upstream(message.facts)
        }
        let warnings = message.warnings.warnings
        if !warnings.isEmpty {
            name("warnings")
            self.warnings(warnings)
        }
        endObject()
    }
}
