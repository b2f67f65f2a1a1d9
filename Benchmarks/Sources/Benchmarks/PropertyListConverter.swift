import Foundation

/// `PropertyListSerialization` and `JSONSerialization`, from a property list to objects, and from objects to JSON.
struct PropertyListConverter: Converter {
    let name = "Foundation"

    func measure(_ file: BenchmarkFile, seconds: Double) -> Sample? {
        guard file.format == .plist, let content = try? Data(contentsOf: file.url) else { return nil }
        var isRefused = false
        let sample = Sample.measuring(seconds: seconds) {
            do {
                let value = try PropertyListSerialization.propertyList(from: content, format: nil)
                _ = try JSONSerialization.data(withJSONObject: value)
            } catch {
                isRefused = true
            }
        }
        return isRefused ? nil : sample
    }
}
