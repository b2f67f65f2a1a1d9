internal import CSandbox
internal import Glibc
internal import Platform

/// The parts of a worker's sandbox.
package struct SandboxParts: OptionSet, Hashable, Sendable {
    /// The worker ends with the thread that started it.
    package static let parentBound = SandboxParts(rawValue: 1)
    package static let noNewPrivileges = SandboxParts(rawValue: 2)
    package static let notDumpable = SandboxParts(rawValue: 4)
    /// Landlock: no access to files or TCP ports. Requires Linux 5.13.
    package static let landlock = SandboxParts(rawValue: 8)
    /// Limits on memory, and no more open files.
    package static let limits = SandboxParts(rawValue: 16)
    /// A filter of system calls that kills the process.
    package static let seccomp = SandboxParts(rawValue: 32)
    /// The worker has no capabilities, even if the service runs as root.
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

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    var list: String {
        Self.names.filter { contains($0.part) }.map(\.name).joined(separator: ", ")
    }
}

/// The functions of `CSandbox`, which no other file imports.
enum Sandbox {
    /// Makes this process end with the thread that started it. Returns an empty set if `parent` is no longer its parent.
    static func bind(toParent parent: Int32) -> SandboxParts {
        SandboxParts(rawValue: csandbox_bind_to_parent(parent))
    }

    /// Permanently gives up everything except computing, communicating over `socket` and writing to standard error.
    /// - Parameter addressBytes: the maximum size of the address space.
    /// - Returns: those of `parts` that are in effect.
    static func enter(_ parts: SandboxParts, socket: Int32, addressBytes: Int) -> SandboxParts {
        SandboxParts(rawValue: csandbox_enter(parts.rawValue, socket, UInt64(addressBytes)))
    }

    /// Returns a descriptor of anonymous memory whose size is sealed at `count` bytes.
    static func makeMemory(bytes count: Int) throws(SystemError) -> FileDescriptor {
        let result = csandbox_memory_create(UInt64(count))
        guard result >= 0 else { throw SystemError("create shared memory", code: -result) }
        return FileDescriptor(owning: result, name: "shared memory")
    }

    /// Returns the pages of a part of the memory to the system.
    static func discard(_ range: Range<Int>, of memory: borrowing FileDescriptor) {
        // If this fails, the pages remain and are used again. Nothing depends on it.
        _ = csandbox_memory_discard(memory.number, UInt64(range.lowerBound), UInt64(range.count))
    }

    /// Returns two connected sockets that preserve message boundaries.
    static func makeSocketPair() throws(SystemError) -> SocketPair {
        var ends: [Int32] = [-1, -1]
        // The call writes two descriptors, which fit into `ends`.
        let result = unsafe csandbox_socket_pair(&ends)
        guard result == 0 else { throw SystemError("create a pair of sockets", code: -result) }
        return SocketPair(
            near: FileDescriptor(owning: ends[0], name: "socket"),
            far: FileDescriptor(owning: ends[1], name: "socket of the worker")
        )
    }

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - environment: the complete environment of the process.
    ///   - descriptors: the descriptors 0, 1, 2 and so on of the process, which has no others.
    static func spawn(
        _ path: String,
        _ arguments: [String],
        environment: [String],
        descriptors: [Int32]
    ) throws(SystemError) -> pid_t {
        var process: Int32 = -1
        var arguments = CStrings(arguments)
        var environment = CStrings(environment)
        // Both lists are terminated by a null pointer, and all arguments outlive the call.
        let result = unsafe csandbox_spawn(
            path,
            &arguments.pointers,
            &environment.pointers,
            descriptors,
            descriptors.count,
            &process
        )
        guard result == 0 else { throw SystemError("start \(path)", code: -result) }
        return process
    }
}

/// A list of C strings that is terminated by a null pointer.
@safe private struct CStrings: ~Copyable {
    var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) {
        unsafe pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    }

    deinit {
        unsafe pointers.forEach { unsafe free($0) }
    }
}

struct SocketPair: ~Copyable {
    /// The end of the service.
    var near: FileDescriptor
    /// The end of the worker.
    var far: FileDescriptor
}
