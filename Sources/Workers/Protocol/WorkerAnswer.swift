package import Serialization

/// The results of one job: one per order.
package struct WorkerAnswer: Equatable, Sendable {
    package typealias Result = Swift.Result<ImageRecord, ImageRejection>

    var results: [Result]

    package init(_ results: [Result]) {
        self.results = results
    }

    package var wire: [UInt8] {
        var writer = WireWriter()
        writer.integer(results.count)
        for result in results {
            switch result {
            case .success(let record):
                writer.byte(0)
                record.write(to: &writer)
            case .failure(let rejection):
                writer.byte(1)
                rejection.write(to: &writer)
            }
        }
        return writer.bytes
    }

    /// Returns the encoded answer. If it would be too long, every order is rejected.
    /// - Parameter maxBytes: the maximum length, inclusive.
    func wire(maxBytes: Int, of content: Span<UInt8>) -> [UInt8] {
        let bytes = wire
        guard bytes.count > maxBytes else { return bytes }
        let error = ImageError(.tooLargeToDecode(amount: "bytes of results", max: maxBytes))
        let rejection = ImageRejection(error, ImageFindings(ImageFormat(of: content)))
        return WorkerAnswer(results.map { _ in .failure(rejection) }).wire
    }

    /// Reads an untrusted answer. Each length, choice and size must be one that `orders` can produce for `content`.
    init(wire: [UInt8], for orders: [ImageOrder], of content: Span<UInt8>) throws(WireError) {
        var reader = WireReader(wire)
        _ = try reader.integer(orders.count...orders.count, "results")
        results = []
        for order in orders {
            switch try reader.byte() {
            case 0: results.append(.success(try ImageRecord(from: &reader, for: order, of: content)))
            case 1: results.append(.failure(try ImageRejection(from: &reader, of: content)))
            default: throw .invalid("result")
            }
        }
        try reader.end()
    }

    /// Whether the content may have manipulated the state of the worker's process.
    var isSuspect: Bool {
        results.contains { result in
            switch result {
            case .success(let record): record.findings.isSuspect
            case .failure(let rejection): rejection.findings.isSuspect
            }
        }
    }
}
