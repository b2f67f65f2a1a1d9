import Images
import Serialization

@testable import HTTP
@testable import Service

/// A request to the application and its response, without a socket.
struct LocalExchange {
    var status: Int
    var fields: HeaderFields
    var content: String

    /// - Parameters:
    ///   - target: the path and the query.
    ///   - fields: the names and values in alternation.
    init(
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        content: String = "",
        to application: some Application
    ) throws(FramingError) {
        try self.init(method, target, fields: fields, content: Array(content.utf8), to: application)
    }

    init(
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        content bytes: [UInt8],
        to application: some Application
    ) throws(FramingError) {
        let head = RequestHead(
            method: method,
            target: try RequestTarget(parsing: target.utf8.span),
            fields: HeaderFields(fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }),
            declaredContentBytes: bytes.count,
            requestID: .given("0190163d-8694-739b-aea5-966c26f8ad91")
        )
        switch application.plan(for: head).decision {
        case .respond(let response): self.init(response)
        case .accept(let maxContentBytes, let firstStep):
            do throws(RejectionReason) {
                guard bytes.count <= maxContentBytes else { throw .contentTooLarge(maxBytes: maxContentBytes) }
                var step = try firstStep(bytes.span) { () throws(RejectionReason) in OwnedContent(bytes) }
                while true {
                    switch consume step {
                    case .done(let response):
                        self.init(response)
                        return
                    case .next(on: .compute(let next)): step = next()
                    case .next(on: .factsStep(let next)): step = next(ImageContentReader())
                    case .next(on: .pixelsStep(let next)): step = next(ImageContentReader())
                    case .park: throw .saturated
                    }
                }
            } catch {
                self.init(application.response(rejecting: error, requestID: head.requestID))
            }
        }
    }

    private init(_ response: borrowing Response) {
        status = response.status
        fields = HeaderFields(response.fields)
        if let contentType = response.contentType { fields.append(name: "Content-Type", value: "\(contentType)") }
        content = String(decoding: response.content.bytes, as: UTF8.self)
    }

    /// The value of the first member `code`, which in a problem is its own code.
    var code: String? {
        content.firstMatch(of: /"code":"([^"]*)"/).map { String($0.1) }
    }
}

extension OwnedContent {
    convenience init(_ bytes: [UInt8]) {
        var buffer = ContentBuffer(declaredBytes: bytes.count, account: MemoryAccount(maxBytes: 1 << 40))
        _ = buffer.append(bytes.span)
        self.init(buffer)
    }
}

extension ResponseContent {
    /// A copy of all bytes.
    var bytes: [UInt8] {
        switch self {
        case .buffer(let buffer): [UInt8](buffer)
        case .shared(let content): content.bytes
        }
    }
}
