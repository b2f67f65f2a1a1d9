import Foundation

/// `JSONSerialization`, from text to objects and back.
struct FoundationConverter: Converter {
    let name = "Foundation"
    private let documents: [URL: [Data]]

    init(_ files: [BenchmarkFile]) throws {
        var documents: [URL: [Data]] = [:]
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: file.url))
            documents[file.url] = file.documents(in: bytes).map { Data(bytes[$0]) }
        }
        self.documents = documents
    }

    func measure(_ file: BenchmarkFile, seconds: Double) -> Sample? {
        let documents = documents[file.url] ?? []
        var isRefused = false
        let sample = Sample.measuring(seconds: seconds) {
            do {
                for document in documents {
                    let value = try JSONSerialization.jsonObject(with: document, options: .fragmentsAllowed)
                    _ = try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
                }
            } catch {
                isRefused = true
            }
        }
        return isRefused ? nil : sample
    }
}
