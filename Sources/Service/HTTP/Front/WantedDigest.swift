internal import Serialization

/// An algorithm of `Repr-Digest` (RFC 9530 §5).
enum DigestAlgorithm: String, CaseIterable, Sendable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// Returns the digest of several pieces of content.
    func digest(of pieces: [SharedBytes]) -> [UInt8] {
        switch self {
        case .sha256:
            var hash = SHA256()
            for piece in pieces { piece.withBytes { hash.update($0) } }
            return hash.finalize()
        case .sha512:
            var hash = SHA512()
            for piece in pieces { piece.withBytes { hash.update($0) } }
            return hash.finalize()
        }
    }

    func digest(of content: Span<UInt8>) -> [UInt8] {
        switch self {
        case .sha256:
            return SHA256.digest(of: content)
        case .sha512:
            var hash = SHA512()
            hash.update(content)
            return hash.finalize()
        }
    }

    /// Returns the field `Repr-Digest` with a digest.
    func field(_ digest: [UInt8]) -> HeaderFields.Field {
        HeaderFields.Field(name: "Repr-Digest", value: "\(rawValue)=:\(Base64.encode(digest)):")
    }
}

/// The field `Want-Repr-Digest` (RFC 9530 §4): a dictionary of preferences from 1 to 10; 0 means not acceptable.
enum WantedDigest {
    /// Returns the algorithm with the highest preference. If several have it, the first one in the field. `nil` if none is wanted.
    ///
    /// Unknown algorithms, and preferences that are not integers from 0 to 10, are ignored. If the field is not a dictionary, it is ignored
    /// completely (RFC 9651 §4.2).
    static func algorithm(in field: Span<UInt8>) -> DigestAlgorithm? {
        var reader = StructuredFieldReader(field)
        var preferences: [(algorithm: DigestAlgorithm, preference: Int)] = []
        let isDictionary = reader.readDictionary { key, integer in
            guard let algorithm = DigestAlgorithm.allCases.first(where: { key.equals($0.rawValue.utf8.span) }) else {
                return
            }
            // RFC 9651 §4.2.2: the last member with a name overrides the others.
            preferences.removeAll { $0.algorithm == algorithm }
            if let integer, 1...10 ~= integer { preferences.append((algorithm, integer)) }
        }
        guard isDictionary else { return nil }
        let highest = preferences.map(\.preference).max()
        return preferences.first { $0.preference == highest }?.algorithm
    }
}
