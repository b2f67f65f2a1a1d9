/// The limits of a control group (cgroups(7)); `nil` if a limit is not set.
package struct ControlGroup: Equatable, Sendable {
    /// CPU time in cores, rounded up.
    package var cores: Int?

    package var memoryBytes: Int?

    /// Returns the limits of the group of this process: cgroup v2 and, if it is mounted, v1.
    ///
    /// In a container the root of the mounted hierarchy is the group of the container. Outside a container, `/proc/self/cgroup`
    /// contains the path of the v2 group, and the limits of all its ancestors apply too.
    package static func current() -> ControlGroup {
        var group = ControlGroup()
        for folder in ancestors(
            ofGroup: FileDescriptor.text(ofSmallFile: "/proc/self/cgroup").flatMap(unifiedPath) ?? "/"
        ) {
            let path = "/sys/fs/cgroup" + folder
            group.tighten(
                cores: FileDescriptor.text(ofSmallFile: path + "/cpu.max").flatMap(cores(fromCPUMax:)),
                memoryBytes: FileDescriptor.text(ofSmallFile: path + "/memory.max").flatMap(bytes)
            )
        }
        group.tighten(
            cores: nil,
            memoryBytes: FileDescriptor.text(ofSmallFile: "/sys/fs/cgroup/memory/memory.limit_in_bytes").flatMap(bytes)
        )
        return group
    }

    private mutating func tighten(cores: Int?, memoryBytes: Int?) {
        self.cores = [self.cores, cores].compactMap(\.self).min()
        self.memoryBytes = [self.memoryBytes, memoryBytes].compactMap(\.self).min()
    }

    /// Returns the path in the v2 line of `/proc/self/cgroup`: `0::/user.slice/session.scope` → `/user.slice/session.scope`.
    package static func unifiedPath(_ text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::/") }
        return line.map { String($0.dropFirst(3)) }
    }

    /// Returns the group itself and all its ancestors: `/a/b` → `/a/b`, `/a` and the root, which is the empty string.
    package static func ancestors(ofGroup path: String) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).reversed().map { count in names.prefix(count).map { "/" + $0 }.joined() }
    }

    /// Parses `cpu.max`: `150000 100000` (microseconds of CPU time per period) → 2 cores; `max 100000` → `nil`, no limit.
    package static func cores(fromCPUMax text: String) -> Int? {
        let parts = text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
        return (parts[0] - 1) / parts[1] + 1
    }

    /// Parses a memory limit. `max`, and the very large default of v1, mean that there is no limit: `nil`.
    package static func bytes(_ text: String) -> Int? {
        let number = text.split(separator: "\n").first.flatMap { Int($0) }
        return number.flatMap { $0 < 1 << 60 ? $0 : nil }
    }
}
