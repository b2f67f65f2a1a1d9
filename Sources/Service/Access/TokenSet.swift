internal import Serialization

/// A token of the file, without its text, which is not known.
final class AccessToken: Sendable {
    /// The name in the access log.
    let name: String
    let permissions: PermissionSet
    let partition: PartitionName

    init(name: String, permissions: PermissionSet, partition: PartitionName = .standard) {
        self.name = name
        self.permissions = permissions
        self.partition = partition
    }
}

/// The tokens that are in force at one time.
///
/// A token is found by its SHA-256. Every entry is compared completely, whichever matches, and no branch depends on the
/// result of a comparison: the time of a search depends only on the number of tokens and on the length of the text.
final class TokenSet: Sendable {
    /// The SHA-256 of a token, as four words.
    typealias Digest = SIMD4<UInt64>

    let tokens: [AccessToken]

    /// The digests of the tokens, in the same order. They are unique.
    private let digests: [Digest]

    /// - Parameter tokens: tokens with unique digests.
    init(_ tokens: [(token: AccessToken, digest: Digest)] = []) {
        self.tokens = tokens.map(\.token)
        digests = tokens.map(\.digest)
    }

    /// Returns the token with this text, or `nil` if there is none.
    func token(_ text: Span<UInt8>) -> AccessToken? {
        let number = number(of: Digest(sha256Of: text))
        return number == 0 ? nil : tokens[number - 1]
    }

    /// Returns the number of `wanted` in ``digests``, counted from 1; 0 if it is not there.
    private func number(of wanted: Digest) -> Int {
        var number: UInt64 = 0
        let digests = self.digests
        for index in digests.indices {
            let difference = digests[index] ^ wanted
            let bits = difference[0] | difference[1] | difference[2] | difference[3]
            // The highest bit of `bits | -bits` is 0 only if there is no difference.
            let isDifferent = (bits | (0 &- bits)) &>> 63
            number |= UInt64(truncatingIfNeeded: index &+ 1) & (isDifferent &- 1)
        }
        return Int(truncatingIfNeeded: number)
    }
}

extension TokenSet.Digest {
    /// Parses exactly 64 hexadecimal digits; `nil` if the text is anything else.
    init?(hexadecimal text: Span<UInt8>) {
        guard text.count == 64 else { return nil }
        var digest = TokenSet.Digest()
        for index in text.indices {
            guard let digit = text[index].hexDigit else { return nil }
            digest[index / 16] = digest[index / 16] << 4 | UInt64(digit)
        }
        self = digest
    }
}
