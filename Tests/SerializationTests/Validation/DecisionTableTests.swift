import Serialization
import SerializationSupport
import Testing

/// The table "status × type × content" of the HTTP contract, row by row, for both rule sets.
@Suite struct DecisionTableTests {
    struct Row: CustomTestStringConvertible {
        var status: Int
        var type: String?
        var content: String?
        var outcome: Outcome
        var serializer = SerializerKind.json

        var testDescription: String {
            let content = content?.debugDescription ?? "no content"
            return "\(serializer.rawValue): \(status), \(type ?? "no type"), \(content)"
        }
    }

    enum Outcome: Equatable {
        case value(String)
        case empty
        /// The errors from the outermost to the root, by kind, and the value in addition to them.
        case error([Link], value: String? = nil)
        /// A result that no row of the table has.
        case other(Serialized)
    }

    enum Link: Equatable {
        case decoding, status, type
    }

    private static let json = "application/json"
    private static let object = #"{"a":1}"#
    private static let text = #"{"text":"{\"a\":1}"}"#
    /// AFNetworking's value is the data.
    private static let raw = #"{"base64":"eyJhIjoxfQ==","text":"{\"a\":1}"}"#

    static let both = [
        Row(status: 200, type: json, content: object, outcome: .value(object)),
        Row(status: 200, type: json, content: "{oops", outcome: .error([.decoding])),
        Row(status: 200, type: json, content: "", outcome: .empty),
        Row(status: 200, type: json, content: " ", outcome: .empty),
        Row(status: 200, type: json, content: nil, outcome: .empty),
        Row(status: 200, type: "text/html", content: object, outcome: .error([.type])),
        Row(status: 200, type: "text/html", content: "", outcome: .empty),
        Row(status: 200, type: "text/html", content: nil, outcome: .empty),
        Row(status: 200, type: nil, content: "", outcome: .empty),
        Row(status: 200, type: nil, content: nil, outcome: .empty),
        Row(status: 404, type: json, content: object, outcome: .error([.status], value: object)),
        Row(status: 404, type: json, content: "{oops", outcome: .error([.decoding, .status])),
        Row(status: 404, type: json, content: "", outcome: .error([.status])),
        Row(status: 404, type: json, content: " ", outcome: .error([.status])),
        Row(status: 404, type: json, content: nil, outcome: .error([.status])),
        Row(status: 404, type: "text/html", content: object, outcome: .error([.status, .type])),
        Row(status: 404, type: "text/html", content: "", outcome: .error([.status])),
        Row(status: 404, type: nil, content: "", outcome: .error([.status])),
        Row(status: 304, type: nil, content: nil, outcome: .error([.status])),
        Row(status: 200, type: json, content: nil, outcome: .empty, serializer: .http),
        Row(status: 500, type: json, content: nil, outcome: .error([.status]), serializer: .http),
    ]

    static let decant = [
        Row(status: 200, type: "text/html", content: object, outcome: .value(text), serializer: .http),
        Row(status: 200, type: nil, content: object, outcome: .value(text), serializer: .http),
        Row(status: 500, type: json, content: object, outcome: .error([.status], value: text), serializer: .http),
        Row(status: 200, type: json, content: " \n\t\r", outcome: .empty),
        Row(status: 200, type: json, content: "\u{FEFF}\n", outcome: .empty),
        Row(status: 200, type: json, content: "\u{A0}", outcome: .error([.decoding])),
        Row(status: 200, type: json, content: "null", outcome: .value("null")),
        Row(status: 200, type: "text/html", content: " \n", outcome: .empty),
        Row(status: 200, type: nil, content: object, outcome: .value(object)),
        Row(status: 200, type: nil, content: "{oops", outcome: .error([.decoding])),
        Row(status: 200, type: "text/plain", content: object, outcome: .value(object)),
        Row(status: 200, type: "a/b+json", content: object, outcome: .value(object)),
        Row(status: 404, type: nil, content: object, outcome: .error([.status], value: object)),
        Row(status: 204, type: json, content: nil, outcome: .empty),
        Row(status: 205, type: json, content: object, outcome: .empty),
        Row(status: 304, type: json, content: object, outcome: .error([.status])),
        Row(status: 200, type: json, content: "", outcome: .empty, serializer: .http),
        Row(status: 500, type: json, content: "", outcome: .error([.status]), serializer: .http),
    ]

