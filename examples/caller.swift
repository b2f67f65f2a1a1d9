// Calls Decant with Foundation only: swiftc examples/caller.swift -o caller && ./caller
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let base = ProcessInfo.processInfo.environment["DECANT_URL"] ?? "http://127.0.0.1:8080"
let photo = try Data(contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "photo.jpg"))

/// Sends content. A rejection is a response too: its content is application/problem+json.
func post(
    _ path: String,
    _ content: Data,
    _ mediaType: String,
    _ fields: [String: String] = [:]
) async throws -> (fields: HTTPURLResponse, content: Data) {
    var request = URLRequest(url: URL(string: base + path)!)
    request.httpMethod = "POST"
    request.httpBody = content
    request.allHTTPHeaderFields = fields.merging(["Content-Type": mediaType]) { $1 }
    let (content, response) = try await URLSession.shared.data(for: request)
    return (response as! HTTPURLResponse, content)
}

/// The parts of an answer and of a problem that this program uses.
struct Result<Value: Decodable>: Decodable {
    var code: String?
    var cause: String?
    var retryable: Bool?
    var accepts: [String: String]?
    var upstream: Upstream?
    var nullsDropped: Int?
    var value: Value?
    var chain: [Link]?

    /// What a caller does about a problem: it branches on `retryable`, then on `cause`.
    var advice: String {
        // After `upstream.retryAfter` or the field Retry-After, if there is one.
        if retryable == true { return "try again later" }
        switch cause {
        case "upstream-status": return "handle the status \(upstream!.status!)"
        case "content", "type": return "tell the upstream"
        case "request", "access": return "correct this caller"
        case "limit": return "raise the limit, or do without"
        // "fetch", "service", and those that a later version adds
        default: return "tell the operator"
        }
    }
}

struct Upstream: Decodable {
    var status: Int?
}

struct Link: Decodable {
    struct Location: Decodable { var byte: Int }
    var code: String
    var at: Location?
}

struct User: Decodable {
    var name: String?
    var tags: [String]?
    var error: String?
}

struct Feed: Decodable {
    struct RSS: Decodable { var channel: Channel }
    struct Channel: Decodable { var item: [Item] }
    struct Item: Decodable { var title: String }
    var rss: RSS
}

struct Image: Decodable {
    struct Size: Decodable, CustomStringConvertible {
        var width: Int
        var height: Int
        var description: String { "\(width)x\(height)" }
    }
    var oriented: Size
    var thumbnails: [Size]
}

func postJSON<Value: Decodable>(
    _ path: String,
    _ content: Data,
    _ mediaType: String,
    _ fields: [String: String] = [:],
    as type: Value.Type
) async throws -> Result<Value> {
    try JSONDecoder().decode(Result<Value>.self, from: try await post(path, content, mediaType, fields).content)
}

let user = Data(#"{"name": "Ann", "email": null, "tags": ["a", "b"]}"#.utf8)
let answer = try await postJSON("/v1/normalize", user, "application/json", as: User.self)
print("JSON: \(answer.value!.name!) has \(answer.value!.tags!.count) tags, nulls dropped: \(answer.nullsDropped!)")

let feed = Data(
    #"<rss version="2.0"><channel><title>News</title><item><title>One</title></item></channel></rss>"#.utf8
)
let items = try await postJSON("/v1/normalize", feed, "application/rss+xml", as: Feed.self).value!.rss.channel.item
print("XML: items: \(items.count), the first is \(items[0].title)")

let target = "/v1/normalize?thumbnail=64x64&thumbnail=32x32,fit=cover"
let image = try await postJSON(target, photo, "image/jpeg", as: Image.self).value!
print("image: \(image.oriented), thumbnails: \(image.thumbnails.map(\.description).joined(separator: ", "))")

let status = ["Upstream-Status": "500"]
let error = try await postJSON("/v1/normalize", Data(#"{"error": "#.utf8), "application/json", status, as: User.self)
let codes = error.chain!.map(\.code).joined(separator: ", ")
print("error: \(error.cause!) (\(codes)), at byte \(error.chain![1].at!.byte): \(error.advice)")

let list = Data("[1, 2,]".utf8)
let broken = try await postJSON("/v1/normalize", list, "application/json", as: [Int].self)
// One option that was tried with this content.
let query = broken.accepts!.map { "\($0)=\($1)" }.joined()
let repaired = try await postJSON("/v1/normalize?" + query, list, "application/json", as: [Int].self)
print("content: \(broken.code!): \(broken.advice); with \(query): \(repaired.value!.count) elements")

let envelope = Data(
    #"{"status": 404, "headers": [["content-type", "application/json"]], "body": {"text": "{\"error\": \"no such user\"}"}}"#
        .utf8
)
let problem = try await postJSON("/v1/normalize/envelope", envelope, "application/json", as: User.self)
print("envelope: \(problem.code!), value: \(problem.value!.error!): \(problem.advice)")

let (response, content) = try await post("/v1/thumbnail?thumbnail=120x120,format=png", photo, "image/jpeg")
let size = ["Decant-Width", "Decant-Height"].map { response.value(forHTTPHeaderField: $0)! }.joined(separator: "x")
let isPNG = content[1..<4].elementsEqual("PNG".utf8)
print("thumbnail: \(response.value(forHTTPHeaderField: "Content-Type")!) of an image of \(size), is PNG: \(isPNG)")
