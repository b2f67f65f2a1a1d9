import Foundation
import Platform
import Testing

/// Tests with the real control groups of this machine.
@Suite(.serialized) struct RealControlGroupTests {
    @Test func `the limits of this process are plausible`() {
        let group = ControlGroup.current()
        #expect(group.cores ?? 1 >= 1)
        #expect(group.memoryBytes ?? 1 >= 1)
        let resources = MachineResources.current()
        #expect(resources.cores <= group.cores ?? .max)
        #expect(resources.memoryBytes <= group.memoryBytes ?? .max)
    }

    /// The outer group has the smaller limit, or the only one. The process is in the inner group.
    @Test(
        .enabled(
            if: !TestHierarchy.writable.isEmpty,
            "no control group can be created: this takes root and a root group"
        ),
        arguments: TestHierarchy.writable
    )
    func `the limit of an ancestor applies to a process in a nested group`(hierarchy: TestHierarchy) throws {
        let outer = hierarchy.folder + "/decant-test-\(getpid())"
        let inner = outer + "/inner"
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["600"]
        defer {
            if child.isRunning {
                // Other tests block SIGTERM, which the child may have inherited.
                kill(child.processIdentifier, SIGKILL)
                child.waitUntilExit()
            }
            rmdir(inner)
            rmdir(outer)
        }
        try #require(mkdir(outer, 0o755) == 0)
        for (name, text) in hierarchy.outer { try hierarchy.write(text, to: outer + "/" + name) }
        try #require(mkdir(inner, 0o755) == 0)
        for (name, text) in hierarchy.inner { try hierarchy.write(text, to: inner + "/" + name) }
        try child.run()
        let before = ControlGroup.current(process: "/proc/\(child.processIdentifier)")
        try hierarchy.write("\(child.processIdentifier)", to: inner + "/cgroup.procs")
        var expected = before
        expected.cores = hierarchy.limits.cores ?? before.cores
        expected.memoryBytes = hierarchy.limits.memoryBytes ?? before.memoryBytes
        #expect(ControlGroup.current(process: "/proc/\(child.processIdentifier)") == expected)
    }
}

/// A hierarchy in which this process is in the root group, so that a child group takes no resources from others.
struct TestHierarchy: Sendable, CustomTestStringConvertible {
    var folder: String
    var outer: [(name: String, text: String)]
    var inner: [(name: String, text: String)]
    var limits: ControlGroup

    var testDescription: String { folder }

    func write(_ text: String, to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path), "\(path) cannot be opened")
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    static let writable = [
        TestHierarchy(
            folder: "/sys/fs/cgroup/cpu",
            outer: [("cpu.cfs_quota_us", "200000")],
            inner: [],
            limits: ControlGroup(cores: 2)
        ),
        TestHierarchy(
            folder: "/sys/fs/cgroup/memory",
            outer: [("memory.use_hierarchy", "1"), ("memory.limit_in_bytes", "67108864")],
            inner: [("memory.limit_in_bytes", "134217728")],
            limits: ControlGroup(memoryBytes: 64 << 20)
        ),
        TestHierarchy(
            folder: "/sys/fs/cgroup",
            outer: [
                ("cgroup.subtree_control", "+cpu +memory"), ("memory.max", "67108864"), ("cpu.max", "200000 100000"),
            ],
            inner: [("memory.max", "134217728")],
            limits: ControlGroup(cores: 2, memoryBytes: 64 << 20)
        ),
    ].filter(\.isWritable)

    private var isWritable: Bool {
        let controllers = folder.split(separator: "/").last.map(String.init) ?? ""
        let memberships = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        let isUnified = controllers == "cgroup"
        let isRoot = memberships.split(separator: "\n").contains { line in
            line.hasSuffix(isUnified ? "0::/" : ":\(controllers):/")
        }
        let probe = folder + "/" + (isUnified ? "memory.max" : outer[0].name)
        // The root group of version 2 has no limits. `cgroup.controllers` lists the available controllers.
        let exists =
            isUnified
            ? (try? String(contentsOfFile: folder + "/cgroup.subtree_control", encoding: .utf8))?.contains("memory")
                == true : access(probe, F_OK) == 0
        return isRoot && exists && access(folder, W_OK) == 0 && geteuid() == 0
    }
}
