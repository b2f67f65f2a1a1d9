internal import Serialization

/// The errors that were found in a file, up to a maximum number.
struct ConfigurationFileFaults {
    private var faults: [(message: String, location: JSONDocumentLocation, first: Int?)] = []

    /// The maximum number of errors that are reported.
    static let maxFaults = 20

    var isEmpty: Bool { faults.isEmpty }
    private(set) var count = 0

    /// - Parameters:
    ///   - message: is computed only if the error is reported, because a file may have hundreds of thousands of errors.
    ///   - first: the offset of the first occurrence, if the error is a duplicate.
    mutating func report(_ message: @autoclosure () -> String, _ location: JSONDocumentLocation, first: Int? = nil) {
        count += 1
        if faults.count < Self.maxFaults { faults.append((message(), location, first)) }
    }

    /// Returns the errors in the order of the file, with lines and columns.
    func located(in text: Span<UInt8>) -> [ConfigurationFileError.Fault] {
        let sorted = faults.sorted { $0.location.byte < $1.location.byte }
        let offsets = Set(sorted.map(\.location.byte) + sorted.compactMap(\.first)).sorted()
        let locations = Dictionary(text.locate(offsets).map { ($0.byte, $0) }) { first, _ in first }
        return sorted.map { fault in
            var at = locations[fault.location.byte] ?? SourceLocation(byte: fault.location.byte)
            at.pointer = fault.location.pointer
            return ConfigurationFileError.Fault(
                message: fault.message,
                at: at,
                first: fault.first.flatMap { locations[$0] }
            )
        }
    }
}
