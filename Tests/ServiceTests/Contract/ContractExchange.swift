import Foundation
import Serialization
import Testing

/// One file of `examples/exchanges`: a request, and the response of the service.
///
///     {"summary": "…",
///      "request": {"method": "POST", "target": "/v1/normalize", "fields": {…}, "content": "…"},
///      "response": {"status": 200, "contentType": "application/json", "json": {…}}}
///
/// Content that is not text is in `base64` instead of `content` or `json`.
struct ContractExchange: Sendable, CustomTestStringConvertible {
    let name: String
    let method: String
    /// The path and the query.
    let target: String
    let fields: [String: String]
    let content: [UInt8]

    let status: Int
    let contentType: String
    /// The expected content: JSON without white space between its tokens, or an image in Base64.
    let responseContent: String

    var testDescription: String { "\(method) \(target) (\(name))" }

    var path: String { String(target.prefix { $0 != "?" }) }

    /// The names of the options in the query.
    var options: [String] {
        target.split(separator: "?").dropFirst().flatMap { $0.split(separator: "&") }.map {
            String($0.prefix { $0 != "=" })
        }
    }

    var isImage: Bool { fields["Content-Type"]?.hasPrefix("image/") ?? false }

    static var all: [ContractExchange] {
        get throws {
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }.map(ContractExchange.init)
        }
    }

    private static let folder = Contract.root.appending(path: "examples/exchanges")

    private static func minified(_ file: URL) throws -> String {
        JSONLayout.minified(try String(contentsOf: file, encoding: .utf8))
    }

    init(file: URL) throws {
        let text = try Self.minified(file)
        let file = file.deletingPathExtension()
        name = file.lastPathComponent
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let request = try #require(object["request"] as? [String: Any])
        let response = try #require(object["response"] as? [String: Any])
        method = try #require(request["method"] as? String)
        target = try #require(request["target"] as? String)
        fields = request["fields"] as? [String: String] ?? [:]
        if let base64 = request["base64"] as? String {
            content = try [UInt8](#require(Data(base64Encoded: base64)))
        } else {
            content = Array((request["content"] as? String ?? "").utf8)
        }
        status = try #require(response["status"] as? Int)
        contentType = try #require(response["contentType"] as? String)
        if let base64 = response["base64"] as? String {
            responseContent = base64
        } else {
            responseContent = String(text[try Self.responseContent(in: text)])
        }
    }

    /// Returns the range of the expected JSON in the minified text of a file, where it is the last member.
    private static func responseContent(in text: String) throws -> Range<String.Index> {
        let start = try #require(text.range(of: #""contentType":"[^"]*","json":"#, options: .regularExpression))
            .upperBound
        return start..<text.index(text.endIndex, offsetBy: -2)
    }

    /// Replaces the expected JSON in the file.
    func write(responseContent: String) throws {
        let file = Self.folder.appending(path: name + ".json")
        var text = try Self.minified(file)
        text.replaceSubrange(try Self.responseContent(in: text), with: responseContent)
        try JSONLayout.pretty(text).write(to: file, atomically: true, encoding: .utf8)
    }
}
