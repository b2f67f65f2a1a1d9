/// The warnings about a text, whose locations are computed together at the end.
struct TextNotes {
    private struct Note {
        var kind: Warning.Kind
        /// The offset in the text.
        var offset: Int
        /// The offset of the first member, if the note is about a duplicate.
        var first: Int?
        var pointer: String
    }

    private var notes: [Note] = []
    private var unlistedCount = 0
    private let max: Int

    init(max: Int) { self.max = max }

    var isEmpty: Bool { notes.isEmpty && unlistedCount == 0 }

    /// Whether further notes are only counted, so that no pointer needs to be made for them.
    var isFull: Bool { notes.count >= max }

    mutating func append(_ kind: Warning.Kind, at offset: Int, first: Int? = nil, pointer: String) {
        if isFull {
            unlistedCount += 1
        } else {
            notes.append(Note(kind: kind, offset: offset, first: first, pointer: pointer))
        }
    }

    /// Counts notes that are not listed.
    mutating func append(unlisted count: Int) { unlistedCount += count }

    /// Adds the notes to the warnings, in the order of the text.
    func write(to warnings: inout WarningList, _ text: UnicodeText, _ content: Span<UInt8>) {
        warnings.append(unlisted: unlistedCount)
        guard !notes.isEmpty else { return }
        let locations = text.locations(of: notes.flatMap { [$0.offset, $0.first ?? $0.offset] }, in: content)
        for note in notes.enumerated().sorted(by: { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }) {
            let note = note.element
            var first = note.first.map { locations[$0] }
            // The overridden member has the same pointer. Columns of the same name do not.
            if case .duplicateName = note.kind { first?.pointer = note.pointer }
            warnings.append(Warning(note.kind, at: locations[note.offset, note.pointer], first: first))
        }
    }
}
