internal import Platform
internal import Primitives

/// The phase of an ``Exchange``, with the values that exist only in this phase.
///
///     idle ─► collecting ─┬────────────────────────┬─► responding ─► sending ─► idle
///               │         └─► stepping ─► waiting ─┤
///               └─► discarding ────────────────────┘
///
/// A request that is rejected at its head begins with `discarding` or `responding`. Each phase can become `ended`.
enum ExchangePhase: ~Copyable {
    /// There is no request.
    case idle

    /// Content is received for the first step.
    case collecting(Collection)

    /// The first step has resulted in another step. The end of the request has not been parsed.
    case stepping(Step)

    /// Content is received and discarded before the response is sent.
    case discarding(Response, Discard)

    /// Other threads compute the response, and deliver it to this object.
    case waiting(ParkedConnection)

    /// The response is complete since a time, and is sent when the library requests it.
    case responding(Response, since: MonotonicTime)

    /// The library sends the response.
    case sending(Sending)

    /// Nothing more is sent: the connection is about to end.
    case ended

    /// The content that is received for the first step.
    struct Collection: ~Copyable {
        let firstStep: FirstStep
        let maxBytes: Int

        /// The value of `Content-Length` in bytes; `nil` for chunked content.
        let declaredBytes: Int?

        /// The content so far; `nil` if nothing has been stored.
        var content: ContentBuffer?
    }

    /// The beginning of discarding.
    struct Discard {
        let start: MonotonicTime

        /// The number of bytes of content that were received before.
        let bytesBefore: Int
    }

    /// The response that is being sent, without its content.
    struct Sending {
        let status: Int
        let note: ApplicationNote

        /// The charge of the content, which is released when the exchange ends.
        let charge: ResponseCharge

        let start: MonotonicTime

        /// The number of bytes of content that were passed to the library for sending.
        var sentBytes: Int
    }
}

extension ExchangePhase.Sending {
    init(_ response: borrowing Response, start: MonotonicTime, sentBytes: Int) {
        status = response.status
        note = response.note
        charge = response.charge
        self.start = start
        self.sentBytes = sentBytes
    }
}

// A pattern of a noncopyable value must stand alone.
extension ExchangePhase {
    /// The phase without its values.
    enum Kind {
        case idle, collecting, stepping, discarding, waiting, responding, sending, ended
    }

    var kind: Kind {
        switch self {
        case .idle: .idle
        case .collecting: .collecting
        case .stepping: .stepping
        case .discarding: .discarding
        case .waiting: .waiting
        case .responding: .responding
        case .sending: .sending
        case .ended: .ended
        }
    }

    /// Whether there is a request whose response has not been passed to the library.
    var isBeforeSending: Bool {
        switch kind {
        case .collecting, .stepping, .discarding, .waiting, .responding: true
        case .idle, .sending, .ended: false
        }
    }

    /// Whether the phase lasts until the end of the request.
    var lastsUntilEnd: Bool {
        switch kind {
        case .collecting, .stepping, .discarding: true
        case .idle, .waiting, .responding, .sending, .ended: false
        }
    }

    /// The beginning of discarding; `nil` in other phases.
    var discard: Discard? {
        switch self {
        case .idle: nil
        case .collecting: nil
        case .stepping: nil
        case .discarding(_, let discard): discard
        case .waiting: nil
        case .responding: nil
        case .sending: nil
        case .ended: nil
        }
    }

    /// The object to which the response is delivered; `nil` in other phases.
    var parked: ParkedConnection? {
        switch self {
        case .idle: nil
        case .collecting: nil
        case .stepping: nil
        case .discarding: nil
        case .waiting(let parked): parked
        case .responding: nil
        case .sending: nil
        case .ended: nil
        }
    }
}
