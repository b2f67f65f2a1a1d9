internal import Fetching
internal import Glibc
internal import Platform

/// The program `decant-fetcher`: it drops all privileges that it does not need, and fetches until the service ends.
///
/// Its arguments are ``FetcherSettings``, and descriptor 3 is its socket to the service. It is internal, and not meant
/// to be invoked directly.
@main
enum FetcherProgram {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let settings = FetcherSettings(parsing: arguments, environment: environment) else {
            exit(.misuse, "decant starts this program; it is not meant to be invoked directly")
        }
        let requested = SandboxParts(rawValue: settings.sandbox)
        let bound = requested.contains(.parentBound) ? Sandbox.bind(toParent: settings.parent) : []
        if requested.contains(.parentBound), bound.isEmpty { exit(.orphan, "the service has ended") }
        guard (try? FileDescriptor(opening: ReadablePaths.randomNumbers)) != nil else {
            exit(.misuse, "\(ReadablePaths.randomNumbers) cannot be read")
        }
        Heap.configureForFetcher()
        signal(SIGPIPE, SIG_IGN)
        // Everything that the libraries read when they are initialized is read before the sandbox.
        guard Lookup.initialize(), let set = CurlSet() else { exit(.misuse, "a library cannot be initialized") }
        let parts = Sandbox.enterNetwork(
            requested,
            readablePaths: ReadablePaths.of(settings),
            addressBytes: settings.memoryBytes,
            files: OpenFileLimit.raise(to: maxFiles)
        )
        let control = ControlSocket(FileDescriptor(owning: ControlSocket.number, name: "socket"))
        let loop = FetcherLoop(settings, control: control, set: set)
        do throws(FetchFrameError) {
            try loop.run(sandbox: bound.union(parts))
        } catch { exit(.misuse, "\(error)") }
        _exit(Status.done.rawValue)
    }

    /// The maximum number of open descriptors, if the system permits as many.
    private static let maxFiles = 65_536

    private static func environment(_ name: String) -> String? {
        // The environment is not changed while the text is copied.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The exit status of a fetcher that is not killed.
    private enum Status: Int32 {
        case done = 0
        /// The arguments or a frame of the service are invalid.
        case misuse = 2
        /// The service has ended.
        case orphan = 3
    }

    private static func exit(_ status: Status, _ words: String) -> Never {
        // Standard error is memory that the service reads after the end.
        _ = try? FileDescriptor.standardError().writeLine("decant-fetcher: \(words)")
        _exit(status.rawValue)
    }
}

/// The files that a fetcher reads, for the sandbox.
enum ReadablePaths {
    /// The source of the identifiers of DNS queries. If c-ares cannot read it, it uses predictable ones.
    static let randomNumbers = "/dev/urandom"

    /// Returns the file of certificates, the source of random numbers, and the folders of the files that are read
    /// again. These files are replaced while the process runs, and a rule for a file itself would not apply to its
    /// replacement.
    static func of(_ settings: FetcherSettings) -> [String] {
        var paths = [settings.caFile, randomNumbers]
        for path in [settings.resolvConf, settings.hosts] {
            for name in [path, resolved(path)] {
                let folder = folder(of: name)
                if !paths.contains(folder) { paths.append(folder) }
            }
        }
        return paths
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the path without symbolic links; `path` itself if it does not exist.
    private static func resolved(_ path: String) -> String {
        // The result is a C string that this function owns.
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
