internal import CMicroHTTPD
package import Primitives
internal import Synchronization

/// The content of several responses: parts of immutable bytes, in order. What is computed of it is computed once.
///
/// **Invariant.** The content does not change, and its bytes are not copied: ``replacing(_:with:)`` shares what remains
/// the same. Whoever uses the content, or its compressed form, keeps what pays for it. No lock is held while something
/// is computed, except by those that need the result. `SharedContentTests` checks this.
package final class SharedContent: Sendable {
    private struct Part: Sendable {
        let bytes: SharedBytes
        let range: Range<Int>
    }

    private struct State {
        var compressed: SharedContent?
        var digest: [UInt8]?
        /// Pays for the bytes, and for what was computed of them.
        var charge: (any MemoryCharge)?
        /// Pays for the bytes as long as there is no `charge`: the charge of the content that they belong to.
        var payer: (any AnyObject & Sendable)?
    }

    /// At most `CMHD_MAX_SLICES` parts, none of which is empty.
    private let parts: [Part]
    /// The size in bytes.
    package let count: Int
    /// The number of bytes for which no other content pays.
    package let ownBytes: Int
    private let state: Mutex<State>
    private let computing = Mutex(())

    private init(_ parts: [Part], ownBytes: Int? = nil, payer: (any AnyObject & Sendable)? = nil) {
        precondition(parts.count <= CMHD_MAX_SLICES, "content has few parts")
        self.parts = parts
        count = parts.reduce(0) { $0 + $1.range.count }
        self.ownBytes = ownBytes ?? count
        state = Mutex(State(payer: payer))
    }

    package convenience init(_ bytes: SharedBytes) {
        self.init(bytes.count == 0 ? [] : [Part(bytes: bytes, range: 0..<bytes.count)])
    }

    package convenience init(_ buffer: consuming OutputBuffer) { self.init(SharedBytes(buffer)) }

    package convenience init(_ bytes: some Collection<UInt8>) { self.init(SharedBytes(bytes)) }

    /// Returns the bytes of several contents, in order.
    package static func joining(_ contents: [SharedContent]) -> SharedContent {
        SharedContent(contents.flatMap(\.parts))
    }

    /// The memory of the bytes, in bytes.
    package var heapBytes: Int { parts.reduce(0) { $0 + $1.bytes.heapBytes } }

    /// Calls `body` with each part, in order.
    package func forEachPart(_ body: (Span<UInt8>) -> Void) {
        for part in parts { part.bytes.withBytes { body($0.extracting(part.range)) } }
    }

    // MARK: Parts

    /// Returns the bytes in `range`.
    package func extracting(_ range: Range<Int>) -> SharedContent { SharedContent(parts(in: range)) }

    /// Returns the content with other bytes in place of those in `range`. The others are shared with this content, and
    /// what pays for it is kept until the new content has a charge of its own.
    package func replacing(_ range: Range<Int>, with bytes: SharedBytes) -> SharedContent {
        SharedContent(
            parts(in: 0..<range.lowerBound) + SharedContent(bytes).parts + parts(in: range.upperBound..<count),
            ownBytes: bytes.count,
            payer: state.withLock { $0.charge ?? $0.payer }
        )
    }

    private func parts(in range: Range<Int>) -> [Part] {
        precondition(range.upperBound <= count, "the range is in the content")
        var offset = 0
        return parts.compactMap { part in
            let start = part.range.lowerBound - offset
            offset += part.range.count
            let common = part.range.clamped(to: start + range.lowerBound..<start + range.upperBound)
            return common.isEmpty ? nil : Part(bytes: part.bytes, range: common)
        }
    }

    // MARK: What is computed

    /// Retains `charge`, which pays for the content in a cache, as long as somebody uses it.
    package func attach(_ charge: any MemoryCharge) {
        let compressed = state.withLock { state in
            state.charge = charge
            state.payer = nil
            return state.compressed
        }
        compressed?.becomePart(of: charge)
    }

    /// Adds the compressed form of a content to the charge of that content.
    private func becomePart(of charge: any MemoryCharge) {
        charge.resize(to: charge.bytes + heapBytes)
        state.withLock { $0.payer = charge }
    }

    /// Returns the content as gzip, which is compressed once. Only a cache pays for it.
    /// - Parameter maxBytes: the maximum size of the content, in bytes.
    /// - Returns: `nil` if the content is larger, or if there is no memory.
    package func compressed(unreservedUpTo maxBytes: Int) -> SharedContent? {
        guard count <= maxBytes else { return nil }
        return compressedOnce { compress(payer: nil) }
    }

    /// Returns the content as gzip, which is compressed once.
    /// - Parameter account: the memory of requests, which pays for it unless a cache does.
    /// - Returns: `nil` if there is no memory.
    func compressed(_ account: MemoryAccount) -> SharedContent? {
        compressedOnce {
            let memory: MemoryReservation
            do throws(RejectionReason) {
                // Several parts are joined first.
                let copiedBytes = parts.count > 1 ? count : 0
                memory = try GzipMember.reserve(forContentBytes: count, copiedBytes: copiedBytes, in: account)
            } catch { return nil }
            let compressed = compress(payer: memory)
            memory.resize(to: compressed?.count ?? 0)
            return compressed
        }
    }

    private func compressedOnce(_ compress: () -> SharedContent?) -> SharedContent? {
        if let known = state.withLock({ $0.compressed }) { return known }
        return computing.withLock { _ in
            if let known = state.withLock({ $0.compressed }) { return known }
            guard let compressed = compress() else { return nil }
            let charge = state.withLock { state in
                state.compressed = compressed
                return state.charge
            }
            if let charge { compressed.becomePart(of: charge) }
            return compressed
        }
    }

    /// Compresses the content. Several parts are joined first.
    private func compress(payer: (any AnyObject & Sendable)?) -> SharedContent? {
        func member(_ content: Span<UInt8>) -> SharedContent? {
            guard let member = GzipMember.compress(content) else { return nil }
            return SharedContent(SharedContent(member).parts, payer: payer)
        }
        if parts.count == 1 { return parts[0].bytes.withBytes { member($0.extracting(parts[0].range)) } }
        var all = OutputBuffer(capacity: count)
        forEachPart { all.append($0) }
        return all.withBytes { member($0) }
    }

    /// The digest of the content with SHA-256, which is computed once.
    package var digest: [UInt8] {
        if let known = state.withLock({ $0.digest }) { return known }
        return computing.withLock { _ in
            if let known = state.withLock({ $0.digest }) { return known }
            var hash = SHA256()
            forEachPart { hash.update($0) }
            let digest = hash.finalize()
            state.withLock { $0.digest = digest }
            return digest
        }
    }

    /// Whether the content as gzip, if `compressed` is true, and the digest of what is sent, are known. If another
    /// thread computes them, they are not known yet.
    package func has(compressed: Bool, digest: Bool) -> Bool {
        guard let sent = compressed ? state.withLock({ $0.compressed }) : self else { return false }
        return !digest || sent.state.withLock { $0.digest != nil }
    }

    // MARK: Sending

    /// Returns the library's response, which retains this object until it is sent; `nil` if there is no memory.
    func makeResponse() -> OpaquePointer? {
        // Released by `release`, which the library calls in any case.
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        // Every element is initialized before the call, and this object retains the bytes.
        return unsafe withUnsafeTemporaryAllocation(of: cmhd_slice.self, capacity: parts.count) { slices in
            for (index, part) in parts.enumerated() {
                let bytes = unsafe UnsafeRawBufferPointer(rebasing: part.bytes.unsafeBytes[part.range])
                unsafe slices.initializeElement(at: index, to: cmhd_slice(bytes: bytes.baseAddress, count: bytes.count))
            }
            return unsafe cmhd_response_create_shared(slices.baseAddress, UInt32(slices.count), context, Self.release)
        }
    }

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        // `makeResponse` passed a retained object.
        if let context = unsafe context { unsafe Unmanaged<SharedContent>.fromOpaque(context).release() }
    }
}