    private static let noBytes = #"{"base64":"","text":""}"#

    static let afnetworking = [
        Row(status: 200, type: "text/html", content: object, outcome: .value(raw), serializer: .http),
        Row(status: 200, type: nil, content: object, outcome: .value(raw), serializer: .http),
        Row(status: 500, type: json, content: object, outcome: .error([.status], value: raw), serializer: .http),
        Row(status: 200, type: json, content: "  ", outcome: .error([.decoding])),
        Row(status: 200, type: json, content: "\n", outcome: .error([.decoding])),
        Row(status: 200, type: "text/html", content: " ", outcome: .error([.type])),
        Row(status: 200, type: nil, content: object, outcome: .error([.type])),
        Row(status: 200, type: "text/plain", content: object, outcome: .error([.type])),
        Row(status: 200, type: "a/b+json", content: object, outcome: .error([.type])),
        Row(status: 404, type: nil, content: object, outcome: .error([.status, .type])),
        Row(status: 204, type: json, content: object, outcome: .value(object)),
        Row(status: 200, type: json, content: "", outcome: .value(noBytes), serializer: .http),
        Row(status: 500, type: json, content: "", outcome: .error([.status], value: noBytes), serializer: .http),
    ]

    @Test(arguments: both + decant)
    func `status, type and content decide by Decant's rules`(row: Row) {
        #expect(outcome(of: row, .decant) == row.outcome)
    }

    @Test(arguments: both + afnetworking)
    func `status, type and content decide by AFNetworking's rules`(row: Row) {
        #expect(outcome(of: row, .afnetworking) == row.outcome)
    }

    @Test func `the response to HEAD has no content, but its status is checked`() {
        let accepted = serialize(type: Self.json, method: "HEAD", "{oops") { $0.view = .value }
        #expect(accepted.json == "")
        #expect(accepted.warnings == [Warning(.unexpectedContent(bytes: 5))])

        let refused = serialize(status: 404, type: "text/html", method: "HEAD", "<p>x")
        #expect(refused.chain == [.status(404)])
    }

    @Test func `under AFNetworking's rules, http returns the raw content with the error of a wrong type`() throws {
        let listed = try MediaTypeSet(parsing: "text/csv")
        let result = serialize(status: 500, type: Self.json, Self.object) { options in
            options.rules = .afnetworking
            options.serializer = .one(.http)
            options.acceptableMediaTypes = listed
        }
        let wrongType = SerializationError.unacceptableMediaType(
            got: "application/json",
            acceptable: ["text/csv"],
            looksLike: "application/json",
            url: nil
        )
        #expect(result.chain == [.status(500), wrongType])
        #expect(result.value == Self.raw)
    }

    private func outcome(of row: Row, _ rules: RuleSet) -> Outcome {
        let result = serialize(status: row.status, type: row.type, row.content) { options in
            options.rules = rules
            options.serializer = .one(row.serializer)
            options.view = .value
        }
        if let json = result.json { return json.isEmpty ? .empty : .value(json) }
        let links = result.chain.compactMap { error -> Link? in
            switch error {
            case .unacceptableStatus(row.status, acceptable: .successful, url: nil): .status
            case .unacceptableMediaType(got: row.type, _, looksLike: _, url: nil): .type
            case .content where error.contentError is JSONError: .decoding
            default: nil
            }
        }
        return links.count == result.chain.count ? .error(links, value: result.value) : .other(result)
    }
}
