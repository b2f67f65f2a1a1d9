import Glibc
import Platform
import Testing

@Suite struct OpenFileLimitTests {
    @Test func `raises the soft limit, at most to the hard limit, and never lowers it`() throws {
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        // Restores the limit for the other tests of this process, and for the processes that they start.
        defer { _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        let (soft, hard) = (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
        #expect(OpenFileLimit.raise(to: 1) == soft)
        #expect(OpenFileLimit.raise(to: -1) == soft)
        #expect(OpenFileLimit.raise(to: .max) == hard)
        #expect(OpenFileLimit.raise(to: soft) == hard)
    }
}
