/// Decodes gzip (RFC 1952): one or more members, whose contents are concatenated.
package final class GzipReader: CodingReader {
    /// The next part of the input.
    private enum Phase {
        /// The 10 bytes at the beginning of each member.
        case head
        /// The length of the extra field.
        case extraLength
        case extra(bytes: Int)
        case name
        case comment
        case headSum
        case data
        case trailer
        /// Another member, or the end.
        case nextMember
    }

    private var phase = Phase.head
    /// The parts of the header that have not been read.
    private var flags = Flags()
    private var headSum: UInt32 = 0
    private var data = DeflateData(.crc32)

    let windowBytes = ZlibInflater.bytes

    /// The flags (RFC 1952 §2.3.1).
    private struct Flags: OptionSet {
        var rawValue: UInt8 = 0

        static let headSum = Flags(rawValue: 2)
        static let extra = Flags(rawValue: 4)
        static let name = Flags(rawValue: 8)
        static let comment = Flags(rawValue: 16)
        static let reserved = Flags(rawValue: 0xE0)
    }

    private static let headBytes = 10
    private static let trailerBytes = 8

    /// Whether the data ends after each member. Then ``beginMember()`` must be called before the next one.
    private let readsOneMember: Bool

    /// - Parameter oneMember: whether the data ends after each member.
    package init(oneMember: Bool) { readsOneMember = oneMember }

    /// Expects the beginning of a member.
    package func beginMember() {
        data.restart()
        phase = .head
    }

    /// Creates a reader of the input after a complete member.
    static func afterMember() -> GzipReader {
        let reader = GzipReader(oneMember: false)
        reader.phase = .nextMember
        return reader
    }

    /// Returns whether content begins with gzip's magic number, or is the beginning of it.
    static func begins(_ content: Span<UInt8>) -> Bool {
        guard content.count >= 2 else { return content.count == 1 && content[0] == 0x1F }
        return content[0] == 0x1F && content[1] == 0x8B
    }

    /// Returns whether another member follows: the magic number and the only method that exists.
    private static func beginsMember(_ content: Span<UInt8>) -> Bool {
        content.count >= memberSignatureBytes && begins(content) && content[2] == 8
    }

    private static let memberSignatureBytes = 3

    /// Returns whether the header of a member has a checksum, which libdeflate does not verify.
    /// - Precondition: the content is at least four bytes long.
    static func hasHeadSum(_ content: Span<UInt8>) -> Bool { Flags(rawValue: content[3]).contains(.headSum) }

    package func read(_ input: Span<UInt8>, isLast: Bool, into output: inout OutputBuffer, room: Int) -> CodingStep {
        var used = 0
        var room = room
        while true {
            let rest = input.extracting(droppingFirst: used)
            switch phase {
            case .head, .extraLength, .extra, .name, .comment, .headSum:
                let (consumed, state) = readHeader(rest)
                used += consumed
                switch state {
                case .more?: return CodingStep(used, isLast ? .failed(.truncated) : .more)
                case let state?: return CodingStep(used, state)
                case nil: continue
                }
            case .data:
                guard room > 0 else { return CodingStep(used, .more) }
                let (consumed, written, state) = data.read(rest, isLast: isLast, into: &output, room: room)
                used += consumed
                room -= written
                if let state { return CodingStep(used, state) }
                phase = .trailer
            case .trailer:
                let isWhole = rest.count >= Self.trailerBytes
                guard isWhole || isLast else { return CodingStep(used, .more) }
                if let sum = rest.number32(0, .little), sum != data.checksum {
                    return CodingStep(used, .failed(.corrupt(part: .checksum)))
                }
                if let length = rest.number32(4, .little), length != data.bytes & 0xFFFF_FFFF {
                    return CodingStep(used + 4, .failed(.corrupt(part: .length)))
                }
                guard isWhole else { return CodingStep(input.count, .end(lacksTrailer: true)) }
                used += Self.trailerBytes
                phase = .nextMember
            case .nextMember:
                guard !readsOneMember else { return CodingStep(used, .end(lacksTrailer: false)) }
                guard rest.count >= Self.memberSignatureBytes || isLast else { return CodingStep(used, .more) }
                guard Self.beginsMember(rest) else { return CodingStep(used, .end(lacksTrailer: false)) }
                beginMember()
            }
        }
    }

    /// Reads the next part of the header.
    /// - Returns: the state is `nil` if the part was read, and `more` if it is incomplete.
    private func readHeader(_ input: Span<UInt8>) -> (consumed: Int, CodingStep.State?) {
        var used: Int
        switch phase {
        case .head:
            guard input.count >= Self.headBytes else { return (0, .more) }
            flags = Flags(rawValue: input[3])
            // Method 8 (deflate) is the only one that is defined.
            guard GzipReader.begins(input), input[2] == 8, flags.isDisjoint(with: .reserved) else {
                return (2, .failed(.corrupt(part: .header)))
            }
            headSum = 0
            used = Self.headBytes
            phase = part(after: .head)
        case .extraLength:
            guard let length = input.number16(0, .little) else { return (0, .more) }
            used = 2
            phase = .extra(bytes: length)
        case .extra(let bytes):
            used = min(bytes, input.count)
            phase = used < bytes ? .extra(bytes: bytes - used) : part(after: .extra)
            if used < bytes {
                headSum = ZlibInflater.crc32(headSum, input)
                return (used, .more)
            }
        case .name, .comment:
            guard let end = input.terminator(in: 0..<input.count) else {
                headSum = ZlibInflater.crc32(headSum, input)
                return (input.count, .more)
            }
            used = end + 1
            if case .name = phase { phase = part(after: .name) } else { phase = part(after: .comment) }
        case .headSum:
            guard let sum = input.number16(0, .little) else { return (0, .more) }
            guard sum == headSum & 0xFFFF else { return (0, .failed(.corrupt(part: .header))) }
            phase = .data
            return (2, nil)
        case .data, .trailer, .nextMember: return (0, nil)
        }
        headSum = ZlibInflater.crc32(headSum, input.extracting(first: used))
        return (used, nil)
    }

    /// Returns the next part of the header after `last` that exists according to the flags; `data` if there is none.
    private func part(after last: Part) -> Phase {
        if last < .extra, flags.contains(.extra) { return .extraLength }
        if last < .name, flags.contains(.name) { return .name }
        if last < .comment, flags.contains(.comment) { return .comment }
        return flags.contains(.headSum) ? .headSum : .data
    }

    private enum Part: Int, Comparable {
        case head
        case extra
        case name
        case comment

        static func < (one: Part, other: Part) -> Bool { one.rawValue < other.rawValue }
    }
}
