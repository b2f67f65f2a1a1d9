/// The memory that a control group uses, and its limit, in bytes.
///
/// The usage of a group includes files that the kernel has in memory and can drop at any time. Those that were not used
/// lately (`inactive_file`) do not count, as in the memory that Kubernetes reports and evicts by (`working_set`).
package struct MemoryUsage: Equatable, Sendable {
    package var usedBytes: Int
    package var limitBytes: Int

    package init(usedBytes: Int, limitBytes: Int) {
        self.usedBytes = usedBytes
        self.limitBytes = limitBytes
    }

    /// Returns the usage of the group of a process, or of that of its ancestors which is nearest to its limit; `nil` if
    /// none of them has a limit.
    /// - Parameter process: the folder of the process in procfs.
    package static func current(process: String = "/proc/self") -> MemoryUsage? {
        usage(
            memberships: ControlGroup.text(of: process + "/cgroup") ?? "",
            mounts: ControlGroup.text(of: process + "/mountinfo") ?? "",
            read: ControlGroup.text
        )
    }

    /// - Parameters:
    ///   - memberships: the content of `/proc/self/cgroup`.
    ///   - mounts: the content of `/proc/self/mountinfo`.
    ///   - read: returns the content of the file at a path; `nil` if it cannot be read.
    package static func usage(memberships: String, mounts: String, read: (String) -> String?) -> MemoryUsage? {
        let groups = ControlGroupHierarchy.folders(memberships: memberships, mounts: mounts)
        let usages = groups.compactMap { $0.hierarchy.memoryFiles?.usage(in: $0.folder, read) }
        return usages.max { $0.share < $1.share }
    }

    private var share: Double { Double(usedBytes) / Double(limitBytes) }
}

/// The names of the files of a group that describe its memory.
private struct MemoryFiles {
    let limit: String
    let usage: String
    /// The line of `memory.stat`, including the groups below.
    let inactiveFile: String

    func usage(in folder: String, _ read: (String) -> String?) -> MemoryUsage? {
        guard let limit = read(folder + "/" + limit).flatMap(ControlGroup.bytes),
            let used = read(folder + "/" + usage).flatMap(ControlGroup.bytes)
        else { return nil }
        let inactive = read(folder + "/memory.stat").flatMap { ControlGroup.statistic(inactiveFile, in: $0) }
        return MemoryUsage(usedBytes: max(0, used - (inactive.flatMap { Int($0) } ?? 0)), limitBytes: limit)
    }
}

extension ControlGroupHierarchy {
    /// `nil` for a hierarchy without memory.
    fileprivate var memoryFiles: MemoryFiles? {
        switch self {
        case .unified: MemoryFiles(limit: "memory.max", usage: "memory.current", inactiveFile: "inactive_file")
        case .processors: nil
        case .memory:
            MemoryFiles(
                limit: "memory.limit_in_bytes",
                usage: "memory.usage_in_bytes",
                inactiveFile: "total_inactive_file"
            )
        }
    }
}
