package import Serialization

/// The results of one job: one per order.
package struct WorkerAnswer: Equatable, Sendable {
    package typealias Result = Swift.Result<ImageRecord, ImageRejection>

    var results: [Result]

    package init(_ results: [Result]) { self.results = results }

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

    /// Returns the encoded answer. A record with too long JSON is rejected, and if all of them together would be too
    /// long, every order is.
    /// - Parameter maxBytes: the maximum length, inclusive.
    func wire(maxBytes: Int) -> [UInt8] {
        func rejection(_ max: Int) -> Result {
            var findings = ImageFindings()
            findings.isSuspect = isSuspect
            let error = ImageError(.tooLargeToDecode(amount: "bytes of results", max: max))
            return .failure(ImageRejection(error, findings))
        }
        let short = results.map { result in
            guard case .success(let record) = result, record.json.count > WireLimits.jsonBytes else { return result }
            return rejection(WireLimits.jsonBytes)
        }
        let bytes = WorkerAnswer(short).wire
        return bytes.count <= maxBytes ? bytes : WorkerAnswer(results.map { _ in rejection(maxBytes) }).wire
    }

    /// Reads an untrusted answer. Each length, choice and size must be one that `orders` can produce for `content`.
    /// - Parameter decodesPixels: whether the worker decodes pixels. If not, it may report that they are needed.
    init(
        wire: [UInt8],
        for orders: [ImageOrder],
        of content: Span<UInt8>,
        decodesPixels: Bool
    ) throws(WireError) {
        var reader = WireReader(wire)
        _ = try reader.integer(orders.count...orders.count, "results")
        results = []
        for order in orders {
            switch try reader.byte() {
            case 0: results.append(.success(try ImageRecord(from: &reader, for: order, of: content)))
            case 1:
                let mayDefer = !decodesPixels && order.decode != .header
                results.append(.failure(try ImageRejection(from: &reader, of: content, mayDefer: mayDefer)))
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
