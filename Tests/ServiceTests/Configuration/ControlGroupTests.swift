import Testing

@testable import Service

@Suite struct ControlGroupTests {
    @Test(arguments: [
        ("max 100000\n", nil),
        ("100000 100000\n", 1),
        ("150000 100000\n", 2),
        ("5000 100000\n", 1),
        ("0 100000\n", nil),
        ("garbage", nil),
    ])
    func `rounds a share of CPU time up to cores`(text: String, cores: Int?) {
        #expect(ControlGroup.cores(fromCPUMax: text) == cores)
    }

    @Test(arguments: [
        ("max\n", nil),
        ("536870912\n", 512 << 20),
        // What cgroup v1 says where nothing is set.
        ("9223372036854771712\n", nil),
    ])
    func `reads a memory limit`(text: String, bytes: Int?) {
        #expect(ControlGroup.bytes(text) == bytes)
    }

    @Test func `finds the group of a process among those of version 1`() {
        #expect(ControlGroup.unifiedPath("12:memory:/a\n0::/user.slice/b.scope\n") == "/user.slice/b.scope")
        #expect(ControlGroup.unifiedPath("12:memory:/a\n") == nil)
    }

    @Test func `looks at every ancestor, whose limits bind too`() {
        #expect(ControlGroup.ancestors(ofGroup: "/a/b") == ["/a/b", "/a", ""])
        #expect(ControlGroup.ancestors(ofGroup: "/") == [""])
    }
}
