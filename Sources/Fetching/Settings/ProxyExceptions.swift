internal import Primitives

/// The hosts that are requested without the proxy (`fetch-no-proxy`).
///
/// An entry is `*`, a name, which also applies to all names below it, with or without a dot at its beginning, or an
/// address or a block of addresses, which apply to hosts that are addresses.
package struct ProxyExceptions: Equatable, Sendable {
    private enum Entry: Equatable, Sendable {
        case all
        case name(String)
        case block(AddressBlock)
    }

    private var entries: [Entry] = []

    /// The text from which this value was parsed.
    package private(set) var text = ""

    package init() {}

    /// Returns whether `host` is requested without the proxy.
    package func contains(_ host: FetchHost) -> Bool {
        entries.contains { entry in
            switch (entry, host) {
            case (.all, _): true
            case (.name(let parent), .name(let name)): name == parent || name.hasSuffix(".\(parent)")
            case (.block(let block), .ipv4(let address)): block.contains(.v4(address))
            case (.block(let block), .ipv6(let address)): block.contains(.v6(address))
            case (.name, .ipv4), (.name, .ipv6), (.block, .name): false
            }
        }
    }
}

/// The reason why text is not a list of ``ProxyExceptions``. Offsets are in bytes, starting from 0.
package enum ProxyExceptionsError: Error, Equatable, Sendable {
    /// There is nothing between two commas, or before the first or after the last one.
    case emptyEntry(at: Int)
    /// The entry is neither `*` nor a name nor a block of addresses.
    case malformedEntry(at: Int)
}

extension ProxyExceptions {
    /// Parses a comma-separated list, which may be empty. White space around commas is ignored.
    package init(parsing text: String) throws(ProxyExceptionsError) {
        let bytes = text.utf8.span
        self.text = text
        for range in ListSyntax.entries(of: bytes) {
            guard !range.isEmpty else { throw .emptyEntry(at: range.lowerBound) }
            guard let entry = Self.entry(bytes, range) else { throw .malformedEntry(at: range.lowerBound) }
            entries.append(entry)
        }
    }

    private static func entry(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Entry? {
        let text = bytes.text(range)
        if text == "*" { return .all }
        if let blocks = try? AddressBlock.list(parsing: text), blocks.count == 1 { return .block(blocks[0]) }
        let start = bytes[range.lowerBound] == UInt8(ascii: ".") ? range.lowerBound + 1 : range.lowerBound
        guard case .name(let name)? = try? FetchHost(parsing: bytes, start..<range.upperBound) else { return nil }
        return .name(name)
    }
}
