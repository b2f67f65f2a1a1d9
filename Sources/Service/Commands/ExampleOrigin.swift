internal import HTTP
internal import Serialization

/// An origin with a few example responses, for `decant serve --try`.
///
/// It listens on 127.0.0.1 only, and its responses are constants of the program: a request to it has no side effects.
/// It shares no thread and no memory account with the service.
struct ExampleOrigin: Application {
    /// A response, and the path at which it is served.
    struct Example: Sendable {
        let path: String
        let status: Int
        let contentType: StaticString
        let fields: [HeaderFields.Field]
        fileprivate let content: SharedContent

        fileprivate init(
            _ path: String,
            status: Int = 200,
            _ contentType: StaticString,
            fields: KeyValuePairs<String, String> = [:],
            _ content: [UInt8]
        ) {
            self.path = path
            self.status = status
            self.contentType = contentType
            self.fields = fields.map { HeaderFields.Field(name: $0.key, value: $0.value) }
            self.content = SharedContent(content)
        }
    }

    static let examples = [
        Example(
            "/order",
            "application/json; charset=windows-1252",
            fields: ["Cache-Control": "max-age=60"],
            // 0xEB is ë in windows-1252.
            Array(#")]}'"#.utf8) + Array("\n".utf8)
                + Array(#"{"id": 9007199254740993, "status": "open", "status": "paid", "customer": "Zo"#.utf8) + [0xEB]
                + Array(#"", "phone": null}"#.utf8)
        ),
        Example(
            "/feed",
            "application/rss+xml",
            fields: ["ETag": #""1""#],
            Array(
                #"""
                <?xml version="1.0"?>
                <rss version="2.0"><channel><title>Cafe</title><item><title>Open again</title></item></channel></rss>
                """#.utf8
            )
        ),
        Example("/broken", "application/json", Array(#"{"user": {"name": "x" "age": 1}}"#.utf8)),
        Example(
            "/page",
            "application/json",
            Array("<!doctype html><title>Please sign in</title><p>Your session has expired.</p>".utf8)
        ),
        Example(
            "/unavailable",
            status: 503,
            "application/json",
            // A longer time would also keep the other examples waiting.
            fields: ["Retry-After": "1"],
            Array(#"{"error": "The warehouse is being counted."}"#.utf8)
        ),
        Example("/moved", status: 302, "text/plain", fields: ["Location": "/order"], []),
        Example("/photo.jpg", "image/jpeg", fields: ["Cache-Control": "max-age=60"], unsafe Array(EmbeddedFile.photo)),
    ]

    func plan(for head: borrowing RequestHead) -> Plan {
        let method = head.method
        guard method == "GET" || method == "HEAD" else { return Self.plan(405, fields: [.allow("GET, HEAD")]) }
        guard let example = Self.examples.first(where: { $0.path == head.target.path }) else { return Self.plan(404) }
        return Plan(
            note: ApplicationNote(),
            decision: .respond(
                Response(
                    status: example.status,
                    contentType: example.contentType,
                    fields: example.fields,
                    content: .shared(example.content)
                )
            )
        )
    }

    func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
        Problem(reason).response(requestID: requestID.text)
    }

    private static func plan(_ status: Int, fields: [HeaderFields.Field] = []) -> Plan {
        let text = "The examples are \(examples.map(\.path).joined(separator: ", ")).\n"
        return Plan(
            note: ApplicationNote(),
            decision: .respond(
                Response(
                    status: status,
                    contentType: "text/plain",
                    fields: fields,
                    content: .shared(SharedContent(text.utf8))
                )
            )
        )
    }
}

extension ExampleOrigin {
    /// Starts the origin. If `port` is 0, the system chooses a free port.
    static func start(port: UInt16) throws(HTTPServerError) -> HTTPServer {
        try HTTPServer(
            HTTPServerConfiguration(
                address: "127.0.0.1",
                port: port,
                threads: 1,
                connections: .init(max: maxConnections, maxPerAddress: 0, backlog: maxConnections),
                content: .init(maxBufferedBytes: 1 << 20, gzipAboveBytes: 0),
                timeouts: HTTPServerConfiguration.Timeouts(
                    head: .seconds(10),
                    content: .seconds(10),
                    response: .seconds(10),
                    queue: .seconds(10),
                    idle: .seconds(75),
                    halfCloseGrace: .seconds(1)
                )
            ),
            application: ExampleOrigin(),
            lanes: Lanes()
        )
    }

    /// The maximum number of connections: those of the fetcher, and some of a user who looks at the examples directly.
    private static let maxConnections = 16

    /// The number of connections of the service whose descriptors and memory the origin uses.
    static let reservedConnections = maxConnections + 8

    /// The settings that allow fetching the examples on `port`, and nothing else.
    static func settings(port: UInt16) -> [String: String] {
        [
            Settings.fetching.fetchAllow.name: "http://127.0.0.1:\(port)/",
            Settings.fetching.fetchAllowAddresses.name: "127.0.0.1/32",
        ]
    }

    /// The settings with which the examples cannot be combined: those that allow other requests, or send them to
    /// another address, and those that restrict callers, who otherwise would rely on rules that are not in force.
    static func contradictions(of configuration: Configuration) -> [String] {
        let settings: [(any AnySetting, isSet: Bool)] = [
            (Settings.fetching.fetchAllow, !configuration.fetchAllow.text.isEmpty),
            (Settings.fetching.fetchAllowRedirects, !configuration.fetchAllowRedirects.text.isEmpty),
            (Settings.fetching.fetchAllowAddresses, !configuration.fetchAllowAddresses.text.isEmpty),
            (Settings.fetching.fetchProxy, !configuration.fetchProxy.text.isEmpty),
            (Settings.server.tokensFile, !configuration.tokensFile.isEmpty),
            (Settings.server.fetchSigningKeysFile, !configuration.fetchSigningKeysFile.isEmpty),
        ]
        return settings.filter(\.isSet).map { $0.0.name }
    }
}
