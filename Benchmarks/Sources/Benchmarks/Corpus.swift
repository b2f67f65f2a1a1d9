import Foundation

/// The benchmark files: public files, if they are here, and generated files.
enum Corpus {
    /// The files that are commonly used in publications.
    private static let published = ["twitter", "citm_catalog", "canada"]

    /// Returns all files. Generated files are written to `folder`, unless they exist.
    static func files(in folder: URL) throws -> [BenchmarkFile] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var files: [BenchmarkFile] = []
        for name in published {
            if let url = PublicFile.url("perf/\(name).json") { files.append(try BenchmarkFile(url: url)) }
        }
        if files.isEmpty { print("Skipping \(published.joined(separator: ", ")): `make suites` fetches them.") }
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
