import Foundation
import Logging
import Platform
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

/// Tests `GET /readyz` of services whose workers cannot decode pixels.
@Suite struct ProbeEndpointsTests {
    private static func pool(_ configure: (inout WorkerConfiguration) -> Void) throws -> WorkerPool {
        var configuration = WorkerConfiguration()
        configuration.executable =
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("FaultyWorker").path
        configuration.arguments = []
        configuration.workers = 2
        configure(&configuration)
        return try WorkerPool(configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func ready(
        _ workers: WorkerPool?,
        facts: WorkerPool? = nil,
        lacksMemory: Bool = false,
        _ state: Readiness.State = .ready
    ) -> (status: Int, content: String) {
        let readiness = Readiness(.ready)
        readiness.state = state
        let probes = ProbeEndpoints(
            readiness: readiness,
            workers: ServiceParts.Workers(facts: facts, pixels: workers, lackMemory: lacksMemory)
        )
        let response = probes.ready()
        return (response.status, String(decoding: response.content.bytes, as: UTF8.self))
    }

    @Test func `is not degraded while workers are ready`() throws {
        let pool = try Self.pool { _ in }
        #expect(eventually { pool.status.ready == 2 })
        #expect(
            Self.ready(pool)
                == (200, #"{"status":"ready","workers":{"ready":2,"total":2,"waiting":0,"sandbox":"full"}}"#)
        )
    }

    @Test func `reports the workers for facts and for pixels separately`() throws {
        let (pixels, facts) = (try Self.pool { _ in }, try Self.pool { $0.executable = "/bin/false" })
        #expect(eventually { pixels.status.ready == 2 && facts.status.outage == .cannotStart })
        let ready = #"{"ready":2,"total":2,"waiting":0,"sandbox":"full"}"#
        let failing =
            #"{"ready":0,"total":2,"waiting":0,"sandbox":"unknown","reason":"no worker can be started; the log "#
            + #"contains the reason"}"#
        let states = #""workers":\#(ready),"factWorkers":\#(failing)"#
        #expect(
            Self.ready(pixels, facts: facts).content == #"{"status":"ready","degraded":["factWorkers"],\#(states)}"#
        )
        #expect(
            Self.ready(facts, facts: facts).content.hasPrefix(
                #"{"status":"ready","degraded":["workers","factWorkers"],"#
            )
        )
    }

    @Test func `is degraded, but ready, while no worker can be started`() throws {
        let pool = try Self.pool { $0.executable = "/bin/false" }
        #expect(eventually { pool.status.outage == .cannotStart })
        let workers =
            #"{"ready":0,"total":2,"waiting":0,"sandbox":"unknown","reason":"no worker can be started; the log "#
            + #"contains the reason"}"#
        #expect(Self.ready(pool) == (200, #"{"status":"ready","degraded":["workers"],"workers":\#(workers)}"#))
        #expect(Self.ready(pool, .draining) == (503, #"{"status":"unavailable","reasons":["draining"]}"#))
    }

    @Test func `is degraded without seccomp, unless that is allowed`() throws {
        let pool = try Self.pool { $0.sandbox.remove(.seccomp) }
        #expect(eventually { pool.status.outage == .noSandbox })
        let workers =
            #"{"ready":0,"total":2,"waiting":0,"sandbox":"none","reason":"the system has no seccomp: images are "#
            + #"not decoded"}"#
        #expect(Self.ready(pool) == (200, #"{"status":"ready","degraded":["workers"],"workers":\#(workers)}"#))
        let allowed = try Self.pool {
            $0.sandbox.remove(.seccomp)
            $0.allowsUnsandboxed = true
        }
        #expect(eventually { allowed.status.ready == 2 })
        #expect(
            Self.ready(allowed).content.hasPrefix(
                #"{"status":"ready","workers":{"ready":2,"total":2,"waiting":0,"sandbox":"none","reason":"#
            )
        )
    }

    @Test func `is degraded without memory for a worker, but not if none is configured`() {
        let workers =
            #"{"ready":0,"total":0,"waiting":0,"sandbox":"unknown","reason":"there is not enough memory for a "#
            + #"worker: images are not decoded"}"#
        #expect(
            Self.ready(nil, lacksMemory: true)
                == (200, #"{"status":"ready","degraded":["workers"],"workers":\#(workers)}"#)
        )
        #expect(Self.ready(nil) == (200, #"{"status":"ready"}"#))
        #expect(Self.ready(nil, lacksMemory: true, .starting).status == 503)
    }
}
