import Platform
import Testing

@Suite struct MemoryUsageTests {
    private static let unified = (
        memberships: "0::/pod/c1\n", mounts: "31 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n"
    )

    private func usage(_ files: [String: String]) -> MemoryUsage? {
        MemoryUsage.usage(memberships: Self.unified.memberships, mounts: Self.unified.mounts) { files[$0] }
    }

    @Test func `files that were not used lately do not count`() {
        let files = [
            "/sys/fs/cgroup/pod/c1/memory.max": "1000\n", "/sys/fs/cgroup/pod/c1/memory.current": "800\n",
            "/sys/fs/cgroup/pod/c1/memory.stat": "anon 300\ninactive_anon 7\ninactive_file 250\nactive_file 90\n",
        ]
        #expect(usage(files) == MemoryUsage(usedBytes: 550, limitBytes: 1_000))
    }

    @Test func `the group that is nearest to its limit counts`() {
        let files = [
            "/sys/fs/cgroup/pod/c1/memory.max": "1000\n", "/sys/fs/cgroup/pod/c1/memory.current": "500\n",
            "/sys/fs/cgroup/pod/memory.max": "2000\n", "/sys/fs/cgroup/pod/memory.current": "1900\n",
            "/sys/fs/cgroup/memory.max": "max\n", "/sys/fs/cgroup/memory.current": "5000\n",
        ]
        #expect(usage(files) == MemoryUsage(usedBytes: 1_900, limitBytes: 2_000))
    }

    @Test func `more inactive files than usage are no negative usage`() {
        let files = [
            "/sys/fs/cgroup/pod/c1/memory.max": "1000\n", "/sys/fs/cgroup/pod/c1/memory.current": "100\n",
            "/sys/fs/cgroup/pod/c1/memory.stat": "inactive_file 250\n",
        ]
        #expect(usage(files) == MemoryUsage(usedBytes: 0, limitBytes: 1_000))
    }

    @Test func `groups of version 1 are read`() {
        let files = [
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes": "700\n",
            "/sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 200\n",
        ]
        let usage = MemoryUsage.usage(
            memberships: "4:memory:/docker/c1\n",
            mounts: "32 24 0:29 /docker/c1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        ) { files[$0] }
        #expect(usage == MemoryUsage(usedBytes: 500, limitBytes: 1_000))
    }

    @Test(arguments: [
        [:], ["/sys/fs/cgroup/pod/c1/memory.max": "max\n", "/sys/fs/cgroup/pod/c1/memory.current": "5\n"],
        ["/sys/fs/cgroup/pod/c1/memory.max": "1000\n"],
        ["/sys/fs/cgroup/pod/c1/memory.max": "1000\n", "/sys/fs/cgroup/pod/c1/memory.current": "garbage\n"],
    ])
    func `without a limit or a usage there is no result`(files: [String: String]) {
        #expect(usage(files) == nil)
    }
}
