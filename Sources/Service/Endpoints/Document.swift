internal import HTTP
internal import Serialization

/// A text that is the same for every request. It is created once, and all responses share its bytes.
struct Document: Sendable {
    let contentType: StaticString
    private let content: SharedContent
    private var caching = HeaderFields.Field.cacheable

    init(contentType: StaticString, bytes: some Collection<UInt8>) {
        self.contentType = contentType
        content = SharedContent(bytes)
    }

    init(json: consuming OutputBuffer) {
        contentType = "application/json"
        content = SharedContent(json)
    }

    /// The maximum size of a document that is compressed in advance, in bytes.
    private static let maxPreparedBytes = 1 << 20

    /// The size in bytes.
    var count: Int { content.count }

    /// Returns the document with the caching rules of a document that may change while the service runs.
    func changing() -> Document {
        var document = self
        document.caching = .noCache
        return document
    }

    /// Computes the compressed form and the digest of a long document in advance, because this would occupy an HTTP
    /// thread for a long time.
    func prepare() {
        guard count > ResponseRepresentation.maxInlineBytes else { return }
        _ = content.compressed(unreservedUpTo: Self.maxPreparedBytes)?.digest
        _ = content.digest
    }

    func response() -> Response {
        Response(status: 200, contentType: contentType, fields: [caching], content: .shared(content))
    }
}

extension Document {
    /// Returns the contract, which is the file in the root folder of the project.
    static func openAPI() -> Document {
        // RFC 9512: the media type of YAML.
        unsafe Document(contentType: "application/yaml", bytes: EmbeddedFile.openAPI)
    }

    /// Returns the contract in JSON, to which `make golden` converts it.
    static func openAPIInJSON() -> Document {
        unsafe Document(contentType: "application/json", bytes: EmbeddedFile.openAPIInJSON)
    }
}
