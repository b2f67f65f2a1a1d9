package import Serialization

/// A second implementation of JSON: slow, recursive, one byte at a time, as a tree.
///
/// The tests compare the reader with it. It shares no code with the reader, but must agree on the meaning of a text
/// (RFC 8259) and on the location of an error (see ``ModelParser``).
package struct ModelDocument {
    package indirect enum Value {
        case null
        /// A number, a string or a boolean, as written.
        case scalar([UInt8])
        case array([Value])
        case object([Member])
    }

    package struct Member {
        /// The name as written, including its quotes.
        package var spelling: [UInt8]
        /// The unescaped name.
        package var name: [UInt8]
        package var value: Value
    }

    /// A member whose name occurred earlier in its object.
    package struct Duplicate: Equatable {
        /// The offset of the opening quote.
        package var offset: Int
        package var pointer: String

        package init(offset: Int, pointer: String) {
            self.offset = offset
            self.pointer = pointer
        }
    }

    package var value: Value
    /// The duplicates, in source order.
    package var duplicates: [Duplicate]
}

/// The output for a document under the two policies.
package struct ModelOutput {
    package private(set) var text: [UInt8] = []
    /// The number of removed nulls, including those of overridden duplicates.
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
                // Overridden duplicates are written too, because their contents count.
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
