/// The limits of the control groups (cgroups(7)) of a process; `nil` if a limit is not set.
///
/// `/proc/self/cgroup` contains the path of the group in each hierarchy, and `/proc/self/mountinfo` the location of
/// each hierarchy:
///
///     0::/kubepods.slice/pod1/c1                                   the group in the hierarchy of version 2
///     4:memory:/docker/c1                                          the group of the controller `memory` of version 1
///     31 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw           version 2 is mounted as a whole
///     32 24 0:29 /docker/c1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
///                                                                  a container sees only its own group
///
/// A limit of a group applies to the groups below it. The smallest limit of a group and all its ancestors is therefore
/// in effect. The manual does not specify the following cases:
/// - A process can have groups of both versions (hybrid hierarchies). The limits of both apply.
/// - A group outside the mount, or outside the namespace (`/../a`), cannot be located. Then the root of the mount is
///   read, which in a container is the group of the container.
/// - `memory.high` slows a process down and is not a limit.
/// - A file that is missing or malformed means that there is no limit.
package struct ControlGroup: Equatable, Sendable {
    /// The CPU time in cores, rounded down, at least 1.
    ///
    /// A fraction of a core is not used: with more threads than cores of CPU time, the time of a period would be used
    /// up early, and all threads would wait for the next period.
    package var cores: Int?

    package var memoryBytes: Int?

    package init(cores: Int? = nil, memoryBytes: Int? = nil) {
        self.cores = cores
        self.memoryBytes = memoryBytes
    }

    /// Returns the limits of a process.
    /// - Parameter process: the folder of the process in procfs.
    package static func current(process: String = "/proc/self") -> ControlGroup {
        limits(
            memberships: text(of: process + "/cgroup") ?? "",
            mounts: text(of: process + "/mountinfo") ?? "",
            read: text
        )
    }

    /// Returns the limits of a process.
    /// - Parameters:
    ///   - memberships: the content of `/proc/self/cgroup`.
    ///   - mounts: the content of `/proc/self/mountinfo`.
    ///   - read: returns the content of the file at a path; `nil` if it cannot be read.
    package static func limits(memberships: String, mounts: String, read: (String) -> String?) -> ControlGroup {
        var group = ControlGroup()
        for (hierarchy, folder) in ControlGroupHierarchy.folders(memberships: memberships, mounts: mounts) {
            group.tighten(hierarchy.limits { read(folder + "/" + $0) })
        }
        return group
    }

    private mutating func tighten(_ other: ControlGroup) {
        cores = [cores, other.cores].compactMap(\.self).min()
        memoryBytes = [memoryBytes, other.memoryBytes].compactMap(\.self).min()
    }

    /// The maximum size of a file in procfs or of a control group. Machines with many containers have thousands of
    /// mounts.
    private static let maxFileBytes = 4 << 20

    static func text(of path: String) -> String? {
        guard let file = try? FileDescriptor(opening: path),
            let content = try? file.readAll(maxBytes: maxFileBytes)
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }
}

// MARK: The files of a group

extension ControlGroupHierarchy {
    /// Returns the limits of one group.
    /// - Parameter read: returns the content of a file of the group; `nil` if it cannot be read.
    fileprivate func limits(_ read: (String) -> String?) -> ControlGroup {
        switch self {
        case .unified:
            return ControlGroup(
                cores: read("cpu.max").flatMap(ControlGroup.cores(fromCPUMax:)),
                memoryBytes: read("memory.max").flatMap(ControlGroup.bytes)
            )
        case .processors:
            guard let quota = read("cpu.cfs_quota_us"), let period = read("cpu.cfs_period_us") else {
                return ControlGroup()
            }
            return ControlGroup(cores: ControlGroup.cores(fromCPUMax: quota + " " + period))
        case .memory:
            // The second file contains the smallest limit of all ancestors, also of those that a container does not
            // see.
            let limits = [
                read("memory.limit_in_bytes"), read("memory.stat").flatMap(ControlGroup.hierarchicalLimit),
            ]
            return ControlGroup(memoryBytes: limits.compactMap(\.self).compactMap(ControlGroup.bytes).min())
        }
    }
}

extension ControlGroup {
    /// Parses `cpu.max`: `250000 100000` (microseconds of CPU time per period) → 2 cores; `max 100000` → `nil`, no
    /// limit.
    ///
    /// The concatenated content of the two files of version 1 has the same form: `-1 100000` → `nil`.
    package static func cores(fromCPUMax text: String) -> Int? {
        let parts = text.split { $0 == " " || $0 == "\n" }
        guard parts.count == 2, let time = Int(parts[0]), let period = Int(parts[1]), time > 0, period > 0 else {
            return nil
        }
        return max(1, time / period)
    }

    /// Parses a memory limit, in bytes. Returns `nil`, no limit, for `max` and for values that no machine can have.
    package static func bytes(_ text: String) -> Int? {
        let number = text.split(separator: "\n").first.flatMap { Int($0) }
        // The default of version 1 is 2^63 minus one page.
        return number.flatMap { (1..<1 << 60).contains($0) ? $0 : nil }
    }

    /// Returns the number after `hierarchical_memory_limit` in `memory.stat` of version 1.
    package static func hierarchicalLimit(_ text: String) -> String? {
        statistic("hierarchical_memory_limit", in: text)
    }

    /// Returns the number after `name` in `memory.stat`.
    static func statistic(_ name: String, in text: String) -> String? {
        let prefix = name + " "
        return text.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
