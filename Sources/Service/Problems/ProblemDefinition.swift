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

    init(_ status: Int, _ title: String, _ domain: ErrorDomain, _ domainCode: Int, stage: Stage) {
        self.status = status
        self.title = title
        self.domain = domain
        self.domainCode = domainCode
        self.stage = stage
    }

    /// A JSON or property list error. 3840 is `NSPropertyListReadCorruptError`, which Foundation's JSON parser uses
    /// too.
    static func cocoa(_ title: String) -> ProblemType {
        ProblemType(422, title, .cocoa, 3840, stage: .decoding)
    }

    /// An XML error. A link usually has libxml2's own number instead of 111, which is `XML_ERR_USER_STOP`.
    static func xml(_ title: String) -> ProblemType {
        ProblemType(422, title, .xmlParser, 111, stage: .decoding)
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
    case fetch = "decant.fetch"
    case service = "decant.service"
}
