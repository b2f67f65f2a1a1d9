internal import Serialization

/// Reads a file of tokens strictly: what is not understood is an error with its position.
///
///     {"tokens":[{"name":"web","sha256":"9f86…","permissions":["normalize","fetch"],"partition":"web"}]}
///
/// `partition` may be missing or empty, which is the default partition. Errors contain no value of `name`, `sha256` or
/// `partition`: someone may have written a token there.
struct TokensReader {
    /// The maximum size of a file, in bytes, inclusive.
    static let maxBytes = 4 << 20

    /// The maximum number of tokens. Every request is compared with all of them.
    static let maxTokens = 4_096

    /// The nesting depth of the format.
    private static let maxNestingDepth = 8

    private var file: JSONFileCursor
    private var tokens: [(token: AccessToken, digest: TokenSet.Digest)] = []
    /// The offsets at which names and digests occurred first.
    private var names: [String: Int] = [:]
    private var digests: [TokenSet.Digest: Int] = [:]

    /// Reads a regular file.
    static func read(path: String) throws(ConfigurationFileError) -> TokenSet {
        let text = try ConfigurationFile.read(path, maxBytes: maxBytes, content: "tokens")
        return try read(text.span, path: path)
    }

    /// - Parameter path: the name of the file, for errors.
    static func read(_ text: Span<UInt8>, path: String) throws(ConfigurationFileError) -> TokenSet {
        let file = try JSONFileCursor(text, path: path, maxNestingDepth: maxNestingDepth, isSecret: true)
        var reader = TokensReader(file: file)
        reader.document(in: text)
        guard reader.file.faults.isEmpty else { throw .invalid(reader.file.faults.located(in: text), path: path) }
        return TokenSet(reader.tokens)
    }

    private init(file: JSONFileCursor) {
        self.file = file
    }

    // MARK: The document

    private mutating func document(in text: Span<UInt8>) {
        guard file.expect(.object, in: text) else { return }
        let start = FilePosition(byte: file.cursor.position, pointer: "")
        var hasTokens = false
        file.cursor.enter(in: text)
        while file.cursor.next(in: text) {
            let (name, position) = file.member(in: text)
            if name == "tokens" {
                hasTokens = true
                tokens(in: text)
            } else {
                file.reportUnknown("member", name, known: ["tokens"], position)
                _ = file.cursor.skip(in: text)
            }
            file.pointer = ""
        }
        if !hasTokens, file.faults.isEmpty {
            file.faults.report("expected the member 'tokens', an array of tokens", start)
        }
    }

    private mutating func tokens(in text: Span<UInt8>) {
        guard file.expect(.array, in: text) else { return }
        file.cursor.enter(in: text)
        var count = 0
        while file.cursor.next(in: text) {
            file.pointer = "/tokens/\(count)"
            count += 1
            guard count <= Self.maxTokens else {
                if count == Self.maxTokens + 1 {
                    file.faults.report("there are more than \(Self.maxTokens) tokens", file.position(in: text))
                }
                _ = file.cursor.skip(in: text)
                continue
            }
            token(in: text)
        }
    }

    // MARK: One token

    private enum Member: String, CaseIterable {
        case name, sha256, permissions, partition
    }

