internal import Platform

/// The reason why an HTTP server could not start.
enum HTTPServerError: Error, Equatable, Sendable {
    /// Not an IPv4 or IPv6 address in numbers.
    case invalidAddress(String)

    /// `bind` failed: the port is taken, or not permitted for this user, or the address does not belong to this machine.
    case cannotBind(address: String, port: UInt16, errno: Int32)

    /// A system call failed that should not.
    case system(SystemError)

    /// The HTTP library does not read from sockets through ``Connection/receive(into:)``, or does not handle what that returns.
    /// No request may be served then.
    case seamNotReached
}

extension HTTPServerError: CustomStringConvertible {
    /// One sentence for a person.
    var description: String {
        switch self {
        case .invalidAddress(let address):
            "\(address) is not an IPv4 or IPv6 address"
        case .cannotBind(let address, let port, let code):
            "cannot listen on \(address) port \(port): \(SystemError.reason(code))"
        case .system(let error):
            error.description
        case .seamNotReached:
            "the HTTP library of this system does not work with this program: it failed the self-test at startup"
        }
    }
}
