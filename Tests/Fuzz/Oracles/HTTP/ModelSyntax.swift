/// The syntax of tokens, hosts, targets and lengths, written from RFC 9110, RFC 9112 and RFC 3986 for the model.
enum ModelSyntax {
    private static let digits = "0123456789"
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// RFC 9110 §5.6.2.
    static let tokenBytes = Set(("!#$%&'*+-.^_`|~" + digits + letters).utf8)

    static let hexDigits = Set((digits + "abcdefABCDEF").utf8)

    static let whitespace: Set<UInt8> = [0x20, 0x09]

    /// RFC 3986 §3.2.2: `unreserved` and `sub-delims` without the comma, which joins several values of a field.
    private static let hostNameBytes = Set((letters + digits + "-._~" + "!$&'()*+;=").utf8)

    /// The bytes between the brackets of an IPv6 address.
    private static let addressBytes = Set((digits + "abcdefABCDEF:.").utf8)

    static func isToken(_ text: [UInt8]) -> Bool {
        !text.isEmpty && text.allSatisfy { tokenBytes.contains($0) }
    }

    /// Whether a chunk extension or a trailer's value may contain `byte`.
    static func isText(_ byte: UInt8) -> Bool {
        byte == 0x09 || (0x20...0x7E).contains(byte) || byte >= 0x80
    }

    /// The text without surrounding white space.
    static func trimmed(_ text: [UInt8]) -> [UInt8] {
        var text = text
        while let first = text.first, whitespace.contains(first) { text.removeFirst() }
        while let last = text.last, whitespace.contains(last) { text.removeLast() }
        return text
    }

    /// The text with ASCII letters in lower case, and one character per byte.
    static func lowercased(_ text: [UInt8]) -> String {
        var result = ""
        for byte in text {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            result.unicodeScalars.append(Unicode.Scalar(isUpper ? byte + 32 : byte))
        }
        return result
    }

    /// RFC 9110 §8.6: `1*DIGIT`, as far as an `Int` reaches.
    static func length(_ value: [UInt8]) -> Int? {
        guard !value.isEmpty, value.allSatisfy({ digits.utf8.contains($0) }) else { return nil }
        return Int(String(decoding: value, as: UTF8.self))
    }

    // MARK: Host

    /// RFC 9110 §7.2: `uri-host [ ":" port ]`. The host is not empty, and the port is at most 65 535.
    static func isHost(_ value: [UInt8]) -> Bool {
        if value.first == UInt8(ascii: "[") {
            guard let bracket = value.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = value[1..<bracket]
            return !address.isEmpty && address.allSatisfy { addressBytes.contains($0) }
                && isEmptyOrPort(Array(value[(bracket + 1)...]))
        }
        let colon = value.firstIndex(of: UInt8(ascii: ":")) ?? value.count
        return isHostName(Array(value[..<colon])) && isEmptyOrPort(Array(value[colon...]))
    }

    /// RFC 3986 §3.2.2: `1*( unreserved / pct-encoded / sub-delims )`.
    private static func isHostName(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty else { return false }
        let parts = name.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let escape = index > 0 ? 2 : 0
            guard part.count >= escape, part.prefix(escape).allSatisfy({ hexDigits.contains($0) }),
                part.dropFirst(escape).allSatisfy({ hostNameBytes.contains($0) })
            else { return false }
        }
        return true
    }

    /// RFC 3986 §3.2.3: `port = *DIGIT`, here of at most five digits.
    private static func isEmptyOrPort(_ text: [UInt8]) -> Bool {
        guard let colon = text.first else { return true }
        let port = text.dropFirst()
        guard colon == UInt8(ascii: ":"), port.count <= 5, port.allSatisfy({ digits.utf8.contains($0) }) else {
            return false
        }
        return (Int(String(decoding: port, as: UTF8.self)) ?? 0) <= 65_535
    }

    // MARK: Target

    /// RFC 9112 §3.2: the origin form, the absolute form of `http` and `https`, and `*`.
    static func pathAndQuery(ofTarget target: [UInt8]) throws(ModelFault) -> (path: [UInt8], query: [UInt8]?) {
        if let index = target.firstIndex(where: { !(0x21...0x7E).contains($0) || $0 == UInt8(ascii: "#") }) {
            throw .invalidTarget(offset: index)
        }
        if target == Array("*".utf8) { return (target, nil) }
        if target.first == UInt8(ascii: "/") { return split(target) }
        for scheme in ["http://", "https://"] {
            let count = scheme.utf8.count
            guard lowercased(Array(target.prefix(count))) == scheme else { continue }
            let end = target[count...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.count
            guard isHost(Array(target[count..<end])) else { throw .invalidTarget(offset: count) }
            return split(Array(target[end...]))
        }
        throw .invalidTarget(offset: 0)
    }

    /// Splits at the first `?`. The empty path is `/`.
    private static func split(_ text: [UInt8]) -> (path: [UInt8], query: [UInt8]?) {
        let parts = text.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = Array(parts[0])
        return (path.isEmpty ? Array("/".utf8) : path, parts.count > 1 ? Array(parts[1]) : nil)
    }
}
