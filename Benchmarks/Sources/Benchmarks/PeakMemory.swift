import Foundation

/// Measures the peak memory of a process. Linux only: `VmHWM` of proc(5).
enum PeakMemory {
    /// Returns the memory that one normalization of `file` needs in addition to the file, in bytes, measured in a new
    /// process.
    static func extraBytes(normalizing file: BenchmarkFile) -> Int? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--memory", file.unit.rawValue, file.dropsNulls ? "drop" : "keep", file.url.path]
        process.standardOutput = output
        guard (try? process.run()) != nil, let text = try? output.fileHandleForReading.readToEnd() else { return nil }
        process.waitUntilExit()
        return Int(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Runs `work` once with the result of `prepare`.
    /// - Returns: the difference between the peak and the memory before, in bytes.
    static func measure<Prepared>(_ prepare: () throws -> Prepared, work: (Prepared) -> Void) throws -> Int {
        let prepared = try prepare()
        // proc(5): writing 5 resets the peak to the current resident memory.
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = try residentBytes("VmHWM")
        work(prepared)
        return try max(0, residentBytes("VmHWM") - before)
    }

    private static func residentBytes(_ field: String) throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
        return line.split { !$0.isNumber }.first.flatMap { Int($0) }.map { $0 << 10 } ?? 0
    }
}
