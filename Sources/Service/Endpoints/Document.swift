internal import Serialization

/// A text that is the same for every request. It is created once, and all responses share its bytes.
struct Document: Sendable {
    let contentType: StaticString
    private let content: SharedBytes
    private var caching = HeaderFields.Field.cacheable

    init(contentType: StaticString, bytes: [UInt8]) {
        self.contentType = contentType
        content = SharedBytes(bytes)
    }

    init(json: consuming OutputBuffer) {
        contentType = "application/json"
        content = SharedBytes(json)
    }

    /// The size in bytes.
    var count: Int { content.count }

    /// Returns the document as one that may change while the service runs.
    func changing() -> Document {
        var document = self
        document.caching = .noCache
        return document
    }

    /// Computes now what would take an HTTP thread long: the compressed form and the digest of a long document.
    func prepare() {
        guard count > ResponseForm.maxInlineBytes else { return }
        _ = content.compressed?.digest(.sha256)
        _ = content.digest(.sha256)
    }

    func response() -> Response {
        Response(status: 200, contentType: contentType, fields: [caching], content: .shared([content]))
    }
}

extension Document {
    /// The contract. The build embeds the file in the project's root.
    static func openAPI() -> Document {
        // RFC 9512: the media type of YAML.
        Document(contentType: "application/yaml", bytes: PackageResources.openapi_yaml)
    }

    /// The same contract in JSON. `make golden` converts it.
    static func openAPIInJSON() -> Document {
        Document(contentType: "application/json", bytes: PackageResources.openapi_json)
    }
}
