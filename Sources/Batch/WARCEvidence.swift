/// The reason why an input is read as a web archive.
enum WARCEvidence {
    /// Only its content. Members of gzip that contain something else are not an archive.
    case content
    /// Its format is given, or in its name.
    case format
    /// Its name is that of an archive in gzip, and it does not begin with a record.
    case gzipName

    /// Returns whether the records are compressed, although the first bytes may be damaged.
    func isGzip(_ bytes: [UInt8]) -> Bool {
        let beginning = GzipMembers.beginning
        return switch self {
        case .content: bytes.starts(with: beginning.dropLast())
        case .format: zip(bytes, beginning).count { $0 == $1 } >= 2
        case .gzipName: !bytes.isEmpty
        }
    }
}
