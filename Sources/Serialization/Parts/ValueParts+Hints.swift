extension ValueParts {
    /// Returns the hints for the parts of the value that remain; `nil` if there are none. Their pointers are unchanged.
    /// - Parameters:
    ///   - hints: The text of the JSON object that the serializer has written.
    ///   - inArray: Whether the whole value is an array. A first token `*` of a hint stands for all of its elements.
    func remaining(of hints: [UInt8], inArray: Bool) -> [UInt8]? {
        let text = hints.span
        var remaining: [UInt8] = []
        remaining.reserveCapacity(hints.count)
        let maxTokens = omitted.reduce(selected.tokens.count) { max($0, $1.tokens.count) }
        var cursor = JSONCursor()
        cursor.enter(in: text)
        while cursor.next(in: text) {
            let start = cursor.offset
            let pointer = PartPointer(written: cursor.name(in: text).utf8(in: text).span, maxTokens: maxTokens)
            _ = cursor.skip(in: text)
            // In the selected record, `*` of a hint stands for this record.
            let part = pointer.beginning(with: selected)
            let isOmitted = omitted.contains { $0.covers(part) != nil }
            guard !isOmitted, selects(pointer, inArray: inArray) else { continue }
            remaining.append(UInt8(ascii: remaining.isEmpty ? "{" : ","))
            remaining += hints[start..<cursor.offset]
        }
        guard !remaining.isEmpty else { return nil }
        remaining.append(UInt8(ascii: "}"))
        return remaining
    }

    /// Returns whether `pointer` leads into the selected part.
    private func selects(_ pointer: PartPointer, inArray: Bool) -> Bool {
        guard pointer.tokens.count >= selected.tokens.count else { return false }
        return zip(selected.tokens, pointer.tokens).enumerated().allSatisfy { depth, tokens in
            tokens.0 == tokens.1 || (depth == 0 && inArray && tokens.1.isWildcard)
        }
    }
}
