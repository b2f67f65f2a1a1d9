/// The type hints of an answer: the type that a value has in the source, under the JSON Pointer of the value.
struct TypeHints: ~Copyable {
    private var writer: JSONWriter
    private var path: [UInt8] = []
    /// The length of the path before each of its tokens.
    private var marks: [Int] = []
    private var isEmpty = true

    /// Whether the caller requested hints. If not, nothing is stored.
    private let isWanted: Bool

    init(isWanted: Bool, maxBytes: Int, memory: any MemoryGrant) {
        self.isWanted = isWanted
        writer = JSONWriter(capacity: 64, maxBytes: maxBytes)
        writer.use(memory, after: 0)
        if isWanted { writer.beginObject() }
    }

    var isOverLimit: Bool { writer.isOverLimit }
    var isOutOfMemory: Bool { writer.isOutOfMemory }

    /// Returns the text of a JSON object, or `nil` if no type was noted.
    consuming func finish() -> [UInt8]? {
        guard !isEmpty else { return nil }
        writer.endObject()
        return [UInt8](writer.finish())
    }

    mutating func enter(index: Int) { if isWanted { enter(utf8: String(index).utf8.span) } }

    mutating func enter(_ name: StaticString) { if isWanted { enter(utf8: name.description.utf8.span) } }

    /// Appends a name to the path.
    mutating func enter(utf8 name: Span<UInt8>) {
        guard isWanted else { return }
        marks.append(path.count)
        path.append(UInt8(ascii: "/"))
        path.append(pointerToken: name)
    }

    mutating func leave() {
        guard let mark = marks.popLast() else { return }
        path.removeLast(path.count - mark)
    }

    /// Notes the type of the value at the current path.
    mutating func note(_ type: StaticString) {
        guard isWanted else { return }
        note(utf8: type.description.utf8.span)
    }

    /// Notes a type that the source names itself, in valid UTF-8.
    mutating func note(utf8 type: Span<UInt8>) {
        guard isWanted else { return }
        isEmpty = false
        let pointer = path
        writer.name(utf8: pointer.span)
        writer.string(utf8: type)
    }
}
