import Glibc
import Testing

@testable import HTTP
@testable import Service

/// The metrics of the service as a process.
@Suite struct ServeMetricsTests {
    @Test func `a service prints every metric that has a source`() throws {
        let folder = try TemporaryFolder()
        let profiles = try folder.write(#"{"profiles":[]}"#, to: "profiles.json")
        let (service, address) = try DecantProcess.serving(
            "--workers",
            "1",
            "--max-buffered-bytes",
            "50000000",
            "--profiles",
            profiles,
            "--fetch-allow",
            "a.example",
            "--tokens-file",
            folder.write(TokenFile.text([TokenFile.prometheus]), to: "tokens.json"),
            "--fetch-signing-keys-file",
            folder.write(TokenFile.signingKeys, to: "keys"),
            "--fetch-credentials-file",
            folder.write(#"{"credentials":[]}"#, to: "credentials.json")
        )
        let client = try RawClient(port: address.port)
        var metrics = try Self.metrics(client)
        let expected = Set(Metric.allCases.map(\.rawValue))
        #expect(Set(metrics.families.map(\.name)) == expected)
        #expect(metrics.value("decant_content_memory_max_bytes") == "50000000")
        #expect(metrics.value("decant_connections_open") == "1")
        #expect(metrics.value("decant_requests_in_flight") == "1", "the request for the metrics itself")
        #expect(metrics.value("decant_lane_waiting", ["lane": "compute"]) == "0")
        let hasWorker = try eventually {
            metrics = try Self.metrics(client)
            return ["facts", "isolated"].allSatisfy {
                metrics.value("decant_workers", ["lane": $0, "state": "idle"]) == "1"
            }
        }
        #expect(hasWorker)
        for lane in ["facts", "isolated"] {
            #expect(metrics.value("decant_worker_sandbox", ["lane": lane, "state": "unknown"]) == "0")
            let bytes = metrics.value("decant_worker_resident_memory_bytes", ["lane": lane])
            #expect(bytes.flatMap { Int($0) } ?? 0 > 0)
        }
        let names = ["process_resident_memory_bytes", "process_open_fds"]
        for name in names { #expect(Int(metrics.value(name) ?? "") ?? 0 > 0, "\(name)") }
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    private static func metrics(_ client: RawClient) throws -> MetricsText {
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer prometheus-secret\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(response.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        return try MetricsText(parsing: response.text)
    }
}
