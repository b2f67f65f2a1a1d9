/// The parts of the sandbox of a process that the service starts.
package struct SandboxParts: OptionSet, Hashable, Sendable {
    /// The process ends with the thread that started it.
    package static let parentBound = SandboxParts(rawValue: 1)
    package static let noNewPrivileges = SandboxParts(rawValue: 2)
    package static let notDumpable = SandboxParts(rawValue: 4)
    /// Landlock: no access to files or TCP ports, except those that the process needs. Requires Linux 5.13.
    package static let landlock = SandboxParts(rawValue: 8)
    /// Limits on memory and open files.
    package static let limits = SandboxParts(rawValue: 16)
    /// A filter of system calls.
    package static let seccomp = SandboxParts(rawValue: 32)
    /// The process has no capabilities, even if the service runs as root.
    package static let noCapabilities = SandboxParts(rawValue: 64)

    package static let all: SandboxParts = [
        .parentBound, .noNewPrivileges, .notDumpable, .landlock, .limits, .seccomp, .noCapabilities,
    ]

    /// The parts and their names in logs.
    private static let names: [(part: SandboxParts, name: String)] = [
        (.parentBound, "parent death signal"), (.noNewPrivileges, "no new privileges"), (.notDumpable, "not dumpable"),
        (.landlock, "landlock"), (.limits, "resource limits"), (.seccomp, "seccomp"),
        (.noCapabilities, "no capabilities"),
    ]

    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The names of the parts, for logs.
    package var list: String { Self.names.filter { contains($0.part) }.map(\.name).joined(separator: ", ") }
}
