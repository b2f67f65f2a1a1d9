import FuzzOracles
import Serialization

@testable import HTTP
@testable import Service

/// Responds with a description of the request that it received. The same description can be computed from the model's
/// request.
///
/// The responses to a quarter of the requests are computed on the compute lane, so that their connections are
/// suspended.
struct DescribingApplication: Application {
    static let maxContentBytes = 8 << 20

    func plan(for head: borrowing RequestHead) -> Plan {
        var request = ModelRequest()
        request.method = Array(head.method.utf8)
        request.path = Array(head.target.path.utf8)
        request.query = head.target.query.map { Array($0.utf8) }
        request.declaredContentBytes = head.declaredContentBytes
        head.fields.forEach { _, name, value in
            request.fields.append(.init(name: name.bytes, value: value.bytes))
        }
        let description = request.headDescription
        let isAnsweredInline = request.isAnsweredInline
        let decision = Plan.Decision.accept(maxContentBytes: Self.maxContentBytes) {
            (content, keep) throws(RejectionReason) in
            guard !isAnsweredInline else { return .done(Self.response(200, description + Self.summary(of: content))) }
            let content = try keep()
            return .next(
                on: .compute {
                    .done(Self.response(200, description + content.withBytes { Self.summary(of: $0) }))
                }
            )
        }
        return Plan(endpoint: .none, decision: decision)
    }

    private static func summary(of content: Span<UInt8>) -> [UInt8] {
        content.withUnsafeBufferPointer { ModelRequest.contentDescription(UnsafeRawBufferPointer($0)) }
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        let status = Problem(reason).status
        guard case .malformedFraming(let error) = reason else {
            return Self.response(status, Array("\(reason)".utf8))
        }
        return Self.response(status, Array("\(ModelFault(error))".utf8))
    }

    private static func response(_ status: Int, _ text: [UInt8]) -> Response {
        var content = OutputBuffer()
        content.append(contentsOf: text)
        return Response(status: status, contentType: "text/plain", content: content)
    }
}

extension ModelRequest {
    /// The description with which ``DescribingApplication`` responds.
    var description: [UInt8] {
        headDescription + content.withUnsafeBytes { Self.contentDescription($0) }
    }

    fileprivate var headDescription: [UInt8] {
        var text = method + [10] + path + [10]
        text += query.map { Array("?".utf8) + $0 } ?? Array("no query".utf8)
        text += Array("\n\(declaredContentBytes ?? -1)\n".utf8)
        for field in fields { text += field.name + Array(": ".utf8) + field.value + [10] }
        return text
    }

    fileprivate var isAnsweredInline: Bool {
        headDescription.reduce(0) { $0 &+ Int($1) } % 4 != 0
    }

    /// Returns the length and the hash of the content. The hash of the same content is constant within a process.
    fileprivate static func contentDescription(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        var hasher = Hasher()
        hasher.combine(bytes: content)
        return Array("\(content.count) bytes, hash \(hasher.finalize())".utf8)
    }
}

/// A response that a client must receive.
struct ExpectedResponse {
    var status: Int
    var content: [UInt8]
    /// Whether the response has no content, because the request is HEAD.
    var isToHead: Bool
    /// Whether a 100 may precede it.
    var mayContinue: Bool
    /// Whether the response must have `Connection: close`.
    var closes: Bool
}

extension ModelRequestStream {
    /// The responses that ``DescribingApplication`` must send.
    var expectedResponses: [ExpectedResponse] {
        var responses = requests.map { request in
            ExpectedResponse(
                status: 200,
                content: request.description,
                isToHead: request.isHead,
                mayContinue: request.awaitsContinue,
                closes: !request.isPersistent
            )
        }
        if let rejection {
            let isToHead = unfinished?.isHead ?? false
            let mayContinue = unfinished?.awaitsContinue ?? false
            responses.append(
                ExpectedResponse(
                    status: rejection.status,
                    content: Array(rejection.text.utf8),
                    isToHead: isToHead,
                    mayContinue: mayContinue,
                    closes: true
                )
            )
        }
        return responses
    }

    private var rejection: (status: Int, text: String)? {
        switch end {
        case .fault(let fault):
            return (fault.status, "\(fault.repaired)")
        case .incomplete:
            // Content that is too long is rejected immediately if the client waits for a 100, or if the content is too
            // long to be discarded.
            let max = DescribingApplication.maxContentBytes
            guard let unfinished, let length = unfinished.declaredContentBytes, length > max,
                unfinished.awaitsContinue || length > HTTPServerConfiguration().maxDiscardedBytes
            else { return nil }
            return (413, "\(RejectionReason.contentTooLarge(maxBytes: max))")
        case .clean, .closed:
            return nil
        }
    }
}

extension ModelRequest {
    fileprivate var isHead: Bool { method == Array("HEAD".utf8) }
}

extension ModelFault {
    /// The status of the rejection, as defined by the specification and RFC 9110 §15.
    fileprivate var status: Int {
        switch self {
        case .targetTooLong: 414
        case .headTooLarge: 431
        case .unsupportedTransferEncoding: 501
        case .unsupportedVersion: 505
        default: 400
        }
    }
}
