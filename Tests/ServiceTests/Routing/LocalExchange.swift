import Serialization

@testable import Service

/// A request to the application and its answer, without a socket.
struct LocalExchange {
    var status: Int
    var fields: HeaderFields
    var content: String

    /// - Parameters:
    ///   - target: path and query.
    ///   - fields: alternating names and values.
    init(
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        content: String = "",
        to application: some Application
    ) throws(FramingError) {
        let head = RequestHead(
            method: method,
            target: try RequestTarget(parsing: target.utf8.span),
            fields: HeaderFields(fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }),
            declaredContentBytes: content.utf8.count,
            requestID: .given("0190163d-8694-739b-aea5-966c26f8ad91")
        )
        switch application.plan(for: head) {
        case .refuse(let response): self.init(response)
        case .accept(let maxContentBytes, let answer):
            guard content.utf8.count <= maxContentBytes else {
                self.init(application.refuse(.contentTooLarge(maxBytes: maxContentBytes), requestID: head.requestID))
                return
            }
            self.init(answer(content.utf8.span))
        case .acceptOnLanes(let maxContentBytes, let answer):
            guard content.utf8.count <= maxContentBytes else {
                self.init(application.refuse(.contentTooLarge(maxBytes: maxContentBytes), requestID: head.requestID))
                return
            }
            switch answer(content.utf8.span, .compute) {
            case .answered(let response): self.init(response)
            case .handOn: self.init(application.refuse(.saturated, requestID: head.requestID))
            }
        }
    }

    private init(_ response: borrowing Response) {
        status = response.status
        fields = HeaderFields(response.fields)
        if let contentType = response.contentType { fields.append(name: "Content-Type", value: "\(contentType)") }
        if let nanoseconds = response.decodingNanoseconds {
            let timing = ServerTiming(decodingNanoseconds: nanoseconds)
            let text = timing.text.span.bytes.withCString { unsafe String(cString: $0) }
            fields.append(name: "\(ServerTiming.name)", value: text)
        }
        content = String(decoding: [UInt8](response.content), as: UTF8.self)
    }

    /// The first member `code`, which in a problem is the problem's own.
    var code: String? {
        content.firstMatch(of: /"code":"([^"]*)"/).map { String($0.1) }
    }
}
