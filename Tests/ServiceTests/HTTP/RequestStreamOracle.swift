import Serialization

@testable import HTTP

// Tests/Fuzz/build compiles this file and the oracles as one module.
#if canImport(Service)
    import FuzzOracles
#endif

/// Compares the service's parser of request streams with ``ModelRequestStream``.
enum RequestStreamOracle {
    /// Returns the first difference between the parser and the model, for a stream that is received as a whole and in
    /// pieces.
    static func violation(for bytes: [UInt8], _ cuts: [StreamCuts]) -> String? {
        let model = ModelRequestStream(reading: bytes).comparable
        for cuts in [.none] + cuts {
            for usesDirectReception in [false, true] {
                var reception = Reception(usesDirectReception: usesDirectReception)
                for piece in cuts.pieces(of: bytes) where reception.isOpen { reception.receive(piece) }
                let result = reception.finish()
                guard result != model || reception.breach != nil else { continue }
                let reason = reception.breach ?? difference(model, result)
                let pieces = cuts.offsets.isEmpty ? "whole" : "cut at \(cuts.offsets.prefix(50))"
                let mode = usesDirectReception ? ", content received directly" : ""
                return "\(reason)\nreceived \(pieces)\(mode): \(bytes.escaped(max: 2_000))"
            }
        }
        return nil
    }

    /// Describes the first difference between two results.
    private static func difference(_ model: ModelRequestStream, _ parser: ModelRequestStream) -> String {
        for (index, (expected, found)) in zip(model.requests, parser.requests).enumerated() where expected != found {
            return "request \(index): " + difference(expected, found)
        }
        if model.requests.count != parser.requests.count || model.end != parser.end {
            return "the model has \(model.requests.count) requests and ends with \(model.end), "
                + "the parser \(parser.requests.count) and \(parser.end)"
        }
        guard let expected = model.unfinished, let found = parser.unfinished else {
            return "one has an unfinished request: \(model.unfinished != nil), \(parser.unfinished != nil)"
        }
        return "unfinished request: " + difference(expected, found)
    }

    private static func difference(_ model: ModelRequest, _ parser: ModelRequest) -> String {
        guard model.content == parser.content else {
            let offset = zip(model.content, parser.content).enumerated().first { $1.0 != $1.1 }?.offset
            let difference = offset.map { "different at byte \($0)" } ?? "of different length"
            return "content is \(difference): \(model.content.count) and \(parser.content.count) bytes"
        }
        return "the model has \(model), the parser \(parser)"
    }
}

/// Receives the bytes of a connection like ``RequestInput``, without a socket.
private struct Reception: ~Copyable {
    /// The first violation of the parser's contract.
    private(set) var breach: String?

    private let usesDirectReception: Bool
    private var stream = RequestStream()
    private var window: [UInt8] = []
    private var result = ModelRequestStream()
    private var request: ModelRequest?
    private(set) var isOpen = true

    /// - Parameter usesDirectReception: whether content of known length bypasses the parser, as it does in
    ///   ``RequestInput``.
    init(usesDirectReception: Bool) {
        self.usesDirectReception = usesDirectReception
    }

    mutating func receive(_ piece: ArraySlice<UInt8>) {
        var piece = piece
        if usesDirectReception, let left = stream.contentBytesLeft {
            let direct = piece.prefix(left)
            stream.skipContent(direct.count)
            request?.content += direct
            piece = piece.dropFirst(direct.count)
        }
        // A buffer of the exact size, so that AddressSanitizer detects a read after its end.
        var window: [UInt8] = []
        window.reserveCapacity(self.window.count + piece.count)
        window += self.window
        window += piece
        var offset = 0
        while isOpen, read(window, &offset) {}
        self.window = Array(window[offset...])
    }

    /// Returns the result after the last byte.
    mutating func finish() -> ModelRequestStream {
        if isOpen {
            let isBetweenRequests = request == nil && !stream.isInsideHead && window.isEmpty
            result.end = isBetweenRequests ? .clean : .incomplete
        }
        result.unfinished = request
        return result
    }

    /// Reads one event.
    /// - Returns: whether another event may follow.
    private mutating func read(_ window: [UInt8], _ offset: inout Int) -> Bool {
        let start = offset
        let event = stream.next(in: window.span, at: &offset)
        check(offset >= start && offset <= window.count, "the offset moves to \(offset) from \(start)")
        switch event {
        case .incomplete:
            check(request == nil || offset == window.count, "content is left unread")
            return false
        case .head:
            check(request == nil, "a head follows content that is not complete")
            request = headOfStream()
            return true
        case .content(let range):
            let isInside = !range.isEmpty && range.lowerBound >= start && range.upperBound <= offset
            check(isInside && request != nil, "content at \(range) between \(start) and \(offset)")
            guard isInside else { return false }
            request?.content += window[range]
            return true
        case .complete:
            check(request != nil, "a request is complete that has no head")
            guard let request else { return false }
            result.requests.append(request)
            self.request = nil
            guard request.isPersistent else { return close(.closed) }
            return true
        case .rejected(let error):
            let again = stream.next(in: window.span, at: &offset)
            check(again == event, "\(again) follows \(event)")
            return close(.fault(ModelFault(error)))
        }
    }

