import Glibc
import Testing

@testable import Service

@Suite struct OpenFileLimitTests {
    /// A fixed reserve of 64 was too small from about 13 cores on; a worker could then not be replaced.
    @Test(arguments: [(threads: 1, workers: 0), (32, 1), (64, 2)])
    func `the reserve has room for what the service opens`(threads: Int, workers: Int) throws {
        let (service, _) = try DecantProcess.serving(
            "--threads",
            "\(threads)",
            "--workers",
            "\(workers)",
            "--worker-memory-bytes",
            "134217728",
            "--max-buffered-bytes",
            "33554432"
        )
        let reserve = OpenFileLimit.reserve(threads: threads, workers: workers)
        let open = try service.openFiles()
        #expect(open + workers <= reserve)
        #expect(open >= 2 * threads + 3 * workers)
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test func `leaves no more to connections than the limit has beside the reserve`() {
        var limit = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        let hard = Int(clamping: limit.rlim_max)
        #expect(OpenFileLimit.raise(forConnections: 1, reserve: hard) == 1)
        #expect(OpenFileLimit.raise(forConnections: 10, reserve: 32) == 10)
    }
}
