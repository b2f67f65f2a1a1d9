/// The hierarchies of control groups that limit processors or memory.
enum ControlGroupHierarchy: CaseIterable {
    /// The hierarchy of version 2, which has all controllers.
    case unified
    /// The hierarchy of version 1 with the controller `cpu`.
    case processors
    /// The hierarchy of version 1 with the controller `memory`.
    case memory

    /// The name of the controller of version 1; `nil` for version 2.
    private var controller: String? {
        switch self {
        case .unified: nil
        case .processors: "cpu"
        case .memory: "memory"
        }
    }

    /// Returns the paths of the groups of a process and of their ancestors that are mounted, with their hierarchies.
    /// - Parameters:
    ///   - memberships: the content of `/proc/self/cgroup`.
    ///   - mounts: the content of `/proc/self/mountinfo`.
    static func folders(memberships: String, mounts: String) -> [(hierarchy: Self, folder: String)] {
        let memberships = memberships.split(separator: "\n").compactMap(ControlGroupMembership.init(parsing:))
        let mounts = mounts.split(separator: "\n").compactMap(ControlGroupMount.init(parsing:))
        return allCases.flatMap { hierarchy in
            hierarchy.folders(memberships, mounts).map { (hierarchy, $0) }
        }
    }

    private func folders(_ memberships: [ControlGroupMembership], _ mounts: [ControlGroupMount]) -> [String] {
        let mounts = mounts.filter { controller.map($0.controllers.contains) ?? $0.isUnified }
        let groups = memberships.filter { controller.map($0.controllers.contains) ?? $0.isUnified }
        let located = mounts.flatMap { mount in groups.flatMap { mount.folders(ofGroup: $0.path) } }
        guard located.isEmpty else { return located }
        // The last mount covers the mounts before it.
        return mounts.last.map { [$0.folder] } ?? []
    }
}

/// A line of `/proc/self/cgroup`: `4:cpu,cpuacct:/docker/c1`.
struct ControlGroupMembership {
    let isUnified: Bool
    /// The controllers of version 1 of the hierarchy.
    let controllers: Set<String>
    /// The path, relative to the root of the hierarchy or of the namespace.
    let path: String

    /// Returns `nil` unless `line` has three fields, the last of which is an absolute path.
    init?(parsing line: Substring) {
        // The path may contain colons.
        let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[2].hasPrefix("/") else { return nil }
        isUnified = fields[0] == "0" && fields[1].isEmpty
        controllers = Set(fields[1].split(separator: ",").map(String.init))
        path = String(fields[2])
    }
}

/// A line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)) about control groups.
struct ControlGroupMount {
    let isUnified: Bool
    /// The options of the file system, which contain the controllers of version 1.
    let controllers: Set<String>
    /// The group at the root of the mount.
    let root: String
    /// The path of the mount point.
    let folder: String

    /// Returns `nil` if `line` is malformed, or describes another file system.
    init?(parsing line: Substring) {
        // 36 35 98:0 /root /folder rw,noatime master:1 - cgroup2 cgroup rw
        let fields = line.split(separator: " ")
        guard fields.count > 6, let separator = fields.dropFirst(6).firstIndex(of: "-") else { return nil }
        let system = fields[(separator + 1)...]
        guard system.count == 3, let type = system.first, let options = system.last else { return nil }
        isUnified = type == "cgroup2"
        guard isUnified || type == "cgroup" else { return nil }
        controllers = isUnified ? [] : Set(options.split(separator: ",").map(String.init))
        root = Self.unescaped(fields[3])
        folder = Self.unescaped(fields[4])
    }

    /// Returns the paths of the group at `path` and of its ancestors up to the root of the mount. The result is empty
    /// if the group is not in the mount.
    func folders(ofGroup path: String) -> [String] {
        let names = path.split(separator: "/")
        let rootNames = root.split(separator: "/")
        guard names.starts(with: rootNames), !names.contains("..") else { return [] }
        let inner = names.dropFirst(rootNames.count)
        return (0...inner.count).map { count in folder + inner.prefix(count).map { "/" + $0 }.joined() }
    }

    /// Replaces the octal escape sequences of spaces, tabs, line feeds and backslashes: `a\040b` → `a b`.
    private static func unescaped(_ text: Substring) -> String {
        let parts = text.split(separator: "\\", omittingEmptySubsequences: false)
        let rest = parts.dropFirst().map { part in
            guard let byte = UInt8(part.prefix(3), radix: 8) else { return "\\" + part }
            return String(UnicodeScalar(byte)) + part.dropFirst(3)
        }
        return String(parts[0]) + rest.joined()
    }
}
