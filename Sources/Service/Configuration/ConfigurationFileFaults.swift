internal import Serialization

/// A position in a configuration file.
struct FilePlace {
    /// The offset in bytes.
    var byte: Int
    var pointer: String
}

/// The errors that were found in a file so far, up to a maximum.
struct ConfigurationFileFaults {
    private var faults: [(message: String, place: FilePlace, first: Int?)] = []

    /// The maximum number of errors that are reported.
    private static let maxFaults = 20

    var isEmpty: Bool { faults.isEmpty }
    private(set) var count = 0

    /// - Parameter first: the offset of the first occurrence of what is there twice.
    mutating func report(_ message: String, _ place: FilePlace, first: Int? = nil) {
        count += 1
        if faults.count < Self.maxFaults { faults.append((message, place, first)) }
    }

    /// The errors in the order of the file, with lines and columns.
    func located(in text: Span<UInt8>) -> [ConfigurationFileError.Fault] {
        let sorted = faults.sorted { $0.place.byte < $1.place.byte }
        let offsets = Set(sorted.map(\.place.byte) + sorted.compactMap(\.first)).sorted()
        let locations = Dictionary(text.locate(offsets).map { ($0.byte, $0) }) { first, _ in first }
        return sorted.map { fault in
            var at = locations[fault.place.byte] ?? SourceLocation(byte: fault.place.byte)
            at.pointer = fault.place.pointer
            return ConfigurationFileError.Fault(
                message: fault.message,
                at: at,
                first: fault.first.flatMap { locations[$0] }
            )
        }
    }
}
