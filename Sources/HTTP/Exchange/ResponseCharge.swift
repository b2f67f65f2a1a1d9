internal import Primitives

/// How the content of a response is charged to the memory of requests until it has been sent.
package enum ResponseCharge: Sendable {
    /// It is charged when the response is ready (``Response/reserveMemory(in:)``).
    case pending
    /// The reservation of the content, which is released with the last response that contains it.
    case reserved(MemoryReservation)
    /// The content exists once, however many responses contain it, and belongs to the program or to the cache.
    case once
}

extension Response {
    /// The minimum size of content that is charged, in bytes. Shorter content fits into the send buffer of its
    /// connection, whose memory is planned (``Configuration/connectionBytes``).
    static let minChargedBytes = HTTPServerConfiguration.socketBufferBytes

    /// Charges the content, unless this has been done or it is short.
    /// - Throws: ``RejectionReason`` if there is no memory. The response must then not be sent.
    package mutating func reserveMemory(in account: MemoryAccount) throws(RejectionReason) {
        switch charge {
        case .pending:
            let count = content.ownBytes
            guard count >= Self.minChargedBytes else { return }
            charge = .reserved(try account.reserve(count, besides: 0))
        case .reserved, .once: return
        }
    }
}
