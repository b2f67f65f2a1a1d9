internal import Glibc
internal import HTTP
internal import Platform

/// Sends one `GET` to a service on this machine, and reads its status code.
enum HealthProbe {
    /// - Parameter timeoutSeconds: the maximum time for each of connecting, sending and receiving, in seconds.
    /// - Returns: the status code; `nil` if the response is not HTTP.
    static func status(
        of path: StaticString,
        at address: SocketAddress,
        timeoutSeconds: Int
    ) throws(ReadError) -> Int? {
        let connection = try connect(to: address, timeoutSeconds: timeoutSeconds)
        let request = Array("GET \(path) HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n\r\n".utf8)
        do {
            try connection.writeAll(request.span)
        } catch { throw .system(error) }
        return statusCode(try connection.readAll(maxBytes: 64 << 10))
    }

    static func connect(to address: SocketAddress, timeoutSeconds: Int) throws(ReadError) -> FileDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(address.family, kind, 0)
        guard number >= 0 else { throw .system(SystemError("open a socket")) }
        let connection = FileDescriptor(owning: number, name: address.url)
        // Linux applies the timeout for sending to connecting, too (socket(7)).
        var time = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            unsafe setsockopt(number, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        let result = unsafe address.withPointer { unsafe Glibc.connect(number, $0, $1) }
        guard result == 0 else { throw .system(SystemError("connect to \(address.url)")) }
        return connection
    }

    /// Returns the status code of a response: `HTTP/1.1 200 OK` → 200.
    static func statusCode(_ response: [UInt8]) -> Int? {
        let line = String(decoding: response.prefix(12), as: UTF8.self)
        guard line.hasPrefix("HTTP/1."), line.utf8.count == 12 else { return nil }
        return Int(line.suffix(3))
    }
}
