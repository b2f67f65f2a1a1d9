internal import Primitives

/// The field `Want-Repr-Digest` (RFC 9530 §4): a dictionary of preferences from 1 to 10; 0 means not acceptable.
enum WantedDigest {
    /// Returns whether the client accepts a digest with SHA-256, the only supported algorithm.
    ///
    /// Other algorithms, and preferences that are not integers from 0 to 10, are ignored. If the field is not a
    /// dictionary, it is ignored completely (RFC 9651 §4.2).
    static func includesSHA256(in field: Span<UInt8>) -> Bool {
        var reader = StructuredFieldReader(field)
        var isIncluded = false
        let isDictionary = reader.readDictionary { key, integer in
            guard key.equals("sha-256".utf8.span) else { return }
            // RFC 9651 §4.2.2: the last member with a name overrides the others.
            isIncluded = integer.map { 1...10 ~= $0 } ?? false
        }
        return isDictionary && isIncluded
    }
}
