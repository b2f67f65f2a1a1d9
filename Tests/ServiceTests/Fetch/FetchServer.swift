import Fetching
import Flights
import Foundation
import Logging
import Origin
import Platform
import Serialization
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

/// A service with fetching, in this process. Its fetcher is the built one.
final class FetchServer: Sendable {
    static let builtFetcher = DecantProcess.executable.deletingLastPathComponent()
        .appendingPathComponent("decant-fetcher").path

    let server: HTTPServer
    let service: FetchService

    init(
        for origin: Origin? = nil,
        allow: String = "http://127.0.0.1:1/",
        executable: String = FetchServer.builtFetcher,
        maxBufferedBytes: Int = 64 << 20,
        access: AccessControl = .unrestricted,
        workers: WorkerPool? = nil,
        images: ImageSettings = ImageSettings(),
        profiles: ProfileRegistry? = nil,
        fetcherSettings: FetcherSettings = FetcherSettings(),
        threads: Int = 1,
        gzipResponsesAboveBytes: Int = 0,
        loop: CDNLoop = CDNLoop(random: UInt128.random(in: 0 ... .max)),
        credentials: OriginCredentials = .none,
        _ change: (inout FlightSettings) -> Void = { _ in }
    ) throws {
        var settings = FlightSettings()
        settings.policy = FetchPolicy.testing(
            allow: try HostRules(parsing: origin?.url("/") ?? allow),
            addresses: AddressRules(
                allowed: try AddressBlock.list(parsing: "127.0.0.1/32"),
                denied: [],
                listeners: .none
            )
        )
        change(&settings)
        var fetcher = FetcherConfiguration()
        fetcher.executable = executable
        fetcher.allowsUnsandboxed = true
        fetcher.settings = fetcherSettings
        let account = MemoryAccount(maxBytes: maxBufferedBytes)
        service = try FetchService(
            settings,
            fetcher: fetcher,
            loop: loop,
            credentials: credentials,
            account: account,
            log: FetchLog()
        )
        let compute = try ComputeLane(threads: threads, maxWaiting: 100)
        let lanes = Lanes(compute: compute, workers: workers, fetching: service.thread)
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.threads = threads
        configuration.content.gzipAboveBytes = gzipResponsesAboveBytes
        configuration.content.maxBufferedBytes = maxBufferedBytes
        server = try HTTPServer(
            configuration,
            application: DecantApplication(readiness: Readiness(.ready), workers: workers, access: access) {
                [service] in
                $0.fetching.service = service
                $0.fetching.images = images
                if let profiles { $0.options.profiles = profiles }
            },
            lanes: lanes,
            account: account
        )
        try service.start(lanes, listeners: LocalListeners(addresses: [], ports: [server.address.port]))
    }

    /// The process that fetches; `nil` while there is none.
    var fetcherProcess: pid_t? {
        let argument = "listener-ports=\(server.address.port)"
        return (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) }.first {
            let line = (try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)) ?? ""
            return line.split(separator: "\0").contains { $0 == argument }
        }
    }

    /// The workers of one service, which end with it.
    static func oneWorker() throws -> WorkerPool {
        var configuration = WorkerConfiguration()
        configuration.workers = 1
        return try WorkerPool(configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A new connection.
    func client() throws -> RawClient { try RawClient(port: server.address.port) }

    /// Sends a `POST /v1/fetch`.
    static func post(_ content: String, _ query: String = "", on client: RawClient, fields: String = "") {
        client.send(
            "POST /v1/fetch\(query) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(fields)"
                + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
        )
    }

    func post(_ content: String, _ query: String = "", fields: String = "") throws -> ReceivedResponse {
        let client = try client()
        Self.post(content, query, on: client, fields: fields)
        return try client.readResponse()
    }

    func send(_ method: String, _ target: String, fields: String = "") throws -> ReceivedResponse {
        let client = try client()
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        return try client.readResponse()
    }
}
