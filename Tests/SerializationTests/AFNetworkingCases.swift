import Foundation
import Serialization
import TestSupport
import Testing

/// One case of `cases/afnetworking.json`: the measured behaviour of AFNetworking 4 for a response.
///
/// `@unchecked Sendable`: JSONSerialization created the untyped parts, and they are never changed.
struct AFNetworkingCase: Decodable, @unchecked Sendable, CustomTestStringConvertible {
    struct Link: Decodable, Equatable {
        var domain: String
        var code: Int?
        var descriptionContains: String?
    }

    struct Expectation: Decodable {
        var outcome: String
        var errorChain: [Link]
    }

    struct Upstream: Decodable {
        var status: Int
        var url: String?
        var headers: [String: String]
        var bodyUtf8: String?
        var bodyBase64: String?
        var bodyFixture: String?
        var nonHttp: Bool?

        var content: [UInt8]? {
            if let bodyUtf8 { return Array(bodyUtf8.utf8) }
            if let bodyBase64 { return Data(base64Encoded: bodyBase64).map { Array($0) } }
            guard let bodyFixture else { return nil }
            let file = Suites.url("cases/fixtures/\(bodyFixture)")
            return (try? Data(contentsOf: file)).map { Array($0) }
        }
    }

    var id: String
    var serializer: String
    var upstream: Upstream
    var expect: Expectation
    /// The parts whose structure differs between cases.
    var options: [String: Any] = [:]
    var value: Any?

    enum CodingKeys: CodingKey {
        case id, serializer, upstream, expect
    }

    var testDescription: String { id }

    /// Returns the cases for `http`, `json`, `plist` and `image`, alone or in compounds, without those that `af-cases`
    /// skips.
    static func load() throws -> [AFNetworkingCase] {
        let file = Suites.url(path)
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let data = try Data(contentsOf: file)
        let objects = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let cases = try decoder.decode([AFNetworkingCase].self, from: data)
        return zip(cases, objects).map { typed, object in
            var complete = typed
            complete.options = object["options"] as? [String: Any] ?? [:]
            complete.value = (object["expect"] as? [String: Any])?["value"]
            return complete
        }
        .filter { $0.choice != nil && !$0.isSkipped }
    }

    static let path = "cases/afnetworking.json"

    /// The serializer. `nil` if it is not supported.
    var choice: SerializerChoice? {
        switch serializer {
        case "http": return .one(.http)
        case "json": return .one(.json)
        case "plist": return .one(.plist)
        case "image": return .one(.image)
        case "compound":
            let names = components.compactMap { $0["type"] as? String }
            let kinds = names.compactMap { SerializerKind(rawValue: $0) }
            return kinds.count == names.count && !kinds.isEmpty ? .compound(kinds.map { .init($0) }) : nil
        default: return nil
        }
    }

    private var components: [[String: Any]] {
        options["serializers"] as? [[String: Any]] ?? []
    }

    /// Whether the case has no meaning for a service, for the same reasons as in `af-cases`.
    private var isSkipped: Bool {
        let meaningless = [
            "af_version", "caller_ignores_errors", "platform", "config_round_trip", "string_encoding_from_charset",
        ]
        if meaningless.contains(where: { options[$0] != nil }) { return true }
        // Every forwarded response is an HTTP response, whether or not its URL is known.
        if upstream.nonHttp == true || upstream.url == nil { return true }
        // Components have no options of their own; the options of a compound also apply to its components.
        if components.contains(where: { $0["options"] != nil || $0["not_http_subclass"] != nil }) { return true }
        let own = ["acceptable_status_codes", "acceptable_content_types"]
        return serializer == "compound" && own.contains { options[$0] != nil }
    }

    func serializationOptions() throws -> SerializationOptions {
        var result = SerializationOptions()
        result.rules = .afnetworking
        result.serializer = choice ?? .auto
        result.view = .value
        if let scale = options["image_scale"] as? Double { result.scale = scale }
        let reading = options["reading_options"] as? [String] ?? []
        result.fragments = reading.contains("fragments_allowed")
        if options["removes_keys_with_null_values"] as? Bool == true { result.nulls = .drop }
        if let types = options["acceptable_content_types"] {
            let listed = (types as? [String]).map { $0.isEmpty ? "none" : $0.joined(separator: ",") }
            result.acceptableMediaTypes = try MediaTypeSet(parsing: listed ?? "*")
        }
        if let codes = options["acceptable_status_codes"] {
            let ranges = codes as? [[Int]]
            result.acceptableStatusCodes = ranges.map { StatusCodes(ranges: $0.map { $0[0]...$0[1] }) }
        }
        return result
    }
}
