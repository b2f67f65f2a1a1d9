import Foundation

/// `jq -c .` as a process. The time includes its start and reading the file.
struct JqConverter: Converter {
    let name = "jq"

    func measure(_ file: BenchmarkFile, seconds: Double) -> Sample? {
        var isRefused = false
        let start = ContinuousClock.now
        do {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["jq", "-c", ".", file.url.path]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            isRefused = process.terminationStatus != 0
        } catch {
            isRefused = true
        }
        let taken = (ContinuousClock.now - start) / .seconds(1)
        return isRefused ? nil : Sample([taken])
    }
}
