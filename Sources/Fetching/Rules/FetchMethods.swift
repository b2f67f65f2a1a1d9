internal import Primitives

/// The reason why text is not a list of methods. Offsets are in bytes, starting from 0.
package enum FetchMethodsError: Error, Equatable, Sendable {
    /// There is nothing between two commas, or before the first or after the last one.
    case emptyEntry(at: Int)
    /// The entry is not a token (RFC 9110 §5.6.2).
    case malformed(at: Int)
    case tooLong(bytes: Int, max: Int, at: Int)
    /// The method is not one of a fetch: CONNECT opens a tunnel, and TRACE returns the fields of proxies.
    case unsupported(String, at: Int)
}

/// The methods that callers may use (`fetch-methods`). Methods are case-sensitive (RFC 9110 §9.1).
package struct FetchMethods: Equatable, Sendable {
    /// The maximum length of a method, in bytes. It is inclusive.
    static let maxNameBytes = 64

    package let names: Set<String>

    /// `GET` and `HEAD`.
    package static let safe = FetchMethods(names: ["GET", "HEAD"])

    private init(names: Set<String>) { self.names = names }

    /// Parses a comma-separated list of methods. White space around commas is ignored.
    package init(parsing text: String) throws(FetchMethodsError) {
        let bytes = text.utf8.span
        let entries = ListSyntax.entries(of: bytes)
        guard !entries.isEmpty else { throw .emptyEntry(at: 0) }
        var names: Set<String> = []
        for entry in entries {
            guard !entry.isEmpty else { throw .emptyEntry(at: entry.lowerBound) }
            for index in entry where !bytes[index].isTokenCharacter { throw .malformed(at: index) }
            guard entry.count <= Self.maxNameBytes else {
                throw .tooLong(bytes: entry.count, max: Self.maxNameBytes, at: entry.lowerBound)
            }
            let name = bytes.text(entry)
            guard !["CONNECT", "TRACE"].contains(name.uppercased()) else {
                throw .unsupported(name, at: entry.lowerBound)
            }
            names.insert(name)
        }
        self.names = names
    }

    package func contains(_ method: String) -> Bool { names.contains(method) }
}
