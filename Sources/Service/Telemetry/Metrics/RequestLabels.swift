internal import Serialization

/// The labels of `decant_requests_total`, packed into one integer. All of them come from closed sets.
///
///     bit 31   bits 22…27   bits 18…21                  bits 10…17             bits 0…9
///     1        endpoint     serializer + 1; 0: none     code + 1; 0: none      status; 0: none; 1023: other
///
/// Bit 31 distinguishes labels from an empty bucket of a ``RequestTable``. Each problem code implies its status,
/// so that the number of combinations is limited, regardless of what clients send.
struct RequestLabels: Hashable, Sendable {
    /// The packed labels, which are not zero.
    let key: UInt32

    private static let mark: UInt32 = 1 << 31
    private static let otherStatus: UInt32 = 1_023

    @inline(__always) init(endpoint: Endpoint, status: Int?, serializer: SerializerKind?, problem: ProblemCode?) {
        let statusKey = status.map { 100...599 ~= $0 ? UInt32(truncatingIfNeeded: $0) : Self.otherStatus } ?? 0
        let serializerKey = serializer.map { UInt32($0.ordinal) + 1 } ?? 0
        let problemKey = problem.map { UInt32($0.ordinal) + 1 } ?? 0
        key = Self.mark | UInt32(endpoint.rawValue) << 22 | serializerKey << 18 | problemKey << 10 | statusKey
    }

    /// Creates labels from a key that ``RequestTable`` stores.
    init(key: UInt32) { self.key = key }

    // MARK: Values of the labels

    var endpoint: String { "\((Endpoint(rawValue: UInt8(truncatingIfNeeded: (key >> 22) & 0x3F)) ?? .none).name)" }

    /// The status code; `other` if it is not in 100…599; `none` if there was no response.
    var status: String {
        switch key & 0x3FF {
        case 0: "none"
        case Self.otherStatus: "other"
        case let status: "\(status)"
        }
    }

    var serializer: String { Self.name(SerializerKind.allCases, Int((key >> 18) & 0xF)) }

    var code: String { Self.name(ProblemCode.allCases, Int((key >> 10) & 0xFF)) }

    private static func name<Value: RawRepresentable<String>>(_ values: [Value], _ key: Int) -> String {
        1...values.count ~= key ? values[key - 1].rawValue : "none"
    }
}

/// A closed set whose values are stored as the index of their case.
protocol Ordinal: CaseIterable where AllCases == [Self] {
    /// The number of cases, at most 255.
    static var count: UInt8 { get }
}

extension Ordinal {
    /// The index in `allCases`.
    @inline(__always) var ordinal: UInt8 {
        // An enum of at most 256 cases without payloads is stored as the index of its case, in one byte.
        // `unsafeBitCast` compares the sizes, and a test compares the indices. A lookup of the raw value, a string,
        // would be a search.
        unsafe unsafeBitCast(self, to: UInt8.self)
    }

    /// Returns the case at an index of `allCases`; `nil` if there is none.
    @inline(__always) init?(ordinal: UInt8) {
        // Most responses are not problems.
        guard ordinal != .max, ordinal < Self.count else { return nil }
        // See ``ordinal``.
        self = unsafe unsafeBitCast(ordinal, to: Self.self)
    }
}

extension ProblemCode: Ordinal {
    static let count = UInt8(allCases.count)
}

extension SerializerKind: Ordinal {
    static let count = UInt8(allCases.count)
}
