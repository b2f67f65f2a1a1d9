/// A content coding that can be decoded (RFC 9110 §8.4.1).
public enum ContentCoding: String, Sendable, CaseIterable {
    /// gzip (RFC 1952); `x-gzip` is the same.
    case gzip
    /// Deflate data, in zlib's wrapper (RFC 1950) or, as some servers send it, without one (RFC 1951).
    case deflate
    /// Brotli (RFC 7932).
    case br
    /// Zstandard (RFC 8878), with windows up to 8 MiB (RFC 9659).
    case zstd

    /// - Parameter name: in lower case.
    init?(name: String) {
        if name == "x-gzip" {
            self = .gzip
        } else {
            self.init(rawValue: name)
        }
    }
}

/// The content codings that the `Content-Encoding` of a response lists.
enum ListedCodings: Equatable {
    /// No coding, or only `identity`, which means no coding (RFC 9110 §12.5.3).
    case none
    /// Known codings, in the order in which they were applied.
    case known([ContentCoding])
    /// The first coding that is not supported, in lower case.
    case unknown(String)
    /// More than `max` codings.
    case tooMany(max: Int)
}

extension HeaderFields {
    /// Whether there is a field `Content-Encoding`.
    var hasContentCoding: Bool { !isPlainJSON && index(of: Self.contentEncoding) != nil }

    /// - Parameter max: the maximum number of codings that are decoded, inclusive.
    func contentCodings(max: Int) -> ListedCodings {
        var codings: [ContentCoding] = []
        var index = index(of: Self.contentEncoding)
        while let field = index {
            let list = fields[field].value.utf8.span
            var start = 0
            while start < list.count {
                var end = start
                while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
                let range = list.trimmingBlanks(start..<end)
                start = end + 1
                let name = list.lowercasedText(range)
                if name.isEmpty || name == "identity" { continue }
                guard let coding = ContentCoding(name: name) else { return .unknown(name) }
                guard codings.count < max else { return .tooMany(max: max) }
                codings.append(coding)
            }
            index = self.index(of: Self.contentEncoding, from: field + 1)
        }
        return codings.isEmpty ? .none : .known(codings)
    }

    private static let contentEncoding = "content-encoding"
}
