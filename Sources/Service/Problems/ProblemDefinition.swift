/// The definition of a kind of problem (RFC 9457 §4): one per ``ProblemCode``.
struct ProblemDefinition: Sendable {
    let type: ProblemType
    /// What the code means, for its page at `/problems/{code}`.
    let meaning: String
    /// What a caller can do, for the same page.
    let remedy: String
}

/// The part of a definition that each response with the problem contains.
struct ProblemType: Sendable {
    /// The status code of the HTTP response.
    let status: Int
    /// The title, which is the same for every occurrence (RFC 9457 §3.1.3).
    let title: String
    let domain: ErrorDomain
    /// The number in ``domain``. In the domains of AFNetworking, it is the number that AFNetworking uses.
    let domainCode: Int
    let stage: Stage
    let cause: Cause
    /// Whether the same request can succeed later. For ``ProblemCode/unacceptableStatus``, the status decides.
    private(set) var isRetryable = false

    /// The step that rejected the response or the request.
    enum Stage: String, Sendable, CaseIterable {
        /// Reading the request.
        case request
        /// Requesting the upstream's response.
        case fetch
        /// Checking status and media type.
        case validation
        /// Decoding content codings.
        case coding
        /// Reading the content.
        case decoding
        /// Running the service.
        case service
    }

    /// What failed, which a caller branches on first.
    enum Cause: String, Sendable, CaseIterable {
        /// The upstream responded with a status that is not acceptable.
        case status = "upstream-status"
        /// The content of the upstream response cannot be decoded.
        case content
        /// The media type of the upstream response is not acceptable, or not that of the content.
        case type
        /// The request to the service is wrong.
        case request
        /// The request is not permitted.
        case access
        /// A limit of the service or of the request was exceeded.
        case limit
        /// The upstream resource could not be requested.
        case fetch
        /// The service cannot process any such request now.
        case service
    }

    init(_ status: Int, _ title: String, _ domain: ErrorDomain, _ domainCode: Int, stage: Stage, cause: Cause) {
        self.status = status
        self.title = title
        self.domain = domain
        self.domainCode = domainCode
        self.stage = stage
        self.cause = cause
    }

    /// A problem that passes, so that the same request can succeed later.
    static func temporary(
        _ status: Int,
        _ title: String,
        _ domain: ErrorDomain,
        _ domainCode: Int,
        stage: Stage,
        cause: Cause
    ) -> ProblemType {
        var type = ProblemType(status, title, domain, domainCode, stage: stage, cause: cause)
        type.isRetryable = true
        return type
    }

    /// An error of the request to Decant.
    static func request(_ status: Int, _ title: String, _ domainCode: Int) -> ProblemType {
        ProblemType(status, title, .request, domainCode, stage: .request, cause: .request)
    }

    /// An error of the message that contains the upstream response.
    static func message(_ title: String, _ domainCode: Int) -> ProblemType {
        ProblemType(400, title, .message, domainCode, stage: .request, cause: .request)
    }

    /// A JSON or property list error. 3840 is `NSPropertyListReadCorruptError`, which Foundation's JSON parser uses
    /// too.
    static func cocoa(_ title: String, _ cause: Cause) -> ProblemType {
        ProblemType(422, title, .cocoa, 3840, stage: .decoding, cause: cause)
    }

    /// An XML error. A link usually has libxml2's own number instead of 111, which is `XML_ERR_USER_STOP`.
    static func xml(_ title: String, _ cause: Cause) -> ProblemType {
        ProblemType(422, title, .xmlParser, 111, stage: .decoding, cause: cause)
    }

    func means(_ meaning: String, remedy: String) -> ProblemDefinition {
        ProblemDefinition(type: self, meaning: meaning, remedy: remedy)
    }
}

/// The domain of an error number: those of AFNetworking, and `decant.*` for errors that AFNetworking does not have.
enum ErrorDomain: String, Sendable, CaseIterable {
    case alamofire = "com.alamofire.error.serialization.response"
    case cocoa = "NSCocoaErrorDomain"
    /// The domain of XML errors, whose numbers are those of libxml2.
    case xmlParser = "NSXMLParserErrorDomain"
    /// Foundation's URL loading system.
    case url = "NSURLErrorDomain"
    case request = "decant.request"
    case message = "decant.message"
    case encoding = "decant.encoding"
    case limit = "decant.limit"
    case image = "decant.image"
    case value = "decant.value"
    case fetch = "decant.fetch"
    case service = "decant.service"
}
