/// The head that the library reads instead of the head that the client sent. The client's head has already been parsed,
/// and the content is not passed to the library.
///
/// The library needs only the properties of the request that determine how it sends the response: whether the method is
/// `HEAD` (no content), the version, and whether the connection is kept alive.
struct CanonicalHead: Sendable {
    let text: StaticString

    init(isHead: Bool, isHTTP10: Bool, closes: Bool) {
        text =
            switch (isHead, isHTTP10, closes) {
            case (false, false, false): "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            case (true, false, false): "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
            case (false, false, true): "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            case (true, false, true): "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            case (false, true, false): "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
            case (true, true, false): "HEAD / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
            case (false, true, true): "GET / HTTP/1.0\r\nConnection: close\r\n\r\n"
            case (true, true, true): "HEAD / HTTP/1.0\r\nConnection: close\r\n\r\n"
            }
    }
}