    private mutating func close(_ end: ModelRequestStream.End) -> Bool {
        result.end = end
        isOpen = false
        return false
    }

    private mutating func check(_ condition: Bool, _ breach: @autoclosure () -> String) {
        guard !condition, self.breach == nil else { return }
        self.breach = breach()
        isOpen = false
    }

    /// Takes the head from the parser, like ``Exchange``.
    private mutating func headOfStream() -> ModelRequest {
        var request = ModelRequest()
        request.method = Array(stream.head.method.utf8)
        request.path = Array(stream.head.target.path.utf8)
        request.query = stream.head.target.query.map { Array($0.utf8) }
        request.minorVersion = stream.head.isHTTP10 ? 0 : 1
        request.declaredContentBytes = stream.head.framing.declaredContentBytes
        request.isChunked = stream.head.framing.isChunked
        request.isPersistent = stream.head.framing.isPersistent
        request.awaitsContinue = stream.head.framing.awaitsContinue
        let fields = stream.takeFields()
        fields.forEach { _, name, value in
            request.fields.append(.init(name: name.bytes, value: value.bytes))
        }
        stream.returnFields(fields)
        return request
    }
}

extension ModelRequestStream {
    /// The parts of the result that the parser also reports.
    fileprivate var comparable: ModelRequestStream {
        var stream = self
        for index in stream.requests.indices { stream.requests[index].target = [] }
        stream.unfinished?.target = []
        if case .fault(let fault) = end { stream.end = .fault(fault.repaired) }
        return stream
    }
}

extension ModelFault {
    /// The fault with its text as valid UTF-8.
    var repaired: ModelFault {
        switch self {
        case .whitespaceBeforeColon(let name): .whitespaceBeforeColon(name: name.repaired)
        case .unsupportedTransferEncoding(let value): .unsupportedTransferEncoding(value.repaired)
        default: self
        }
    }

    init(_ error: FramingError) {
        switch error {
        case .irregularRequestLine: self = .irregularRequestLine
        case .invalidMethod: self = .invalidMethod
        case .unsupportedVersion: self = .unsupportedVersion
        case .invalidTarget(let offset): self = .invalidTarget(offset: offset)
        case .targetTooLong: self = .targetTooLong
        case .irregularFieldLine(let index): self = .irregularFieldLine(index: index)
        case .whitespaceBeforeColon(let name): self = .whitespaceBeforeColon(name: Array(name.utf8))
        case .invalidFieldName(let index): self = .invalidFieldName(index: index)
        case .invalidFieldValue(let name, let byte): self = .invalidFieldValue(name: Array(name.utf8), byte: byte)
        case .headTooLarge: self = .headTooLarge
        case .missingHost: self = .missingHost
        case .repeatedHost: self = .repeatedHost
        case .invalidHost: self = .invalidHost
        case .invalidContentLength: self = .invalidContentLength
        case .repeatedContentLength: self = .repeatedContentLength
        case .contentLengthWithTransferEncoding: self = .contentLengthWithTransferEncoding
        case .unsupportedTransferEncoding(let value): self = .unsupportedTransferEncoding(Array(value.utf8))
        case .transferEncodingInHTTP10: self = .transferEncodingInHTTP10
        case .malformedChunk: self = .malformedChunk
        case .chunkOverheadTooLarge: self = .chunkOverheadTooLarge
        }
    }
}

extension [UInt8] {
    fileprivate var repaired: [UInt8] { Array(String(decoding: self, as: UTF8.self).utf8) }

    /// Returns at most `max` bytes as a Swift literal.
    func escaped(max: Int) -> String {
        var text = "\""
        for byte in prefix(max) {
            switch byte {
            case 13: text += "\\r"
            case 10: text += "\\n"
            case 9: text += "\\t"
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\" + String(Unicode.Scalar(byte))
            case 0x20..<0x7F: text += String(Unicode.Scalar(byte))
            default: text += "\\u{\(String(byte, radix: 16))}"
            }
        }
        return text + "\"" + (count > max ? "… (\(count) bytes)" : "")
    }
}

extension Span<UInt8> {
    var bytes: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
