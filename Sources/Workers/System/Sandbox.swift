internal import CSandbox
internal import Glibc
internal import Platform

/// What holds a worker back.
package struct SandboxParts: OptionSet, Hashable, Sendable {
    /// It ends with the thread that started it.
    package static let parentBound = SandboxParts(rawValue: 1)
    package static let noNewPrivileges = SandboxParts(rawValue: 2)
    package static let notDumpable = SandboxParts(rawValue: 4)
    /// Landlock: no file, no TCP port. Needs Linux 5.13.
    package static let landlock = SandboxParts(rawValue: 8)
    /// Bounds on memory, and no more open files.
    package static let limits = SandboxParts(rawValue: 16)
    /// A filter of system calls that kills.
    package static let seccomp = SandboxParts(rawValue: 32)
    /// It has no capability, also if the service runs as root.
    package static let noCapabilities = SandboxParts(rawValue: 64)

    package static let all: SandboxParts = [
        .parentBound, .noNewPrivileges, .notDumpable, .landlock, .limits, .seccomp, .noCapabilities,
    ]

    /// Each with its name in logs.
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

/// The calls of `CSandbox`, which nothing else imports.
enum Sandbox {
    /// Makes this process end with the thread that started it. Nothing where `parent` is not its parent any more.
    static func bind(toParent parent: Int32) -> SandboxParts {
        SandboxParts(rawValue: csandbox_bind_to_parent(parent))
    }

    /// Gives up, for good, everything but computing, talking on `socket` and writing to standard error.
    /// - Parameter addressBytes: bound of all that is mapped.
    /// - Returns: what is in force, of `parts`.
    static func enter(_ parts: SandboxParts, socket: Int32, addressBytes: Int) -> SandboxParts {
        SandboxParts(rawValue: csandbox_enter(parts.rawValue, socket, UInt64(addressBytes)))
    }

    /// A descriptor of memory that keeps its size of `count` bytes.
    static func makeMemory(bytes count: Int) throws(SystemError) -> FileDescriptor {
        let result = csandbox_memory_create(UInt64(count))
        guard result >= 0 else { throw SystemError("create shared memory", code: -result) }
        return FileDescriptor(owning: result, name: "shared memory")
    }

    /// Gives the pages of a part of it back to the system.
    static func discard(_ range: Range<Int>, of memory: borrowing FileDescriptor) {
        // What cannot be given back stays, and is used again: nothing depends on it.
        _ = csandbox_memory_discard(memory.number, UInt64(range.lowerBound), UInt64(range.count))
    }

    /// Two connected sockets that keep messages apart.
    static func makeSocketPair() throws(SystemError) -> SocketPair {
        var ends: [Int32] = [-1, -1]
        // The call writes two descriptors, for which `ends` has room.
        let result = unsafe csandbox_socket_pair(&ends)
        guard result == 0 else { throw SystemError("create a pair of sockets", code: -result) }
        return SocketPair(
            near: FileDescriptor(owning: ends[0], name: "socket"),
            far: FileDescriptor(owning: ends[1], name: "socket of the worker")
        )
    }

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - environment: all that it gets.
    ///   - descriptors: its 0, 1, 2 and so on; it gets no other.
    static func spawn(
        _ path: String,
        _ arguments: [String],
        environment: [String],
        descriptors: [Int32]
    ) throws(SystemError) -> pid_t {
        var process: Int32 = -1
        var arguments = CStrings(arguments)
        var environment = CStrings(environment)
        // Both lists end with null, and all of it outlives the call.
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

/// A list of C strings that ends with null.
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
    /// Ours.
    var near: FileDescriptor
    /// The worker's.
    var far: FileDescriptor
}
