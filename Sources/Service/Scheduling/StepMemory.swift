internal import HTTP
internal import Serialization
internal import Synchronization

/// The source of the memory that a step uses in addition to its content.
enum StepMemory: Sendable {
    /// The step runs on an HTTP thread. If the memory does not suffice, the compute lane repeats the step with a
    /// reservation.
    case inline(InlineMemory)
    /// The step runs on a lane.
    case reserved(MemoryReservation)
    /// The step is all of the work for an item of a batch. No remedies are tried, because each trial costs as much as
    /// the item.
    case item(MemoryReservation)
    /// The program serves nobody else: the command line.
    case unlimited

    var grant: any MemoryGrant {
        switch self {
        case .inline(let memory): memory
        case .reserved(let memory), .item(let memory): memory
        case .unlimited: .unlimited
        }
    }
}

/// The memory that one step on an HTTP thread may use beyond what the length of its content explains.
///
/// It is not charged, because it is a part of the memory that is planned for the process: each HTTP thread executes one
/// step at a time, and the response is charged when it is ready (``ResponseCharge``). Its bound is also a bound of the
/// time, because what is written was granted.
final class InlineMemory: MemoryGrant {
    private let maxBytes: Int
    private let used = Atomic<Int>(0)
    private let readAgain = Atomic<Int>(0)
    private let exceeded = Atomic<Bool>(false)

    /// - Parameter maxBytes: the maximum, inclusive.
    init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// The number of bytes that were granted.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Whether a request was denied. In this case any result is incomplete, and the compute lane must repeat the step.
    var isExceeded: Bool { exceeded.load(ordering: .relaxed) }

    func grow(by bytes: Int) -> Bool {
        guard !isExceeded, bytes <= maxBytes - usedBytes else {
            exceeded.store(true, ordering: .relaxed)
            return false
        }
        used.wrappingAdd(bytes, ordering: .relaxed)
        return true
    }

    /// The maximum length of all content that is read again, in bytes, inclusive. Locating an error, or a hundred
    /// warnings, takes several times as long as reading the content.
    private static let maxBytesReadAgain = 4 << 10

    func permitsReadingAgain(_ bytes: Int) -> Bool {
        let (_, total) = readAgain.wrappingAdd(max(0, min(bytes, .max >> 8)), ordering: .relaxed)
        guard !isExceeded, total <= Self.maxBytesReadAgain else {
            exceeded.store(true, ordering: .relaxed)
            return false
        }
        return true
    }
}

extension MemoryReservation: MemoryGrant {}
