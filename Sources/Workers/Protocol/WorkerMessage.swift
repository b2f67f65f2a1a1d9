internal import Platform

/// A message of sixteen bytes between the service and a worker. Requests, contents and answers are stored in the shared
/// memory; a message specifies their lengths.
///
/// | byte | |
/// |---|---|
/// | 0 | kind |
/// | 4 | number of the job, or the parts of the sandbox that are in effect |
/// | 8 | length of the content or of the answer |
/// | 12 | length of the request |
///
/// Numbers have 32 bits, in the byte order of the machine: both programs run on it.
enum WorkerMessage: Equatable, Sendable {
    /// From the worker, once: it accepts jobs.
    case ready(SandboxParts)
    /// To the worker: the request and the content are in the shared memory.
    case job(number: UInt32, contentBytes: UInt32, requestBytes: UInt32)
    /// From the worker: the answer to this job is in the shared memory.
    case answer(number: UInt32, answerBytes: UInt32)

    typealias Bytes = SIMD4<UInt32>
    static let byteCount = 16

    var bytes: Bytes {
        switch self {
        case .ready(let parts): Bytes(1, parts.rawValue, 0, 0)
        case .job(let number, let contentBytes, let requestBytes): Bytes(2, number, contentBytes, requestBytes)
        case .answer(let number, let answerBytes): Bytes(3, number, answerBytes, 0)
        }
    }

    /// Returns `nil` if the kind is unknown.
    init?(_ bytes: Bytes) {
        switch bytes.x {
        case 1: self = .ready(SandboxParts(rawValue: bytes.y))
        case 2: self = .job(number: bytes.y, contentBytes: bytes.z, requestBytes: bytes.w)
        case 3: self = .answer(number: bytes.y, answerBytes: bytes.z)
        default: return nil
        }
    }
}