    private mutating func token(in text: Span<UInt8>) {
        let parent = file.pointer
        let found = file.faults.count
        guard file.expect(.object, in: text) else { return }
        let start = FilePosition(byte: file.cursor.position, pointer: parent)
        var name: String?
        var digest: TokenSet.Digest?
        var permissions: PermissionSet?
        var partition = PartitionName.standard
        file.cursor.enter(in: text)
        while file.cursor.next(in: text) {
            file.pointer = parent
            let (memberName, position) = file.member(in: text)
            guard let member = Member(rawValue: memberName) else {
                file.reportUnknown("member", memberName, known: Member.allCases.map(\.rawValue), position)
                _ = file.cursor.skip(in: text)
                continue
            }
            switch member {
            case .name: name = self.name(in: text)
            case .sha256: digest = self.digest(in: text)
            case .permissions: permissions = self.permissions(in: text)
            case .partition: partition = self.partition(in: text)
            }
        }
        file.pointer = parent
        guard file.faults.count == found else { return }
        guard let name, let digest, let permissions else {
            let missing = [
                name == nil ? Member.name : nil, digest == nil ? .sha256 : nil, permissions == nil ? .permissions : nil,
            ].compactMap { $0.map { "'\($0.rawValue)'" } }
            return file.faults.report("the token has no \(missing.joined(separator: ", "))", start)
        }
        let token = AccessToken(name: name, permissions: permissions, partition: partition)
        tokens.append((token, digest))
    }

    private mutating func name(in text: Span<UInt8>) -> String? {
        guard file.expect(.string, in: text) else { return nil }
        let position = file.position
        let name = file.cursor.string(in: text).text(in: text)
        guard NameSyntax.isName(name.utf8.span) else {
            file.faults.report(
                "the name of a token has 1 to \(NameSyntax.maxBytes) characters (A-Z, a-z, 0-9, _ and -)",
                position
            )
            return nil
        }
        if let first = names[name] {
            file.faults.report("another token has the same name", position, first: first)
            return nil
        }
        names[name] = position.byte
        return name
    }

    private mutating func digest(in text: Span<UInt8>) -> TokenSet.Digest? {
        guard file.expect(.string, in: text) else { return nil }
        let position = file.position
        let value = file.cursor.string(in: text).utf8(in: text)
        guard let digest = TokenSet.Digest(hexadecimal: value.span) else {
            let length = value.count == 64 ? "this text has other characters" : "this text has \(value.count) bytes"
            file.faults.report(
                "the SHA-256 of a token is exactly 64 hexadecimal digits, and \(length); write the output of "
                    + "sha256sum here, not the token",
                position
            )
            return nil
        }
        for (text, description) in Self.emptyTexts where digest == TokenSet.Digest(sha256Of: Array(text.utf8).span) {
            file.faults.report("this is the SHA-256 of \(description), which cannot be a token", position)
            return nil
        }
        if let first = digests[digest] {
            file.faults.report("another token has the same SHA-256", position, first: first)
            return nil
        }
        digests[digest] = position.byte
        return digest
    }

    /// The texts that are hashed by mistake if a file or a variable is empty.
    private static let emptyTexts = [("", "an empty text"), ("\n", "an empty line")]

    private mutating func permissions(in text: Span<UInt8>) -> PermissionSet? {
        guard file.expect(.array, in: text) else { return nil }
        let parent = file.pointer
        var permissions: PermissionSet = []
        var index = 0
        file.cursor.enter(in: text)
        while file.cursor.next(in: text) {
            file.pointer = "\(parent)/\(index)"
            index += 1
            guard file.expect(.string, in: text) else { continue }
            let position = file.position
            let value = file.cursor.string(in: text).text(in: text)
            guard let permission = Permission(rawValue: value) else {
                file.reportUnknown("permission", value, known: Permission.allCases.map(\.rawValue), position)
                continue
            }
            if !permissions.insert(PermissionSet(permission)).inserted {
                file.faults.report("the permission '\(permission.rawValue)' is there twice", position)
            }
        }
        file.pointer = parent
        return permissions
    }

    private mutating func partition(in text: Span<UInt8>) -> PartitionName {
        guard file.expect(.string, in: text) else { return .standard }
        let position = file.position
        let value = file.cursor.string(in: text).text(in: text)
        if value.isEmpty { return .standard }
        guard let partition = PartitionName(parsing: value) else {
            file.faults.report(
                "a partition is empty or has 1 to \(NameSyntax.maxBytes) characters (A-Z, a-z, 0-9, _ and -)",
                position
            )
            return .standard
        }
        return partition
    }
}
