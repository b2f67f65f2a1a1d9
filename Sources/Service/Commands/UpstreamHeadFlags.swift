internal import Serialization

/// The flags for the head of the upstream response. In HTTP, `Upstream-*` fields, `Content-Type` and `Content-Encoding`
/// describe it.
enum UpstreamHeadFlags: FlagTable {
    static let flags = [
        FlagDefinition(
            name: "status",
            valueName: "status",
            help: "Status code of the response. (default: 200; the output reports that it was assumed)"
        ),
        FlagDefinition(name: "url", valueName: "url", help: "URL of the response."),
        FlagDefinition(
            name: "method",
            valueName: "method",
            help: "Method of the request; a response to HEAD has no content.",
            completions: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        ),
        FlagDefinition(
            name: "content-type",
            valueName: "content-type",
            help:
                "Content-Type field of the response. (default: the media type of the file's extension; without one, "
                + "the type is detected from the content)",
            completions: FileMediaType.mediaTypes
        ),
        FlagDefinition(
            name: "content-encoding",
            valueName: "content-encoding",
            help: "Content-Encoding field of the response."
        ),
    ]
}

extension UpstreamResponse {
    /// Creates the head that the flags of ``UpstreamHeadFlags`` describe.
    /// - Throws: ``CommandFailure`` for wrong usage.
    init(flags: [String: String]) throws(CommandFailure) {
        self.init(statusAssumed: flags["status"] == nil, url: flags["url"], method: flags["method"])
        if let text = flags["status"] {
            guard let code = text.utf8.span.statusCode else {
                throw CommandFailure(usage: "--status is '\(text)'; it must be 100 to 999.")
            }
            status = code
        }
        if let method, !method.isToken {
            throw CommandFailure(usage: "--method is '\(method)'; it must be a method name.")
        }
        if let type = flags["content-type"] { fields.append(name: "Content-Type", value: type) }
        if let coding = flags["content-encoding"] { fields.append(name: "Content-Encoding", value: coding) }
    }

    /// Returns the response for content from a file. Without a Content-Type field, the extension of the file determines
    /// its media type.
    func inFile(_ path: String) -> UpstreamResponse {
        guard fields.first("Content-Type") == nil, let type = FileMediaType.mediaType(ofFile: path) else { return self }
        var response = self
        response.fields.append(name: "Content-Type", value: type)
        return response
    }
}
