internal import Glibc

/// Why a daemon could not start.
enum DaemonError: Error, Equatable, Sendable {
    /// Not an IPv4 or IPv6 address in numbers.
    case invalidAddress(String)

    /// `bind` refused: the port is taken, or not this user's, or the address is none of this machine's.
    case cannotBind(address: String, port: UInt16, errno: Int32)

    /// A system call failed that should not.
    case system(String, errno: Int32)

    /// The HTTP library did not start.
    case library(errno: Int32)
}

extension DaemonError: CustomStringConvertible {
    /// One sentence for a person.
    var description: String {
        switch self {
        case .invalidAddress(let address):
            "\(address) is not an IPv4 or IPv6 address"
        case .cannotBind(let address, let port, let code):
            "cannot listen on \(address) port \(port): \(Self.message(code))"
        case .system(let call, let code):
            "\(call) failed: \(Self.message(code))"
        case .library(let code):
            "the HTTP library did not start: \(Self.message(code))"
        }
    }

    private static func message(_ code: Int32) -> String {
        // The text is the thread's own (glibc since 2.32, strerror(3)), and copied at once.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
