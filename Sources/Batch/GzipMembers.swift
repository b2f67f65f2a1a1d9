internal import Primitives
internal import Serialization

/// Inflates the members of gzip (RFC 1952) of a web archive one after the other, and finds the next one after a fault.
final class GzipMembers {
    enum Step {
        /// Further bytes have been inflated.
        case bytes
        /// Further bytes of the input are needed.
        case wait
        /// The member has ended, and its checksum is correct.
        case memberEnd
        /// The member cannot be inflated any further. Another one follows.
        case damaged(String)
        /// The input has ended after a member.
        case end
    }

    private enum Phase {
        case between
        case member
        case memberEnd
        /// The search for a member after one that has a fault.
        case search(BatchFault)
    }

    private var input: InputBuffer
    private var phase = Phase.between
    private let inflater = GzipReader(oneMember: true)
    private var output = OutputBuffer(capacity: GzipMembers.outputBytes)

    /// The offset in the buffer of the next byte that is inflated or searched.
    private var index = 0

    /// The offset of the member in the file.
    private(set) var start = 0

    /// Whether the further bytes of the member are not needed.
    var isSkipped = false

    /// The end of the bytes that failed members have taken, as an offset in the file.
    private var failedEnd = 0

    /// The number of failed members in a row that began in bytes which a failed member had taken.
    private var overlaps = 0

    /// The maximum number of bytes that one step inflates.
    private static let outputBytes = 64 << 10

    /// The maximum length of the content of a member that is inflated at once, in bytes.
    private static let shortMemberBytes = 256 << 10

    /// The number of bytes of a member that are searched for the next one after a fault: the inflater may have taken
    /// the members after one that is cut off for its data.
    private static let retainedBytes = 128 << 10

    /// The maximum of ``overlaps``. Without it, bytes that look like many members would be inflated as many times.
    private static let maxOverlaps = 8

    /// The maximum number of bytes by which a member is recognized after a fault.
    private static let probeBytes = 512

    /// The first bytes of a member: its identification and its compression method (RFC 1952 §2.3.1).
    static let beginning: [UInt8] = [0x1F, 0x8B, 8]

    /// The first bytes of a record.
    private static let recordBeginning = [UInt8]("WARC/".utf8)

    init(_ input: InputBuffer) { self.input = input }

    /// Takes the next step.
    /// - Parameter mayWait: whether the source may be read.
    func next<Source: ByteSource & ~Copyable>(
        into records: inout InputBuffer,
        from source: inout Source,
        mayWait: Bool
    ) throws(BatchInputError) -> Step {
        while true {
            if let step = try step(into: &records) { return step }
            guard mayWait || input.isComplete else { return .wait }
            dropInflatedBytes()
            _ = try input.read(from: &source)
        }
    }

    /// Takes the next step; `nil` if further bytes are needed.
    private func step(into records: inout InputBuffer) throws(BatchInputError) -> Step? {
        switch phase {
        case .between:
            // gzip(1) ignores zeros after a member as well: tapes and disks fill up blocks with them.
            while input.start + index > 0, index < input.count, input.bytes[index] == 0 { index += 1 }
            guard index < input.count else { return input.isComplete ? .end : nil }
            start = input.start + index
            isSkipped = false
            if inflateAtOnce(into: &records) { return .bytes }
            inflater.beginMember()
            phase = .member
            return try inflate(into: &records)
        case .member: return try inflate(into: &records)
        case .memberEnd:
            phase = .between
            return .memberEnd
        case .search(let fault):
            guard !findMember() else {
                phase = .between
                return .damaged(fault.sentence)
            }
            guard !input.isComplete else { throw .malformed(fault) }
            return nil
        }
    }

    // MARK: Inflating

    /// Inflates a short member that is in the buffer. A member that is cut off, long or corrupt is inflated in pieces,
    /// which takes longer.
    /// - Returns: whether the member was inflated.
    private func inflateAtOnce(into records: inout InputBuffer) -> Bool {
        let inflated = DeflateLibrary.gunzip(
            input.bytes.span.extracting(droppingFirst: index),
            into: &output,
            room: Self.shortMemberBytes
        )
        guard let inflated else { return false }
        index += inflated
        output.withBytes { records.append($0) }
        output.truncate(to: 0)
        phase = .memberEnd
        return true
    }

    private func inflate(into records: inout InputBuffer) throws(BatchInputError) -> Step? {
        let result = inflater.read(
            input.bytes.span.extracting(droppingFirst: index),
            isLast: input.isComplete,
            into: &output,
            room: Self.outputBytes
        )
        index += result.consumed
        let count = output.count
        if !isSkipped { output.withBytes { records.append($0) } }
        output.truncate(to: 0)
        switch result.state {
        case .more: return count > 0 ? .bytes : nil
        case .end(lacksTrailer: false): phase = .memberEnd
        case .end(lacksTrailer: true), .failed(.truncated): search("a member of gzip is cut off")
        case .failed(.outOfMemory): throw .system("there is no memory for inflating gzip")
        case .failed(.corrupt(let part)): search("a member of gzip is corrupt: its \(part.rawValue) is not valid")
        case .failed(.windowTooLarge), .failed(.dictionary), .failed(.tooManyCodings), .failed(.tooLong),
            .failed(.ratio):
            search("a member of gzip is corrupt")
        }
        return .bytes
    }

    /// Removes the bytes that are needed neither for inflating nor for a search.
    private func dropInflatedBytes() {
        let memberStart =
            switch phase {
            case .between, .search: index
            case .member, .memberEnd: max(start - input.start, index - Self.retainedBytes, 0)
            }
        guard memberStart >= InputBuffer.readBytes || memberStart == input.count else { return }
        input.drop(memberStart)
        index -= memberStart
    }

    // MARK: Searching

    /// Begins the search after the first byte of the member, or after everything that failed members have taken.
    private func search(_ sentence: String) {
        phase = .search(BatchFault(sentence, at: start))
        overlaps = start < failedEnd ? overlaps + 1 : 0
        failedEnd = max(failedEnd, input.start + index)
        let next = overlaps < Self.maxOverlaps ? input.start + index - Self.retainedBytes : failedEnd
        index = max(start + 1, next, input.start) - input.start
    }

    /// Moves `index` to the next member.
    /// - Returns: whether there is one.
    private func findMember() -> Bool {
        while let candidate = input.bytes.span.firstOffset(of: Self.beginning[0], in: index..<input.count) {
            index = candidate
            guard input.count - index >= Self.probeBytes || input.isComplete else { return false }
            if isMember(input.bytes.span.extracting(droppingFirst: index).extracting(first: Self.probeBytes)) {
                return true
            }
            index += 1
        }
        index = input.count
        return false
    }

    /// Returns whether the bytes begin with the header of a member whose content begins with a record.
    private func isMember(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.extracting(first: Self.beginning.count).equals(Self.beginning.span) else { return false }
        inflater.beginMember()
        _ = inflater.read(bytes, isLast: false, into: &output, room: Self.recordBeginning.count)
        let isRecord = output.withBytes { $0.equals(Self.recordBeginning.span) }
        output.truncate(to: 0)
        return isRecord
    }
}
