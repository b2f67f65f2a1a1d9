internal import Glibc

/// What this process may use of the machine: the whole of it, or what its control group (cgroup) leaves.
struct MachineResources: Equatable, Sendable {
    /// Cores, at least 1.
    var cores: Int

    /// Memory in bytes.
    var memoryBytes: Int

    /// What the process needs besides content: code, threads, connections. Planned with, not enforced.
    static let baseBytes = 64 << 20

    static func current() -> MachineResources {
        let group = ControlGroup.current()
        let memory = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        return MachineResources(
            cores: min(ProcessorCount.available, group.cores ?? .max),
            memoryBytes: min(memory.overflow ? .max : memory.partialValue, group.memoryBytes ?? .max)
        )
    }
}

/// The limits that a control group sets; nil where it sets none.
struct ControlGroup: Equatable, Sendable {
    /// CPU time in cores, rounded up.
    var cores: Int?
    var memoryBytes: Int?

    /// The group of this process: cgroup v2 where it is mounted, else v1.
    ///
    /// In a container both are mounted with the container's group as root. Outside, a v2 process finds its group in
    /// `/proc/self/cgroup`, and every ancestor's limit binds it too.
    static func current() -> ControlGroup {
        var group = ControlGroup()
        for folder in ancestors(ofGroup: readSmallFile("/proc/self/cgroup").flatMap(unifiedPath) ?? "/") {
            let path = "/sys/fs/cgroup" + folder
            group.tighten(
                cores: readSmallFile(path + "/cpu.max").flatMap(cores(fromCPUMax:)),
                memoryBytes: readSmallFile(path + "/memory.max").flatMap(bytes)
            )
        }
        group.tighten(
            cores: nil,
            memoryBytes: readSmallFile("/sys/fs/cgroup/memory/memory.limit_in_bytes").flatMap(bytes)
        )
        return group
    }

    private mutating func tighten(cores: Int?, memoryBytes: Int?) {
        self.cores = [self.cores, cores].compactMap(\.self).min()
        self.memoryBytes = [self.memoryBytes, memoryBytes].compactMap(\.self).min()
    }

    /// The v2 line of `/proc/self/cgroup`: `0::/user.slice/session.scope`.
    static func unifiedPath(_ text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::/") }
        return line.map { String($0.dropFirst(3)) }
    }

    /// `/a/b` gives `/a/b`, `/a` and the root, which is empty.
    static func ancestors(ofGroup path: String) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).reversed().map { count in names.prefix(count).map { "/" + $0 }.joined() }
    }

    /// `max 100000` is no limit; `150000 100000` (microseconds of CPU a period) is 2 cores.
    static func cores(fromCPUMax text: String) -> Int? {
        let parts = text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
        return (parts[0] - 1) / parts[1] + 1
    }

    /// `max` and v1's enormous default are no limit.
    static func bytes(_ text: String) -> Int? {
        let number = text.split(separator: "\n").first.flatMap { Int($0) }
        return number.flatMap { $0 < 1 << 60 ? $0 : nil }
    }

    private static func readSmallFile(_ path: String) -> String? {
        guard let file = try? FileDescriptor(opening: path),
            let content = try? file.readAll(maxBytes: 4096)
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }
}
