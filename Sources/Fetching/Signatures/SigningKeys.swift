internal import Primitives

// Signatures of request targets, with which the GET forms can be used without a token.
//
//     /v1/fetch?url=https%3A%2F%2Fa.example%2Fx&expires=1800000000&signature=pX1Zv…
//     └──────────────────────── signed ───────────────────────────┘          └─ base64url, 43 characters
//
// The signature is HMAC-SHA256 over the raw bytes of the target before `&signature=`, without decoding or sorting:
// there is nothing about which a signer and a verifier could disagree. `signature` must be the last parameter.
//
// Ambiguities, and how we resolve them:
// - The last `&signature=` counts. An earlier one is a part of what is signed.
// - A signature is compared as text, so that the unused bits of its last character, padding and other alphabets are no
//   second form of it.
// - `expires` is looked up by its decoded name, as the parser of queries does. If it occurs twice, or is not a number,
//   the signature is invalid. It expires at that second (RFC 7519 §4.1.4: "on or after").

/// The reason why text is not a list of signing keys. Lines are counted from 1, and columns in bytes from 0. No part of
/// a key is reported.
package enum SigningKeysError: Error, Equatable, Sendable {
    /// There is no key.
    case empty
    /// The key has a character that is not a hexadecimal digit, or an odd number of digits.
    case malformed(line: Int, column: Int)
    case tooShort(bytes: Int, min: Int, line: Int)
    /// - Parameter line: The line of the first key above the maximum.
    case tooMany(max: Int, line: Int)
}

/// The reason why a signature is rejected.
package enum SignatureError: Error, Equatable, Sendable {
    case missing
    /// No key has this signature, or `expires` is malformed.
    case invalid
    /// - Parameter seconds: The value of `expires`, in seconds since 1970.
    case expired(at: Int)
}

/// The keys of `fetch-signing-keys-file`. The first one signs, and all of them verify, so that keys can be replaced.
package struct SigningKeys: Sendable {
    /// The minimum length of a key, in bytes. It is inclusive, and the length of the code (RFC 2104 §3).
    static let minKeyBytes = 32

    /// The maximum number of keys, inclusive. Every signature is compared with those of all keys.
    static let maxKeys = 16

    private let first: [UInt8]
    private let others: [[UInt8]]

    /// The number of keys.
    package var count: Int { 1 + others.count }

    /// Parses one hexadecimal key per line. Empty lines and white space around keys are ignored.
    package init(parsing text: String) throws(SigningKeysError) {
        let bytes = text.utf8.span
        var keys: [[UInt8]] = []
        var start = 0
        var line = 1
        for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "\n") {
            let end = index > start && bytes[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
            let range = bytes.trimmingBlanks(start..<end)
            if !range.isEmpty {
                guard keys.count < Self.maxKeys else { throw .tooMany(max: Self.maxKeys, line: line) }
                keys.append(try Self.key(bytes, range, line: line, lineStart: start))
            }
            start = index + 1
            line += 1
        }
        guard let first = keys.first else { throw .empty }
        self.first = first
        others = Array(keys.dropFirst())
    }

    private static func key(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        line: Int,
        lineStart: Int
    ) throws(SigningKeysError) -> [UInt8] {
        var key: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard let high = bytes[index].hexDigit else { throw .malformed(line: line, column: index - lineStart) }
            guard index + 1 < range.upperBound, let low = bytes[index + 1].hexDigit else {
                throw .malformed(line: line, column: index + 1 - lineStart)
            }
            key.append(high << 4 | low)
            index += 2
        }
        guard key.count >= minKeyBytes else { throw .tooShort(bytes: key.count, min: minKeyBytes, line: line) }
        return key
    }
}

extension SigningKeys {
    private static let parameter = Array("&signature=".utf8)

    /// Returns a target with the signature of the first key.
    /// - Parameter target: A path and a query of at least one parameter, without a signature.
    package func sign(_ target: String) -> String {
        let bytes = Array(target.utf8)
        return target + String(decoding: Self.parameter + Self.signature(of: bytes.span, key: first), as: UTF8.self)
    }

    /// Verifies the signature of a raw request target.
    /// - Parameter now: The current time, in seconds since 1970.
    package func verify(_ target: String, now: Int) throws(SignatureError) {
        let bytes = Array(target.utf8)
        guard let start = Self.signatureParameter(in: bytes) else { throw .missing }
        let signed = Array(bytes[..<start])
        let signature = Array(bytes[(start + Self.parameter.count)...])
        // All keys are tried, so that the time does not depend on which one is right.
        var isValid = false
        for key in [first] + others {
            let isEqual = Self.areEqual(Self.signature(of: signed.span, key: key), signature)
            isValid = isValid || isEqual
        }
        guard isValid else { throw .invalid }
        if let expiry = try Self.expiry(in: signed), now >= expiry { throw .expired(at: expiry) }
    }

    /// Returns the offset of the last `&signature=`.
    private static func signatureParameter(in target: [UInt8]) -> Int? {
        var start = target.count - parameter.count
        while start >= 0 {
            if target[start] == UInt8(ascii: "&"), target[start...].starts(with: parameter) { return start }
            start -= 1
        }
        return nil
    }

    /// Compares without revealing by its duration where two texts differ. Their lengths are not secret.
    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Returns the base64url text of the code, without padding.
    private static func signature(of signed: Span<UInt8>, key: [UInt8]) -> [UInt8] {
        Base64.urlText(of: HMACSHA256.code(of: signed, key: key).span)
    }

    /// Returns the value of `expires`, or `nil` if there is none.
    private static func expiry(in signed: [UInt8]) throws(SignatureError) -> Int? {
        guard let question = signed.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var expiry: Int?
        for pair in signed[(question + 1)...].split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard PercentEncoding.decoded(name) == Array("expires".utf8) else { continue }
            let value = PercentEncoding.decoded(pair.dropFirst(name.count + 1))
            guard expiry == nil, let seconds = value.span.canonicalDecimal(0..<value.count, max: .max) else {
                throw .invalid
            }
            expiry = seconds
        }
        return expiry
    }
}
