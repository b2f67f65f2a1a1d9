public import Foundation
public import Testing

/// The suites that are outside the repository: public ones (`make suites`), and a few that are not published. The file
/// `scripts/suites` lists them.
public enum Suites {
    private static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder in `SUITES_FOLDER`; by default that of `make suites`, then the folder of corpora next to the
    /// checkout.
    private static let folders: [URL] = {
        if let folder = ProcessInfo.processInfo.environment["SUITES_FOLDER"], !folder.isEmpty {
            return [URL(filePath: folder, directoryHint: .isDirectory)]
        }
        return [".suites", "../shared/corpora", "../shared"].map { checkout.appending(path: $0).standardized }
    }()

    /// The paths of all suites, and whether a public repository has them.
    private static let table: [(path: String, isPublic: Bool)] = {
        let text = (try? String(contentsOf: checkout.appending(path: "scripts/suites"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let columns = line.split(separator: " ")
            return (String(columns[0]), columns[1] != "-")
        }
    }()

    /// Returns the location of a file or folder, given relative to the folder of all suites.
    public static func url(_ path: String) -> URL {
        let candidates = folders.map { $0.appending(path: path) }
        return candidates.first { FileManager.default.fileExists(atPath: $0.path) } ?? candidates[0]
    }

    /// Returns the files and folders in a folder, sorted by name; none if it is missing.
    public static func files(in path: String) -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(at: url(path), includingPropertiesForKeys: nil)
        return (files ?? []).sorted { $0.path < $1.path }
    }

    /// Returns the files at all depths of a suite, or of all public suites below a path, sorted by name; none if they
    /// are missing.
    public static func allFiles(in path: String) -> [URL] {
        parts(of: path).flatMap { part in
            let files = FileManager.default.enumerator(at: url(part), includingPropertiesForKeys: nil)?.allObjects ?? []
            return files.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
        }
    }

    /// Returns the suites below a path, or the path itself if it is a suite or is inside one.
    private static func parts(of path: String) -> [String] {
        let parts = table.filter { $0.isPublic && $0.path.hasPrefix(path + "/") }.map(\.path)
        return parts.isEmpty ? [path] : parts
    }

    /// Returns why tests of a suite, of a part of it, or of all suites below a path cannot run; `nil` if they can.
    static func obstacle(to path: String) -> String? {
        let missing = parts(of: path).filter { !FileManager.default.fileExists(atPath: url($0).path) }
        guard !missing.isEmpty else { return nil }
        let isUnpublished = table.contains { !$0.isPublic && (path + "/").hasPrefix($0.path + "/") }
        return "missing: \(missing.joined(separator: ", ")); "
            + (isUnpublished ? "it is not published (docs/testing.md)" : "`make suites` fetches it")
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test if a suite is missing.
    public static func needs(_ path: String) -> Self {
        let obstacle = Suites.obstacle(to: path)
        return .enabled(if: obstacle == nil, Comment(rawValue: obstacle ?? ""))
    }
}
