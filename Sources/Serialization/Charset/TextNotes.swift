/// The warnings about a text, whose locations are computed together at the end.
struct TextNotes {
    private struct Note {
        var kind: Warning.Kind
        /// The offset in the text.
        var offset: Int
        /// The offset of the first member, if the note is about a duplicate.
        var first: Int?
        var pointer: String
        /// The record that contains the offset, from 0, if there are many.
        var record: Int?
    }

    /// A state to which the notes can roll back.
    struct Mark {
        fileprivate var listedCount: Int
        fileprivate var unlistedCount: Int
    }

    private var notes: [Note] = []
    private var unlistedCount = 0
    private let max: Int

    init(max: Int) { self.max = max }

    var isEmpty: Bool { notes.isEmpty && unlistedCount == 0 }

    /// Whether further notes are only counted, so that no pointer needs to be made for them.
    var isFull: Bool { notes.count >= max }

    mutating func append(
        _ kind: Warning.Kind,
        at offset: Int,
        first: Int? = nil,
        pointer: String,
        record: Int? = nil
    ) {
        if isFull {
            unlistedCount += 1
        } else {
            notes.append(Note(kind: kind, offset: offset, first: first, pointer: pointer, record: record))
        }
    }

    /// Counts notes that are not listed.
    mutating func append(unlisted count: Int) { unlistedCount += count }

    var mark: Mark { Mark(listedCount: notes.count, unlistedCount: unlistedCount) }

    /// Removes the notes that were added after the mark.
    mutating func rollBack(to mark: Mark) {
        notes.removeLast(notes.count - mark.listedCount)
        unlistedCount = mark.unlistedCount
    }

    /// Adds the notes to the warnings, in the order of the text.
    /// - Parameter locate: Returns the locations of offsets in the text, which are in no order.
    func write<Failure: Error>(
        to warnings: inout WarningList,
        locate: ([Int]) throws(Failure) -> LocationTable
    ) throws(Failure) {
        if !notes.isEmpty {
            let locations = try locate(notes.flatMap { [$0.offset, $0.first ?? $0.offset] })
            for (_, note) in notes.enumerated().sorted(by: { ($0.1.offset, $0.0) < ($1.1.offset, $1.0) }) {
                // The overridden member has the same pointer. Columns of the same name do not.
                let hasSamePointer = if case .duplicateName = note.kind { true } else { false }
                let first = note.first.map { hasSamePointer ? locations[$0, note.pointer, note.record] : locations[$0] }
                warnings.append(Warning(note.kind, at: locations[note.offset, note.pointer, note.record], first: first))
            }
        }
        warnings.append(unlisted: unlistedCount)
    }
}
