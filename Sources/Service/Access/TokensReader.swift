internal import Serialization

/// Reads a file of tokens strictly: what is not understood is an error with its location.
///
///     {"tokens":[{"name":"web","sha256":"9f86…","permissions":["normalize","fetch"],"partition":"web"}]}
///
/// `partition` may be missing or empty, which is the default partition. Errors contain no value of `name`, `sha256` or
/// `partition`, and no name of a member that does not exist: someone may have written a token there.
struct TokensReader: ConfigurationFileReader {
    /// The maximum size of a file, in bytes, inclusive.
    static let maxBytes = 4 << 20

    /// The maximum number of tokens. Every request is compared with all of them.
    static let maxTokens = 4_096

    var json: JSONDocumentReader
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
        var reader = TokensReader(json: try JSONDocumentReader(file: text, path: path, isSecret: true))
        _ = reader.document(with: DocumentMember.tokens, "an array of tokens", in: text) {
            reader throws(JSONDocumentFault) in try reader.tokens(in: text)
        }
        let faults = ConfigurationFileFaults(reader.json, isSecret: true)
        guard faults.isEmpty else { throw .invalid(faults.located(in: text), path: path) }
        return TokenSet(reader.tokens)
    }

    private init(json: JSONDocumentReader) { self.json = json }

    // MARK: The document

    private enum DocumentMember: String, CaseIterable {
        case tokens
    }

    private mutating func tokens(in text: Span<UInt8>) throws(JSONDocumentFault) {
        var count = 0
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            count += 1
            recovering(in: text) { reader throws(JSONDocumentFault) in
                guard count <= Self.maxTokens else { return try reader.skip(count, in: text) }
                try reader.token(in: text)
            }
        }
    }

    /// Skips a token after the maximum number, the first of which is an error.
    private mutating func skip(_ count: Int, in text: Span<UInt8>) throws(JSONDocumentFault) {
        let start = json.mark(in: text)
        _ = json.skip(in: text)
        if count == Self.maxTokens + 1 {
            throw fault("there are more than \(Self.maxTokens) tokens", at: start, in: text)
        }
    }

    // MARK: One token

    private enum Member: String, CaseIterable {
        case name, sha256, permissions, partition
    }

    private mutating func token(in text: Span<UInt8>) throws(JSONDocumentFault) {
        let found = json.faultCount
        let start = json.mark(in: text)
        var name: String?
        var digest: TokenSet.Digest?
        var permissions: PermissionSet?
        var partition = PartitionName.standard
        try json.enterObject(in: text)
        while let member: Member = try json.nextMember(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in
                switch member {
                case .name: name = try reader.name(in: text)
                case .sha256: digest = try reader.digest(in: text)
                case .permissions: permissions = try reader.permissions(in: text)
                case .partition: partition = try reader.partition(in: text)
                }
            }
        }
        guard json.faultCount == found else { return }
        guard let name, let digest, let permissions else {
            let missing: [Member?] = [
                name == nil ? .name : nil, digest == nil ? .sha256 : nil, permissions == nil ? .permissions : nil,
            ]
            throw fault("the token", without: missing, at: start, in: text)
        }
        let token = AccessToken(name: name, permissions: permissions, partition: partition)
        tokens.append((token, digest))
    }

    private mutating func name(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let name = try json.string(in: text)
        guard NameSyntax.isName(name.utf8.span) else {
            let syntax = "the name of a token has 1 to \(NameSyntax.maxBytes) characters (A-Z, a-z, 0-9, _ and -)"
            throw fault(syntax, at: start, in: text)
        }
        if let first = names[name] {
            throw fault("another token has the same name", at: start, first: first, in: text)
        }
        names[name] = start.byte
        return name
    }

    private mutating func digest(in text: Span<UInt8>) throws(JSONDocumentFault) -> TokenSet.Digest {
        let start = json.mark(in: text)
        let value = try json.token(in: text).utf8(in: text)
        guard let digest = TokenSet.Digest(hexadecimal: value.span) else {
            let length = value.count == 64 ? "this text has other characters" : "this text has \(value.count) bytes"
            throw fault(
                "the SHA-256 of a token is exactly 64 hexadecimal digits, and \(length); write the output of "
                    + "sha256sum here, not the token",
                at: start,
                in: text
            )
        }
        for (empty, description) in Self.emptyTexts where digest == TokenSet.Digest(sha256Of: empty.utf8.span) {
            throw fault("this is the SHA-256 of \(description), which cannot be a token", at: start, in: text)
        }
        if let first = digests[digest] {
            throw fault("another token has the same SHA-256", at: start, first: first, in: text)
        }
        digests[digest] = start.byte
        return digest
    }

    /// The texts that are hashed by mistake if a file or a variable is empty.
    private static let emptyTexts = [("", "an empty text"), ("\n", "an empty line")]

    private mutating func permissions(in text: Span<UInt8>) throws(JSONDocumentFault) -> PermissionSet {
        var permissions: PermissionSet = []
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in
                let start = reader.json.mark(in: text)
                let permission: Permission = try reader.json.choice("permission", in: text)
                if !permissions.insert(PermissionSet(permission)).inserted {
                    throw reader.fault("the permission '\(permission.rawValue)' is there twice", at: start, in: text)
                }
            }
        }
        return permissions
    }

    private mutating func partition(in text: Span<UInt8>) throws(JSONDocumentFault) -> PartitionName {
        let start = json.mark(in: text)
        let value = try json.string(in: text)
        if value.isEmpty { return .standard }
        guard let partition = PartitionName(parsing: value) else {
            let syntax = "a partition is empty or has 1 to \(NameSyntax.maxBytes) characters (A-Z, a-z, 0-9, _ and -)"
            throw fault(syntax, at: start, in: text)
        }
        return partition
    }
}
