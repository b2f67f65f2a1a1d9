package import Serialization

/// What JSON is, written down once more: slowly, recursively, one byte at a time, as a tree.
///
/// The tests hold the reader against this. It shares no code with the reader, and only what a text means is the same:
/// RFC 8259, and where an error stands (see ``ModelParser``).
package struct ModelDocument {
    package indirect enum Value {
        case null
        /// A number, a string or a boolean, as it is spelt.
        case scalar([UInt8])
        case array([Value])
        case object([Member])
    }

    package struct Member {
        /// The name as it is spelt, quotes included.
        package var spelling: [UInt8]
        /// The name as it reads.
        package var name: [UInt8]
        package var value: Value
    }

    /// A member whose name its object had before.
    package struct Duplicate: Equatable {
        /// Where the opening quote stands.
        package var offset: Int
        package var pointer: String

        package init(offset: Int, pointer: String) {
            self.offset = offset
            self.pointer = pointer
        }
    }

    package var value: Value
    /// In source order.
    package var duplicates: [Duplicate]
}

/// A document as the two policies leave it.
package struct ModelOutput {
    package private(set) var text: [UInt8] = []
    /// Nulls taken out, those of losing members included.
    package private(set) var nullsDropped = 0
    private let dropsMembers: Bool
    private let dropsElements: Bool
    private let keeps: DuplicateNames
    private let sorts: Bool

    package init(
        _ document: ModelDocument,
        _ nulls: NullPolicy,
        _ duplicates: DuplicateNames,
        _ keys: MemberOrder = .source
    ) {
        sorts = keys == .sorted
        dropsMembers = nulls != .keep
        dropsElements = nulls == .dropAll
        keeps = duplicates
        text = write(document.value)
    }

    private mutating func write(_ value: ModelDocument.Value) -> [UInt8] {
        switch value {
        case .null: return Array("null".utf8)
        case .scalar(let text): return text
        case .array(let elements):
            var parts: [[UInt8]] = []
            for element in elements {
                let part = write(element)
                if dropsElements, case .null = element { nullsDropped += 1 } else { parts.append(part) }
            }
            return list(parts, "[", "]")
        case .object(let members):
            var winners: [[UInt8]: Int] = [:]
            for (index, member) in members.enumerated() where keeps == .last || winners[member.name] == nil {
                winners[member.name] = index
            }
            var kept: [(name: [UInt16], text: [UInt8])] = []
            for (index, member) in members.enumerated() {
                // Losers are written too: what they have in them counts.
                let part = member.spelling + Array(":".utf8) + write(member.value)
                var isKept = keeps == .keep || winners[member.name] == index
                if dropsMembers, case .null = member.value {
                    nullsDropped += 1
                    isKept = false
                }
                if isKept { kept.append((Array(String(decoding: member.name, as: UTF8.self).utf16), part)) }
            }
            if sorts { kept.sort { $0.name.lexicographicallyPrecedes($1.name) } }
            return list(kept.map(\.text), "{", "}")
        }
    }

    private func list(_ parts: [[UInt8]], _ open: String, _ close: String) -> [UInt8] {
        var text = Array(open.utf8)
        for (index, part) in parts.enumerated() {
            if index > 0 { text += ",".utf8 }
            text += part
        }
        return text + close.utf8
    }
}
