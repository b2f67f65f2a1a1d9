extension JSONWriter {
    /// Reduces the last value, which begins at `start`, to the parts of an answer, unless the serializer has left parts
    /// out. Nothing is copied.
    /// - Parameter decoded: The facts about the value, to which the number of removed members and elements is added.
    /// - Returns: `false` if the value does not have the selected part, and the outcome is then `empty`. The value was
    ///   not changed.
    mutating func reduce(
        from start: Int,
        to parts: ValueParts,
        _ decoded: inout DecodedFacts,
        _ limits: Limits
    ) throws(SerializationError) -> Bool {
        if decoded.omitted != nil, decoded.hints == nil, parts.selected.tokens.isEmpty { return true }
        guard reserveMemory(for: parts.scannerBytes + 2 * (decoded.hints?.count ?? 0)) else { throw .outOfMemory }
        let isArray = find(.whole, from: start).kind == .array
        var value = 0..<buffer.count - start
        if !parts.selected.tokens.isEmpty {
            do {
                value = try selectedRange(of: parts, from: start, maxPointerBytes: limits.maxPointerBytes)
            } catch {
                guard parts.missing == .empty else { throw .partNotFound(error) }
                return false
            }
        }
        let patterns = decoded.omitted == nil ? parts.omittedOfSelected : []
        let removed = keep(value, from: start, without: patterns, parts.selected.tokens.count)
        decoded.omitted = (decoded.omitted ?? 0) + removed
        decoded.hints = decoded.hints.flatMap { parts.remaining(of: $0, inArray: isArray) }
        return true
    }

    /// Returns the range of the selected part in the last value, which begins at `start`.
    private func selectedRange(
        of parts: ValueParts,
        from start: Int,
        maxPointerBytes: Int
    ) throws(PartNotFound) -> Range<Int> {
        let selected = parts.selected
        // What is in a part that is left out does not exist either.
        let covered = parts.omitted.compactMap { $0.covers(selected) }.min()
        let found = find(covered.map { selected.first($0 - 1) } ?? selected, from: start)
        if covered == nil, let range = found.range { return range }
        var location = SourceLocation(byte: found.offset)
        location.isInValue = true
        location.pointer = selected.text(first: found.tokens, maxBytes: maxPointerBytes)
        throw PartNotFound(
            selected: selected.text,
            token: String(decoding: selected.tokens[found.tokens].name, as: UTF8.self),
            parent: covered.map { $0 - 1 == found.tokens } ?? false ? .omitted : found.kind,
            location: location
        )
    }

    /// Finds the part to which `pointer` leads in the last value, which begins at `start`.
    private func find(_ pointer: PartPointer, from start: Int) -> PartScanner.Found {
        // The buffer is not changed while the scanner reads it.
        let text = unsafe PartText(buffer.base + start, count: buffer.count - start)
        var scanner = PartScanner(pointer, in: text)
        scanner.run()
        return scanner.found
    }

    /// Keeps `range` of the last value, which begins at `start`, without what `patterns` denote.
    /// - Parameter depth: The number of tokens of the patterns that lead to `range`.
    /// - Returns: The number of members and elements that were removed.
    private mutating func keep(
        _ range: Range<Int>,
        from start: Int,
        without patterns: [PartPointer],
        _ depth: Int
    ) -> Int {
        // Nothing else has access to the buffer while the text is changed.
        let text = unsafe PartText(buffer.base + start, count: buffer.count - start)
        if range.lowerBound > 0 { text.move(range, to: 0) }
        var (length, removed) = (range.count, 0)
        if !patterns.isEmpty {
            var scanner = PartScanner(removing: patterns, droppingFirst: depth, in: text.first(length))
            scanner.run()
            (length, removed) = (scanner.length, scanner.removed)
        }
        buffer.truncate(to: start + length)
        return removed
    }
}

extension ValueParts {
    /// The patterns of parts that are left out of the selected one.
    var omittedOfSelected: [PartPointer] {
        let depth = selected.tokens.count
        if depth == 0 { return omitted }
        return omitted.filter { $0.tokens.count > depth && $0.matches(selected, first: depth) }
    }

    /// The memory for finding the parts in a value, in bytes.
    fileprivate var scannerBytes: Int { ([selected] + omitted).reduce(0) { $0 + PartScanner.heapBytes(of: $1) } }
}
