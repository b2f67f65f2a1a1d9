package import Platform

/// The reason why an HTTP server could not start.
package enum HTTPServerError: Error, Equatable, Sendable {
    /// The address is not a numeric IPv4 or IPv6 address.
    case invalidAddress(String)

    /// `bind` failed: the port is in use, or this user is not permitted to use it, or the address does not belong to
    /// this machine.
    case cannotBind(address: String, port: UInt16, errno: Int32)

    /// A system call failed unexpectedly.
    case system(SystemError)

    /// The HTTP library does not read from sockets through ``Connection/receive(into:)``, or does not handle the bytes
    /// that it returns. Then no request may be served.
    case receiveNotInterposed
}

extension HTTPServerError: CustomStringConvertible {
    /// The error as one sentence.
    package var description: String {
        switch self {
        case .invalidAddress(let address): "\(address) is not an IPv4 or IPv6 address"
        case .cannotBind(let address, 0, let code) where address.utf8.contains(UInt8(ascii: "/")):
            "cannot listen on the socket \(address): \(SystemError.reason(code))"
        case .cannotBind(let address, let port, let code):
            "cannot listen on \(address) port \(port): \(SystemError.reason(code))"
        case .system(let error): error.description
        case .receiveNotInterposed:
            "the HTTP library of this system does not work with this program: it failed the self-test at startup"
        }
    }
}
