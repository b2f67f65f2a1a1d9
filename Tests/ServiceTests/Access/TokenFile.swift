import Serialization

@testable import Service

/// Files of tokens for tests.
enum TokenFile {
    struct Entry: Sendable {
        var name: String
        /// The token itself.
        var text: String
        var permissions: [Permission] = [.normalize]
        var partition = ""
    }

    static let web = Entry(name: "web", text: "web-secret", permissions: [.normalize, .fetch], partition: "web")
    static let prometheus = Entry(name: "prometheus", text: "prometheus-secret", permissions: [.metrics])
    static let admin = Entry(name: "admin", text: "admin-secret", permissions: Permission.allCases, partition: "admin")

    /// The SHA-256 of `text` in hexadecimal digits.
    static func digest(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8).span).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func words(_ text: String) -> TokenSet.Digest {
        TokenSet.Digest(sha256Of: Array(text.utf8).span)
    }

    static func text(_ entries: [Entry]) -> String {
        let tokens = entries.map { entry in
            let permissions = entry.permissions.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
            return #"{"name":"\#(entry.name)","sha256":"\#(digest(entry.text))","#
                + #""permissions":[\#(permissions)],"partition":"\#(entry.partition)"}"#
        }
        return #"{"tokens":["# + tokens.joined(separator: ",\n") + "]}\n"
    }

    /// Two keys, the first of which signs.
    static let signingKeys =
        String(repeating: "0123456789abcdef", count: 4) + "\n" + String(repeating: "fedcba9876543210", count: 4) + "\n"
}

extension AccessControl {
    /// Access without restrictions.
    static let unrestricted: AccessControl = {
        do {
            return try AccessControl(tokensPath: "", signingKeysPath: "")
        } catch {
            preconditionFailure("No file is read: \(error)")
        }
    }()

    /// Access with files of this content; `nil` if there is no such file.
    static func testing(tokens: [TokenFile.Entry]?, signingKeys: String? = nil) throws -> AccessControl {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        return try AccessControl(
            tokensPath: tokens.map { try folder.write(TokenFile.text($0), to: "tokens.json") } ?? "",
            signingKeysPath: signingKeys.map { try folder.write($0, to: "keys") } ?? ""
        )
    }
}

extension TokenSet {
    func token(of text: String) -> AccessToken? {
        token(Array(text.utf8).span)
    }
}
