internal import Serialization

/// A text that is the same for every request, made once.
struct Document: Sendable {
    let contentType: StaticString
    let bytes: [UInt8]

    init(contentType: StaticString, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }

    init(json: consuming OutputBuffer) {
        self.init(contentType: "application/json", bytes: [UInt8](json))
    }

    func response() -> Response {
        Response(status: 200, contentType: contentType, fields: [.cacheable], content: OutputBuffer(bytes))
    }
}

extension Document {
    /// The contract, as it stands in the project's root; the build embeds the file.
    static func openAPI() -> Document {
        // RFC 9512: the media type of YAML.
        Document(contentType: "application/yaml", bytes: PackageResources.openapi_yaml)
    }
}
