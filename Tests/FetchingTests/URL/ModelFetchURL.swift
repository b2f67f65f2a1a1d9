import Glibc

/// A model of ``FetchURL``: the same rules in a few simple steps, which share no code with the parser. Addresses are
/// read by the C library. It reports no offsets.
struct ModelFetchURL: Equatable {
    enum Host: Equatable {
        case name([UInt8])
        case ipv4([UInt8])
        case ipv6([UInt8])
    }

    var isSecure: Bool
    var host: Host
    var port: Int
    var path: [UInt8]
    var query: [UInt8]?

    /// - Returns: `nil` if the text is rejected.
    init?(_ text: [UInt8]) {
        guard text.count <= 8_192, Self.isWellFormed(text) else { return nil }
        let lower = text.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        guard let start = ["http://", "https://"].first(where: { lower.starts(with: $0.utf8) })?.utf8.count else {
            return nil
        }
        isSecure = start == 8
        let withoutFragment = text.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)[
            0
        ]
        let rest = withoutFragment.dropFirst(start)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let target = Array(rest.dropFirst(authority.count))
        guard let (host, port) = Self.hostAndPort(Array(authority)) else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        let halves = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.removingDotSegments(halves.isEmpty ? [] : Array(halves[0]))
        query = halves.count > 1 ? Array(halves[1]) : nil
        guard self.text.count <= 8_192 else { return nil }
    }

    /// The canonical text.
    var text: [UInt8] {
        var text = Array((isSecure ? "https://" : "http://").utf8)
        switch host {
        case .name(let name): text += name
        case .ipv4(let bytes): text += Array(bytes.map { "\($0)" }.joined(separator: ".").utf8)
        case .ipv6(let bytes): text += Array("[\(Self.text(ofIPv6: bytes))]".utf8)
        }
        if port != (isSecure ? 443 : 80) { text += Array(":\(port)".utf8) }
        text += path
        if let query { text += [UInt8(ascii: "?")] + query }
        return text
    }

    /// Resolves a reference as RFC 3986 §5.2.2 describes it.
    func resolving(_ reference: [UInt8]) -> ModelFetchURL? {
        guard reference.count <= 8_192 else { return nil }
        let scheme = reference.prefix { $0 != UInt8(ascii: ":") }
        let isScheme =
            scheme.count < reference.count && scheme.first.map(Self.isLetter) ?? false
            && scheme.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) || Array("+-.".utf8).contains($0) }
        if isScheme { return ModelFetchURL(reference) }
        let base = text
        if reference.isEmpty || reference[0] == UInt8(ascii: "#") { return self }
        let origin = Array(base.prefix(base.count - path.count - (query.map { $0.count + 1 } ?? 0)))
        if reference.starts(with: "//".utf8) {
            return ModelFetchURL(Array((isSecure ? "https:" : "http:").utf8) + reference)
        }
        if reference[0] == UInt8(ascii: "/") { return ModelFetchURL(origin + reference) }
        if reference[0] == UInt8(ascii: "?") { return ModelFetchURL(origin + path + reference) }
        var folder = path
        while folder.last != UInt8(ascii: "/") { folder.removeLast() }
        return ModelFetchURL(origin + folder + reference)
    }

    // MARK: Steps

    private static let alphabet = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%".utf8
    )
    private static let hexDigits = Set("0123456789abcdefABCDEF".utf8)

    private static func isWellFormed(_ text: [UInt8]) -> Bool {
        guard Set(text).isSubset(of: alphabet), text.filter({ $0 == UInt8(ascii: "#") }).count <= 1 else {
            return false
        }
        return text.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy {
            $0.count >= 2 && $0.prefix(2).allSatisfy(hexDigits.contains)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func hostAndPort(_ authority: [UInt8]) -> (Host, Int?)? {
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            guard let bytes = address(authority[1..<end], AF_INET6, count: 16) else { return nil }
            return port(authority[(end + 1)...]).map { (.ipv6(bytes), $0) }
        }
        let name = authority.prefix { $0 != UInt8(ascii: ":") }
        guard let host = host(Array(name)) else { return nil }
        return port(authority[name.count...]).map { (host, $0) }
    }

    /// - Returns: `nil` if the port is invalid; a `nil` in it if there is none.
    private static func port(_ text: ArraySlice<UInt8>) -> Int?? {
        if text.isEmpty || text.elementsEqual(":".utf8) { return .some(nil) }
        let digits = String(decoding: text.dropFirst(), as: UTF8.self)
        guard text.first == UInt8(ascii: ":"), let port = Int(digits), "\(port)" == digits, (1...65_535).contains(port)
        else { return nil }
        return .some(port)
    }

    private static func host(_ name: [UInt8]) -> Host? {
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let characters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
        guard name.count <= 253, labels.allSatisfy({ (1...63).contains($0.count) && characters.isSuperset(of: $0) })
        else { return nil }
        let lower = labels.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let last = lower[lower.count - 1]
        if last.allSatisfy(\.isNumber) || last.hasPrefix("0x") {
            return address(name[...], AF_INET, count: 4).map { .ipv4($0) }
        }
        return last == "localhost" ? nil : .name(Array(lower.joined(separator: ".").utf8))
    }

    private static func address(_ text: ArraySlice<UInt8>, _ family: Int32, count: Int) -> [UInt8]? {
        guard !text.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, String(decoding: text, as: UTF8.self), &bytes) == 1 ? bytes : nil
    }

    /// RFC 5952 §4: of all texts with one `::`, and the one without, the shortest counts; of those the first.
    private static func text(ofIPv6 bytes: [UInt8]) -> String {
        let groups = (0..<8).map { index -> String in
            let (high, low) = (Int(bytes[index * 2]), Int(bytes[index * 2 + 1]))
            return String(high << 8 | low, radix: 16)
        }
        var best = groups.joined(separator: ":")
        var longest = 1
        for start in 0..<8 {
            for end in start..<8 where groups[start...end].allSatisfy({ $0 == "0" }) && end - start + 1 > longest {
                longest = end - start + 1
                best = groups[..<start].joined(separator: ":") + "::" + groups[(end + 1)...].joined(separator: ":")
            }
        }
        return best
    }

    /// The algorithm of RFC 3986 §5.2.4 with its two buffers, after the dots of dot segments have been decoded.
    private static func removingDotSegments(_ path: [UInt8]) -> [UInt8] {
        let decoded = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            let text = String(decoding: segment, as: UTF8.self)
            let dots = text.replacing("%2e", with: ".").replacing("%2E", with: ".")
            return dots == "." || dots == ".." ? dots : text
        }
        var input = decoded.joined(separator: "/")
        var output: [Substring] = []
        while !input.isEmpty {
            if input.hasPrefix("/./") {
                input.removeFirst(2)
            } else if input == "/." {
                input = "/"
            } else if input.hasPrefix("/../") {
                input.removeFirst(3)
                _ = output.popLast()
            } else if input == "/.." {
                input = "/"
                _ = output.popLast()
            } else {
                let segment = input.dropFirst().prefix { $0 != "/" }
                output.append("/" + segment)
                input.removeFirst(1 + segment.count)
            }
        }
        return Array((output.isEmpty ? "/" : output.joined()).utf8)
    }
}
