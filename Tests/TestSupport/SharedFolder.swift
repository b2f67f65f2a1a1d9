public import Foundation

/// The folder with public test data that may be next to the checkout. Tests that need it are skipped if it is missing.
public enum SharedFolder {
    public static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared")

    public static func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appending(path: path).path)
    }

    /// Returns the files and folders in a folder, sorted by name; none if it is missing.
    public static func files(in path: String) -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: url.appending(path: path),
            includingPropertiesForKeys: nil
        )
        return (files ?? []).sorted { $0.path < $1.path }
    }
}
