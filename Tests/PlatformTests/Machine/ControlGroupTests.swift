import Platform
import Testing

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
        // The default of cgroup v1.
        ("9223372036854771712\n", nil),
    ])
    func `reads a memory limit`(text: String, bytes: Int?) {
        #expect(ControlGroup.bytes(text) == bytes)
    }

    @Test func `finds the v2 group of a process among v1 groups`() {
        #expect(ControlGroup.unifiedPath("12:memory:/a\n0::/user.slice/b.scope\n") == "/user.slice/b.scope")
        #expect(ControlGroup.unifiedPath("12:memory:/a\n") == nil)
    }

    @Test func `includes every ancestor, whose limits apply too`() {
        #expect(ControlGroup.ancestors(ofGroup: "/a/b") == ["/a/b", "/a", ""])
        #expect(ControlGroup.ancestors(ofGroup: "/") == [""])
    }
}
