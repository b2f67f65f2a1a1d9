internal import Primitives

/// The reason why text is not a list of ``HostRules``. Offsets are in bytes, starting from 0, in the complete list.
package enum HostRulesError: Error, Equatable, Sendable {
    /// There is nothing between two commas, or before the first or after the last one.
    case emptyEntry(at: Int)
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(at: Int)
    /// There is user information.
    case credentials(at: Int)
    case host(FetchHostError)
    /// A `*` that is neither the complete host nor its first label.
    case misplacedWildcard(at: Int)
    /// The port is not a decimal number in 1 to 65535 without leading zeros, or something else follows the host.
    case malformedPort(at: Int)
    /// The path has bytes that a URL cannot have, a query, a fragment or an incomplete escape.
    case malformedPath(FetchURLError)
    /// No URL can have this path: it has dot segments, or is ambiguous (``DecodedPath``).
    case unmatchablePath(at: Int)
}

extension HostRules {
    /// Parses a comma-separated list, which may be empty. White space around commas is ignored.
    package init(parsing text: String) throws(HostRulesError) {
        let bytes = text.utf8.span
        var entries: [Entry] = []
        for range in ListSyntax.entries(of: bytes) {
            guard !range.isEmpty else { throw .emptyEntry(at: range.lowerBound) }
            entries.append(try Entry(parsing: bytes, range))
        }
        self.init(entries)
    }
}

extension HostRules.Entry {
    fileprivate init(parsing bytes: Span<UInt8>, _ range: Range<Int>) throws(HostRulesError) {
        let scheme = try Self.scheme(of: bytes, range)
        let start = range.lowerBound + (scheme.map { $0.text.utf8.count + 3 } ?? 0)
        var end = start
        while end < range.upperBound, !bytes[end].endsAuthority { end += 1 }
        if let sign = bytes.firstOffset(of: UInt8(ascii: "@"), in: start..<end) { throw .credentials(at: sign) }

        let hostEnd = Authority.hostEnd(bytes, start..<end)
        host = try Self.host(of: bytes, start..<hostEnd)
        port = try Self.port(of: bytes, hostEnd..<end)
        path = try Self.path(of: bytes, end..<range.upperBound)
        text = String(decoding: range.map { bytes[$0] }, as: UTF8.self)
        self.scheme = scheme
    }

    /// Returns the scheme that precedes `://`, or `nil` if the entry begins with its host.
    private static func scheme(of bytes: Span<UInt8>, _ range: Range<Int>) throws(HostRulesError) -> FetchOrigin.Scheme?
    {
        var colon = range.lowerBound
        while colon < range.upperBound, bytes[colon].isLetter { colon += 1 }
        guard colon + 2 < range.upperBound, bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: "/"),
            bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        let text = (range.lowerBound..<colon).map { bytes[$0].asciiLowercased }
        guard let scheme = FetchOrigin.Scheme(text: String(decoding: text, as: UTF8.self)) else {
            throw .unsupportedScheme(at: range.lowerBound)
        }
        return scheme
    }

    private static func host(of bytes: Span<UInt8>, _ range: Range<Int>) throws(HostRulesError) -> Host {
        let star = UInt8(ascii: "*")
        do throws(FetchHostError) {
            guard let first = range.first, bytes[first] == star else {
                return .exactly(try FetchHost(parsing: bytes, range))
            }
            if range.count == 1 { return .any }
            let name = (first + 2)..<max(first + 2, range.upperBound)
            if bytes[first + 1] == UInt8(ascii: "."), case .name(let parent) = try FetchHost(parsing: bytes, name) {
                return .below(parent)
            }
        } catch .invalidByte(let byte, let offset) where byte == star {
            throw .misplacedWildcard(at: offset)
        } catch { throw .host(error) }
        throw .misplacedWildcard(at: range.lowerBound)
    }

    private static func port(of bytes: Span<UInt8>, _ range: Range<Int>) throws(HostRulesError) -> UInt16? {
        guard let colon = range.first else { return nil }
        let digits = (colon + 1)..<range.upperBound
        guard bytes[colon] == UInt8(ascii: ":"), !digits.isEmpty,
            case .valid(let port) = Authority.port(bytes, digits)
        else { throw .malformedPort(at: min(colon + 1, range.upperBound - 1)) }
        return port
    }

    /// Parses a path with the parser of URLs.
    private static func path(of bytes: Span<UInt8>, _ range: Range<Int>) throws(HostRulesError) -> DecodedPath? {
        guard !range.isEmpty else { return nil }
        let text = bytes.text(range)
        let prefix = "http://a"
        let url: FetchURL
        do throws(FetchURLError) {
            url = try FetchURL(parsing: prefix + text)
        } catch { throw .malformedPath(error.moved(by: range.lowerBound - prefix.utf8.count)) }
        for index in range where bytes[index] == UInt8(ascii: "?") || bytes[index] == UInt8(ascii: "#") {
            throw .malformedPath(.invalidByte(bytes[index], at: index))
        }
        guard url.path == text, let path = DecodedPath(url.path) else { throw .unmatchablePath(at: range.lowerBound) }
        return text == "/" ? nil : path
    }
}

extension FetchURLError {
    /// Returns the error with its offset in a text that begins `offset` bytes earlier. Only errors of paths have
    /// offsets here.
    fileprivate func moved(by offset: Int) -> FetchURLError {
        switch self {
        case .invalidByte(let byte, let inText): .invalidByte(byte, at: inText + offset)
        case .malformedEscape(let inText): .malformedEscape(at: inText + offset)
        case .missingAuthority, .credentials, .malformedPort, .portOutOfRange, .tooLong, .missingScheme,
            .unsupportedScheme, .host:
            self
        }
    }
}
