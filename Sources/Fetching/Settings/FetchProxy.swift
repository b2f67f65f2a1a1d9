internal import Primitives

/// The proxy through which origins are requested (`fetch-proxy`): `http://[user[:password]@]host:port`, or `https`.
///
/// The proxy resolves the names of origins, so it must check their addresses. Its own address is exempt from the rules.
package struct FetchProxy: Equatable, Sendable {
    package let scheme: FetchOrigin.Scheme

    /// The host. Unlike that of an origin, it can be `localhost`.
    package let host: FetchHost

    package let port: UInt16

    /// The decoded user name and password; `nil` if there are none.
    package let credentials: Credentials?

    package struct Credentials: Equatable, Sendable {
        package let user: String
        package let password: String
    }

    /// The URL without the credentials.
    package var url: String { "\(scheme.text)://\(host):\(port)" }

    /// The text from which this value was parsed. It can contain a password, and must not be logged.
    package let text: String
}

/// The reason why text is not the URL of a proxy. No case contains any of the text, which can contain a password.
package enum FetchProxyError: Error, Equatable, Sendable {
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme
    case host(FetchHostError)
    /// There is no port, or it is not a number in 1 to 65535. The port of a proxy has no common default.
    case malformedPort
    /// The user name or the password has an incomplete escape or a control character.
    case malformedCredentials
    /// There is a path, a query or a fragment.
    case trailing
}

extension FetchProxy {
    package init(parsing text: String) throws(FetchProxyError) {
        let bytes = text.utf8.span
        guard let scheme = [FetchOrigin.Scheme.http, .https].first(where: { text.hasPrefix("\($0.text)://") }) else {
            throw .unsupportedScheme
        }
        let start = scheme.text.utf8.count + 3
        var end = bytes.count
        if end > start, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
        for index in start..<end where [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(bytes[index])
        {
            throw .trailing
        }
        // A password can contain `@`, a host cannot.
        let sign = (start..<end).last { bytes[$0] == UInt8(ascii: "@") }
        let authority = (sign.map { $0 + 1 } ?? start)..<end
        let hostEnd = Authority.hostEnd(bytes, authority)
        guard hostEnd + 1 < end, bytes[hostEnd] == UInt8(ascii: ":"),
            case .valid(let port) = Authority.port(bytes, (hostEnd + 1)..<end)
        else { throw .malformedPort }
        self.scheme = scheme
        self.port = port
        self.text = text
        host = try Self.host(bytes, authority.lowerBound..<hostEnd)
        credentials = try sign.map { sign throws(FetchProxyError) in try Self.credentials(bytes, start..<sign) }
    }

    private static func host(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchProxyError) -> FetchHost {
        do throws(FetchHostError) {
            return try FetchHost(parsing: bytes, range)
        } catch .localhost {
            // A proxy next to the service is common.
            return .name(bytes.text(range).lowercased())
        } catch { throw .host(error) }
    }

    private static func credentials(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchProxyError) -> Credentials {
        let colon = bytes.firstOffset(of: UInt8(ascii: ":"), in: range)
        return Credentials(
            user: try decoded(bytes, range.lowerBound..<(colon ?? range.upperBound)),
            password: try colon.map { colon throws(FetchProxyError) in
                try decoded(bytes, (colon + 1)..<range.upperBound)
            } ?? ""
        )
    }

    private static func decoded(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(FetchProxyError) -> String {
        var decoded: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard let encoded = bytes.percentEncodedByte(at: index, before: range.upperBound) else {
                    throw .malformedCredentials
                }
                byte = encoded
                index += 2
            }
            guard byte >= 0x20, byte != 0x7F else { throw .malformedCredentials }
            decoded.append(byte)
            index += 1
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformedCredentials }
        return text
    }
}
