internal import Platform

/// Reads the files that the configuration names.
enum ConfigurationFile {
    /// Reads a regular file. Other files, such as pipes, cannot be read again.
    /// - Parameters:
    ///   - maxBytes: the maximum size of the file, in bytes, inclusive.
    ///   - content: what the file contains, for errors: `profiles`.
    static func read(_ path: String, maxBytes: Int, content: String) throws(ConfigurationFileError) -> [UInt8] {
        do throws(ReadError) {
            return try read(path, maxBytes: maxBytes)
        } catch {
            throw .unreadable(error, content: content)
        }
    }

    private static func read(_ path: String, maxBytes: Int) throws(ReadError) -> [UInt8] {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try FileDescriptor.openingRegularFile(path)
        } catch {
            throw .system(error)
        }
        return try file.readAll(maxBytes: maxBytes)
    }
}
