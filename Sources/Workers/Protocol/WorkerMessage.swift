/// What goes over the socket between the service and a worker: sixteen bytes. Requests, contents and answers lie in the
/// memory that both have mapped; a message says how long they are.
///
/// | byte | |
/// |---|---|
/// | 0 | kind |
/// | 4 | number of the job, or what is in force of the sandbox |
/// | 8 | bytes of the content, or of the answer |
/// | 12 | bytes of the request |
///
/// Numbers are 32 bits, in the order of the machine: both sides are the same program.
enum WorkerMessage: Equatable, Sendable {
    /// From the worker, once: it takes jobs.
    case ready(SandboxParts)
    /// To the worker: request and content are there.
    case job(number: UInt32, contentBytes: UInt32, requestBytes: UInt32)
    /// From the worker: the answer to that job is there.
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

    /// Nil where there is no such kind.
    init?(_ bytes: Bytes) {
        switch bytes.x {
        case 1: self = .ready(SandboxParts(rawValue: bytes.y))
        case 2: self = .job(number: bytes.y, contentBytes: bytes.z, requestBytes: bytes.w)
        case 3: self = .answer(number: bytes.y, answerBytes: bytes.z)
        default: return nil
        }
    }
}
