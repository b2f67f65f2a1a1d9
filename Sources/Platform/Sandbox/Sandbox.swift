internal import CSandbox
package import Glibc

/// The functions of `CSandbox`, which no other file imports.
package enum Sandbox {
    /// Makes this process end with the thread that started it. Returns an empty set if `parent` is no longer its
    /// parent.
    package static func bind(toParent parent: Int32) -> SandboxParts {
        SandboxParts(rawValue: csandbox_bind_to_parent(parent))
    }

    /// Permanently gives up everything except computing, communicating over `socket` and writing to standard error.
    /// - Parameter addressBytes: the maximum size of the address space.
    /// - Returns: those of `parts` that are in effect.
    package static func enter(_ parts: SandboxParts, socket: Int32, addressBytes: Int) -> SandboxParts {
        SandboxParts(rawValue: csandbox_enter(parts.rawValue, socket, UInt64(addressBytes)))
    }

    /// Permanently gives up everything except computing, using the open descriptors, opening IP sockets and connecting
    /// them, and reading some files.
    /// - Parameters:
    ///   - readablePaths: files, and folders whose files may be read. Paths that do not exist are ignored.
    ///   - addressBytes: the maximum size of the address space.
    ///   - files: the maximum number of open descriptors.
    /// - Returns: those of `parts` that are in effect.
    package static func enterNetwork(
        _ parts: SandboxParts,
        readablePaths: [String],
        addressBytes: Int,
        files: Int
    ) -> SandboxParts {
        var paths = CStrings(readablePaths)
        // The pointers are those of C strings, which outlive the call, and a null pointer after the last one, which is
        // not counted.
        return unsafe paths.pointers.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return [] }
            let list = unsafe base.assumingMemoryBound(to: UnsafePointer<CChar>.self)
            return SandboxParts(
                rawValue: unsafe csandbox_enter_network(
                    parts.rawValue,
                    list,
                    readablePaths.count,
                    UInt64(addressBytes),
                    UInt64(files)
                )
            )
        }
    }

    /// Returns a descriptor of anonymous memory whose size is sealed at `count` bytes.
    package static func makeMemory(bytes count: Int) throws(SystemError) -> FileDescriptor {
        let result = csandbox_memory_create(UInt64(count))
        guard result >= 0 else { throw SystemError("create shared memory", code: -result) }
        return FileDescriptor(owning: result, name: "shared memory")
    }

    /// Returns the pages of a part of the memory to the system.
    package static func discard(_ range: Range<Int>, of memory: borrowing FileDescriptor) {
        // If this fails, the pages remain and are used again. Nothing depends on it.
        _ = csandbox_memory_discard(memory.number, UInt64(range.lowerBound), UInt64(range.count))
    }

    /// Returns two connected sockets.
    package static func makeSocketPair(_ kind: SocketPair.Kind) throws(SystemError) -> SocketPair {
        var ends: [Int32] = [-1, -1]
        // The call writes two descriptors, which fit into `ends`.
        let result = unsafe csandbox_socket_pair(&ends, kind == .stream)
        guard result == 0 else { throw SystemError("create a pair of sockets", code: -result) }
        return SocketPair(
            near: FileDescriptor(owning: ends[0], name: "socket"),
            far: FileDescriptor(owning: ends[1], name: "socket of the process")
        )
    }

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - environment: the complete environment of the process.
    ///   - descriptors: the descriptors 0, 1, 2 and so on of the process, which has no others.
    package static func spawn(
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

    init(_ texts: [String]) { unsafe pointers = unsafe texts.map { unsafe strdup($0) } + [nil] }

    deinit { unsafe pointers.forEach { unsafe free($0) } }
}

/// Two connected sockets.
package struct SocketPair: ~Copyable {
    package enum Kind: Sendable {
        /// Message boundaries are preserved.
        case messages
        /// A stream of bytes.
        case stream
    }

    /// The end of the service.
    package var near: FileDescriptor
    /// The end of the process that the service starts.
    package var far: FileDescriptor

    /// Returns the near end, and closes the far one.
    package consuming func takeNear() -> FileDescriptor { near }
}
