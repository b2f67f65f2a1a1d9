internal import Platform

/// Reads the files that the configuration names.
enum ConfigurationFile {
    /// Reads a regular file. Other files, such as pipes, cannot be read again.
    /// - Parameters:
    ///   - maxBytes: the maximum size of the file, in bytes, inclusive.
    ///   - content: what the file contains, for errors: `profiles`.
    static func read(_ path: String, maxBytes: Int, content: String) throws(ConfigurationFileError) -> [UInt8] {
        try readSecret(path, maxBytes: maxBytes, content: content).content
    }

    /// Reads a regular file, as ``read(_:maxBytes:content:)`` does, and whether every user of the machine can read it.
    static func readSecret(
        _ path: String,
        maxBytes: Int,
        content: String
    ) throws(ConfigurationFileError) -> (content: [UInt8], isReadableByOthers: Bool) {
        do throws(ReadError) {
            let file = try open(path)
            let isReadableByOthers: Bool
            do throws(SystemError) {
                isReadableByOthers = try file.isReadableByOthers
            } catch { throw .system(error) }
            return (try file.readAll(maxBytes: maxBytes), isReadableByOthers)
        } catch { throw .unreadable(error, content: content) }
    }

    private static func open(_ path: String) throws(ReadError) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor.openingRegularFile(path)
        } catch { throw .system(error) }
    }
}
