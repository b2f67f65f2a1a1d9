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
    init(emptyWith kind: SerializerKind, view: AnswerView, upstream: UpstreamFacts, warnings: [Warning]) {
        var writer = JSONWriter()
        switch view {
        case .full:
            writer.openFrame(.empty, kind)
            writer.null()
            writer.closeFrame(nullsDropped: 0, hints: nil, upstream, warnings)
        case .value:
            break
        }
        self.init(
            outcome: .empty,
            serializer: kind,
            nullsDropped: 0,
            upstream: upstream,
            warnings: warnings,
            json: writer.buffer
        )
    }

    /// A value that `writer` holds after the opening of `view`.
    init(
        _ kind: SerializerKind,
        view: AnswerView,
        nullsDropped: Int,
        hints: [UInt8]? = nil,
        upstream: UpstreamFacts,
        warnings: [Warning],
        writer: consuming JSONWriter
    ) {
        switch view {
        case .full:
            // The limit was the value's.
            writer.maxBytes = .max
            writer.closeFrame(nullsDropped: nullsDropped, hints: hints, upstream, warnings)
        case .value:
            break
        }
        self.init(
            outcome: .value,
            serializer: kind,
            nullsDropped: nullsDropped,
            upstream: upstream,
            warnings: warnings,
            json: writer.buffer
        )
    }
}

extension JSONWriter {
    /// Lets `bytes` more be written after what stands here already.
    mutating func limit(next bytes: Int) {
        maxBytes = bytes < .max - buffer.count ? buffer.count + bytes : .max
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
        _ facts: UpstreamFacts,
        _ warnings: [Warning]
    ) {
        if nullsDropped > 0 {
            name("nullsDropped")
            integer(nullsDropped)
        }
        if let hints {
            name("hints")
            raw(hints)
        }
        name("upstream")
        upstream(facts)
        if !warnings.isEmpty {
            name("warnings")
            self.warnings(warnings)
        }
        endObject()
    }
}
