import Foundation

/// The public files that `make suites` fetches.
enum PublicFile {
    /// The folder in `SUITES_FOLDER`; by default that of `make suites`, then the folder of corpora next to the
    /// checkout.
    private static let folders: [URL] = {
        if let folder = ProcessInfo.processInfo.environment["SUITES_FOLDER"], !folder.isEmpty {
            return [URL(filePath: folder)]
        }
        let checkout = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return [".suites", "../shared/corpora"].map { checkout.appending(path: $0).standardized }
    }()

    /// Returns the location of a file; `nil` if it is missing.
    static func url(_ path: String) -> URL? {
        folders.map { $0.appending(path: path) }.first { FileManager.default.fileExists(atPath: $0.path) }
    }
}
