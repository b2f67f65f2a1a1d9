/// The head that the library reads instead of the head that the client sent. The client's head has already been parsed,
/// and the content is not passed to the library.
///
/// The library needs only the properties of the request that determine how it sends the response: whether the method is
/// `HEAD` (no content), the version, and whether the connection is kept alive.
enum CanonicalHead: Sendable {
    case get
    case head
    case getAndClose
    case headAndClose
    /// An HTTP/1.0 request whose client wants the connection to be kept alive.
    case getOfHTTP10
    case headOfHTTP10
    case getOfHTTP10AndClose
    case headOfHTTP10AndClose

    init(isHead: Bool, isHTTP10: Bool, closes: Bool) {
        self =
            switch (isHead, isHTTP10, closes) {
            case (false, false, false): .get
            case (true, false, false): .head
            case (false, false, true): .getAndClose
            case (true, false, true): .headAndClose
            case (false, true, false): .getOfHTTP10
            case (true, true, false): .headOfHTTP10
            case (false, true, true): .getOfHTTP10AndClose
            case (true, true, true): .headOfHTTP10AndClose
            }
    }

    var text: StaticString {
        switch self {
        case .get: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        case .head: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
        case .getAndClose: "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        case .headAndClose: "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        case .getOfHTTP10: "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
        case .headOfHTTP10: "HEAD / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
        case .getOfHTTP10AndClose: "GET / HTTP/1.0\r\nConnection: close\r\n\r\n"
        case .headOfHTTP10AndClose: "HEAD / HTTP/1.0\r\nConnection: close\r\n\r\n"
        }
    }
}
