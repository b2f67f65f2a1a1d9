internal import Synchronization

/// The account of the memory that requests use together: their content, the working memory of decoding it, and their
/// responses until they are sent (`maxBufferedBytes`).
///
/// Content is charged when it is received, not when it is declared: a client that declares a large content and sends
/// little does not reserve memory. The memory for decoding it and for the response is reserved before the decoding
/// begins.
///
/// **Invariant.** The number of used bytes is the sum of all reservations and charges that exist; the last reference to
/// one releases it. It exceeds the maximum only by ``occupy(_:)``, for memory that exists already, and for the moment
/// in which a charge is found not to fit. A charge that does not fit changes nothing. Nothing waits for memory: a
/// request is rejected. `MemoryAccountTests` and `StepMemoryTests` check this.
package final class MemoryAccount: Sendable {
    /// The maximum number of bytes, inclusive.
    package let maxBytes: Int

    private let used = Atomic<Int>(0)

    package init(maxBytes: Int) {
        precondition(maxBytes > 0, "the memory for requests is at least one byte")
        self.maxBytes = maxBytes
    }

    /// The number of bytes that are in use.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Charges `bytes` if they fit.
    /// - Returns: `false` if they do not fit. In this case nothing is charged.
    func charge(_ bytes: Int) -> Bool {
        let (_, after) = used.wrappingAdd(bytes, ordering: .relaxed)
        if after <= maxBytes { return true }
        release(bytes)
        return false
    }

    /// Charges `bytes` even if they exceed the maximum.
    func occupy(_ bytes: Int) { used.wrappingAdd(bytes, ordering: .relaxed) }

    func release(_ bytes: Int) { used.wrappingSubtract(bytes, ordering: .relaxed) }

    /// Reserves `bytes`.
    /// - Parameter heldBytes: the number of bytes that the request already holds. If both together exceed the maximum,
    ///   waiting is useless.
    /// - Throws: ``RejectionReason/saturated`` if other requests use the memory, and
    ///   ``RejectionReason/neverFits(neededBytes:maxBytes:)`` if the memory would not suffice even without them.
    package func reserve(_ bytes: Int, besides heldBytes: Int) throws(RejectionReason) -> MemoryReservation {
        let (neededBytes, overflow) = bytes.addingReportingOverflow(heldBytes)
        guard !overflow, neededBytes <= maxBytes else {
            throw .neverFits(neededBytes: overflow ? .max : neededBytes, maxBytes: maxBytes)
        }
        guard charge(bytes) else { throw .saturated }
        return MemoryReservation(bytes, besides: heldBytes, of: self)
    }

    /// Returns a reservation of nothing, which can grow. Unlike ``reserve(_:besides:)``, it does not fail if the
    /// maximum is exceeded.
    package func emptyReservation() -> MemoryReservation { MemoryReservation(0, besides: 0, of: self) }
}

/// Memory that is charged to a ``MemoryAccount`` until the last reference is released.
package final class MemoryReservation: Sendable {
    private let account: MemoryAccount
    private let bytes: Atomic<Int>
    private let heldBytes: Int
    /// The total that would have been needed for the last growth that was rejected, in bytes; 0 if none was rejected.
    private let rejectedBytes = Atomic<Int>(0)

    fileprivate init(_ bytes: Int, besides heldBytes: Int, of account: MemoryAccount) {
        self.account = account
        self.bytes = Atomic(bytes)
        self.heldBytes = heldBytes
    }

    deinit { account.release(bytes.load(ordering: .relaxed)) }

    /// Reserves `bytes` of the same account: see ``MemoryAccount/reserve(_:besides:)``.
    package func reserve(_ bytes: Int, besides heldBytes: Int) throws(RejectionReason) -> MemoryReservation {
        try account.reserve(bytes, besides: heldBytes)
    }

    /// The reason if additional memory was requested (``grow(by:)``) and rejected. In this case any result is
    /// incomplete.
    package var denial: RejectionReason? {
        let rejectedBytes = rejectedBytes.load(ordering: .relaxed)
        guard rejectedBytes > 0 else { return nil }
        guard rejectedBytes <= account.maxBytes else {
            return .neverFits(neededBytes: rejectedBytes, maxBytes: account.maxBytes)
        }
        return .saturated
    }

    package func checkGrants() throws(RejectionReason) { if let denial { throw denial } }

    /// Charges `count` bytes from now on, instead of the reserved number. If it is greater, it is charged even if it
    /// exceeds the maximum.
    package func resize(to count: Int) {
        let before = bytes.exchange(count, ordering: .relaxed)
        account.occupy(count - before)
    }
}

extension MemoryReservation {
    /// Charges `count` more bytes if they fit.
    /// - Returns: `false` if they do not fit. In this case nothing is charged, and ``denial`` is the reason.
    package func grow(by count: Int) -> Bool {
        let (neededBytes, overflow) = bytes.load(ordering: .relaxed).addingReportingOverflow(count)
        guard !overflow, account.charge(count) else {
            rejectedBytes.store(
                overflow ? .max : neededBytes.addingReportingOverflow(heldBytes).partialValue,
                ordering: .relaxed
            )
            return false
        }
        bytes.wrappingAdd(count, ordering: .relaxed)
        return true
    }
}
