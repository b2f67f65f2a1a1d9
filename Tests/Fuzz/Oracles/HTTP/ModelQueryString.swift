/// The pairs of a query (RFC 3986 §3.4) as a slow and obvious reader finds them.
package enum ModelQueryString {
    package struct Pair: Equatable {
        package var name: [UInt8]
        package var value: [UInt8]

        package init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    package enum Fault: Error, Equatable {
        case invalidEscape(at: Int)
        case nul(at: Int)
        case notUTF8(at: Int)
    }

    /// Returns the pairs of `query`, with their escapes decoded.
    ///
    /// The first fault from the front is thrown. A name or a value that is not UTF-8 is a fault at its first byte,
    /// after those of its escapes.
    package static func pairs(of query: [UInt8]) throws(Fault) -> [Pair] {
        var pairs: [Pair] = []
        var offset = 0
        for part in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map({ Array($0) }) {
            if !part.isEmpty {
                let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                let name = try decoded(Array(halves[0]), at: offset)
                let value = halves.count > 1 ? try decoded(Array(halves[1]), at: offset + halves[0].count + 1) : []
                pairs.append(Pair(name: name, value: value))
            }
            offset += part.count + 1
        }
        return pairs
    }

    private static func decoded(_ text: [UInt8], at offset: Int) throws(Fault) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            let escape = offset + rest.startIndex - 1
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ ModelSyntax.hexDigits.contains($0) }),
                let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw .invalidEscape(at: escape) }
            guard decoded != 0 else { throw .nul(at: escape) }
            result.append(decoded)
            rest = rest.dropFirst(2)
        }
        guard isUTF8(result) else { throw .notUTF8(at: offset) }
        return result
    }

    /// RFC 3629 §4.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let first = rest.popFirst() {
            if first < 0x80 { continue }
            // The allowed second bytes, and the number of bytes after the second one.
            let second: ClosedRange<UInt8>
            let more: Int
            switch first {
            case 0xC2...0xDF: (second, more) = (0x80...0xBF, 0)
            case 0xE0: (second, more) = (0xA0...0xBF, 1)
            case 0xED: (second, more) = (0x80...0x9F, 1)
            case 0xE1...0xEF: (second, more) = (0x80...0xBF, 1)
            case 0xF0: (second, more) = (0x90...0xBF, 2)
            case 0xF1...0xF3: (second, more) = (0x80...0xBF, 2)
            case 0xF4: (second, more) = (0x80...0x8F, 2)
            default: return false
            }
            guard let next = rest.popFirst(), second.contains(next) else { return false }
            for _ in 0..<more {
                guard let next = rest.popFirst(), (0x80...0xBF).contains(next) else { return false }
            }
        }
        return true
    }
}
