import Foundation

/// The files: the public ones that stand beside the checkout, where they do, and those made here.
enum Corpus {
    /// The figures in issues and papers are about these.
    private static let published = ["twitter", "citm_catalog", "canada"]

    private static let shared = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/corpora/perf")

    /// All files; what is made here is written into `folder`, unless it is there.
    static func files(in folder: URL) throws -> [BenchmarkFile] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var files: [BenchmarkFile] = []
        for name in published {
            let url = shared.appending(path: name + ".json")
            if FileManager.default.fileExists(atPath: url.path) { files.append(try BenchmarkFile(url: url)) }
        }
        if files.isEmpty { print("Skipping \(published.joined(separator: ", ")): there is no \(shared.path).") }
        for recipe in Recipe.all {
            let url = folder.appending(path: recipe.name + ".json")
            var random = SplitMix64(seed: 2026)
            var text = JSONText()
            recipe.write(&text, &random)
            try Data(text.bytes).write(to: url)
            files.append(try BenchmarkFile(url: url, unit: recipe.unit, dropsNulls: recipe.dropsNulls))
        }
        return files
    }
}
