// Tests/Fuzz/build compiles this file and its model with each fuzz target of Fetching.
import Fetching

/// What must hold for every text that is read as a URL, a reference, a list of hosts or a list of addresses.
///
/// The first byte of an input chooses which; the rest is the text.
enum FetchURLOracle {
    /// Returns what does not hold for `input`, if there is something.
    static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let text = Array(input.dropFirst())
        switch choice % 4 {
        case 0: return violation(ofURL: text)
        case 1: return violation(ofReference: text)
        case 2: return violation(ofRules: text)
        default: return violation(ofBlocks: text)
        }
    }

    /// The parser and the model agree, and the canonical text is read as the same URL.
    static func violation(ofURL text: [UInt8]) -> String? {
        let model = ModelFetchURL(text)
        let url: FetchURL
        do throws(FetchURLError) {
            url = try FetchURL(parsing: text.span)
        } catch {
            if let model { return "\(quoted(text)): \(error), the model has \(quoted(model.text))" }
            return offset(of: error).flatMap { 0...text.count ~= $0 ? nil : "\(quoted(text)): the offset of \(error)" }
        }
        guard let model else { return "\(quoted(text)): \(url), the model rejects it" }
        return difference(url, model) ?? violation(of: url)
    }

    /// A reference is resolved as the model does.
    private static func violation(ofReference reference: [UInt8]) -> String? {
        guard let base = try? FetchURL(parsing: "https://a.example:8443/b/c/d?e"),
            let model = ModelFetchURL(Array("https://a.example:8443/b/c/d?e".utf8)),
            let text = String(validating: reference, as: UTF8.self)
        else { return nil }
        let expected = model.resolving(reference)
        guard let url = try? base.resolving(text) else {
            return expected.map { "\(quoted(reference)): rejected, the model has \(quoted($0.text))" }
        }
        guard let expected else { return "\(quoted(reference)): \(url), the model rejects it" }
        return difference(url, expected) ?? violation(of: url)
    }

    private static func difference(_ url: FetchURL, _ model: ModelFetchURL) -> String? {
        let path = Array(url.path.utf8)
        let target = model.path + (model.query.map { Array("?".utf8) + $0 } ?? [])
        if Array(url.text.utf8) == model.text, path == model.path, Array(url.target.utf8) == target,
            Int(url.origin.port) == model.port
        {
            return nil
        }
        return "\(url), the model has \(quoted(model.text))"
    }

    private static func violation(of url: FetchURL) -> String? {
        guard url.text.utf8.count <= FetchURL.maxBytes else { return "\(url) is too long" }
        guard url.path.utf8.first == UInt8(ascii: "/") else { return "\(url) has no path" }
        guard let again = try? FetchURL(parsing: url.text) else { return "\(url) is not read" }
        return again == url && again.text == url.text ? nil : "\(url) is read as \(again)"
    }

    /// Rules are separated from a URL by a line break. Each entry that permits a URL also denies it, and never permits
    /// a path with encoded slashes if it has a path.
    private static func violation(ofRules text: [UInt8]) -> String? {
        let parts = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let list = parts.first.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
        let rules: HostRules
        do throws(HostRulesError) {
            rules = try HostRules(parsing: list)
        } catch {
            return nil
        }
        let again = try? HostRules(parsing: rules.entries.map(\.text).joined(separator: ","))
        guard again == rules else { return "\(list.debugDescription) is read as \(rules.entries.map(\.text))" }
        guard parts.count > 1, let url = try? FetchURL(parsing: Array(parts[1]).span) else { return nil }
        for entry in rules.entries {
            let rule = HostRules([entry])
            guard rule.permission(for: url) != nil else { continue }
            guard rule.denial(of: url) != nil else { return "\(entry.text) permits \(url), but does not deny it" }
            let hasPath = entry.text.split(separator: "//").last.map { $0.contains("/") && !$0.hasSuffix("/") } ?? false
            let path = url.path.lowercased()
            if hasPath, path.contains("%2f") || path.contains("%5c") { return "\(entry.text) permits \(url)" }
        }
        let permitted = rules.entries.contains { HostRules([$0]).permission(for: url) != nil }
        return permitted == (rules.permission(for: url) != nil)
            ? nil : "\(list.debugDescription) and its entries differ"
    }

    /// What is written of blocks is read as the same, and each block contains its first address.
    private static func violation(ofBlocks text: [UInt8]) -> String? {
        guard let list = String(validating: text, as: UTF8.self), let blocks = try? AddressBlock.list(parsing: list)
        else {
            return nil
        }
        let again = try? AddressBlock.list(parsing: blocks.map(\.description).joined(separator: ","))
        guard again == blocks else { return "\(list.debugDescription) is read as \(blocks)" }
        for block in blocks {
            guard block.contains(block.base) else { return "\(block) does not contain its first address" }
            // Without settings, nothing that is allowed is allowed only because of its port or host.
            let isAllowed = [true, false].map {
                (try? AddressRules(allowed: [], denied: [], listeners: .none).check(
                    block.base,
                    port: 1,
                    hostIsNamed: $0
                )) != nil
            }
            guard isAllowed[0] == isAllowed[1] else { return "\(block) depends on its host" }
            // A denied address is never allowed.
            let rules = AddressRules(allowed: blocks, denied: [block], listeners: .none)
            if (try? rules.check(block.base, port: 1, hostIsNamed: true)) != nil { return "\(block) is allowed" }
        }
        return nil
    }

    private static func offset(of error: FetchURLError) -> Int? {
        switch error {
        case .invalidByte(_, let offset), .malformedEscape(let offset), .missingAuthority(let offset),
            .credentials(let offset), .malformedPort(let offset), .portOutOfRange(let offset):
            offset
        case .host(let error): offset(of: error)
        case .tooLong, .missingScheme, .unsupportedScheme: nil
        }
    }

    private static func offset(of error: FetchHostError) -> Int {
        switch error {
        case .empty(let offset), .invalidByte(_, let offset), .emptyLabel(let offset), .trailingDot(let offset),
            .labelTooLong(_, _, let offset), .nameTooLong(_, _, let offset), .localhost(let offset),
            .notDottedQuad(let offset), .malformedIPv6Address(let offset), .zone(let offset),
            .unterminatedIPv6Address(let offset):
            offset
        }
    }

    private static func quoted(_ text: [UInt8]) -> String {
        String(decoding: text, as: UTF8.self).debugDescription
    }
}
