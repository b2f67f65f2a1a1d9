internal import Fetching
internal import Serialization

/// Reads a file of signing keys. No error contains a part of a key.
enum SigningKeysReader {
    /// The maximum size of a file, in bytes, inclusive.
    static let maxBytes = 64 << 10

    /// Reads a regular file.
    static func read(path: String) throws(ConfigurationFileError) -> SigningKeys {
        let text = try ConfigurationFile.read(path, maxBytes: maxBytes, content: "signing keys")
        do {
            return try SigningKeys(parsing: String(decoding: text, as: UTF8.self))
        } catch { throw .invalid([ConfigurationFileError.Fault(error)], path: path) }
    }
}

extension ConfigurationFileError.Fault {
    fileprivate init(_ error: SigningKeysError) {
        switch error {
        case .empty: self.init(message: "the file has no key", at: SourceLocation(byte: 0, line: 1, column: 1))
        case .malformed(let line, let column):
            self.init(
                message: "a key is a line of hexadecimal digits, two for each byte",
                at: SourceLocation(byte: 0, line: line, column: column + 1)
            )
        case .tooShort(let bytes, let min, let line):
            self.init(
                message: "the key has \(bytes) bytes; at least \(min) are required",
                at: SourceLocation(byte: 0, line: line, column: 1)
            )
        case .tooMany(let max, let line):
            self.init(message: "there are more than \(max) keys", at: SourceLocation(byte: 0, line: line, column: 1))
        }
    }
}
