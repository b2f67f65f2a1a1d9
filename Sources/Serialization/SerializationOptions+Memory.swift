internal import Primitives

extension SerializationOptions {
    /// The memory of the lists and texts, in bytes. What is a part of the structure itself does not count.
    package var heapBytes: Int {
        var bytes = Self.bytes(acceptableStatusCodes?.ranges ?? [])
        let types = acceptableMediaTypes?.entries ?? []
        bytes += Self.bytes(types)
        for entry in types {
            bytes += Self.bytes(entry.text)
            guard case .type(let type) = entry.pattern else { continue }
            bytes += Self.bytes(type.essence) + Self.bytes(type.parameters)
            for parameter in type.parameters { bytes += Self.bytes(parameter.name) + Self.bytes(parameter.value) }
        }
        bytes += Self.bytes(declaredType ?? "")
        if case .names(let names) = upstreamHeaders { bytes += Self.bytes(texts: names) }
        if case .paths(let paths) = xmlArrays {
            bytes += Self.bytes(paths) + paths.reduce(0) { $0 + Self.bytes(texts: $1.map(\.text)) }
        }
        bytes += Self.bytes(parts.omitted)
        for pointer in parts.omitted + [parts.selected] {
            bytes += Self.bytes(pointer.tokens) + pointer.tokens.reduce(0) { $0 + Self.bytes($1.name) }
        }
        if case .names(let names) = formArrays { bytes += Self.bytes(texts: names.map(\.text)) }
        return bytes + Self.bytes(thumbnails ?? [])
    }

    private static func bytes(texts: [String]) -> Int { texts.reduce(bytes(texts)) { $0 + bytes($1) } }

    /// The memory of the elements of an array, without what they refer to.
    private static func bytes<Element>(_ array: [Element]) -> Int {
        array.isEmpty ? 0 : 32 + array.capacity * MemoryLayout<Element>.stride
    }

    /// The memory of a text. Up to 15 bytes need none.
    private static func bytes(_ text: String) -> Int { text.utf8.count > 15 ? text.utf8.count + 48 : 0 }
}
