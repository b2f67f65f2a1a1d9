internal import Primitives

/// The syntax of comma-separated lists in settings and fields.
enum ListSyntax {
    /// Returns the entries of a comma-separated list without the white space around them: no entries if the text is
    /// blank, and an empty entry wherever two commas follow each other.
    static func entries(of text: Span<UInt8>) -> [Range<Int>] {
        var entries: [Range<Int>] = []
        var start = 0
        for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ",") {
            entries.append(text.trimmingBlanks(start..<index))
            start = index + 1
        }
        return entries.count == 1 && entries[0].isEmpty ? [] : entries
    }
}
