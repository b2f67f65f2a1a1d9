import Foundation

/// A folder that is removed at the end of this object's lifetime.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "decant-test-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes a file, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return url.appending(path: name).path
    }
}
