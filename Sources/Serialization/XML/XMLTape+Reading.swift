// Converts content to a tape, and every error to a reason and a location. Expensive details are only computed after an
// error.

extension XMLTape {
    /// Reads the complete content.
    /// - Parameters:
    ///   - keepsAll: Whether comments, processing instructions and CDATA sections become records of their own.
    ///   - warnings: Receives a warning for each undeclared prefix and each entity that is only known by its name.
    /// - Throws: The first error in the content.
    package static func read(
        _ content: Span<UInt8>,
        in source: XMLSource,
        keepsAll: Bool,
        limits: Limits,
        warnings: inout WarningList
    ) throws(XMLError) -> XMLTape {
        var settings = Settings(keepsAll: keepsAll, limits)
        settings.maxDepth = min(limits.maxNestingDepth, Limits.maxXMLNestingDepth)
        settings.maxNotes = limits.maxWarnings
        let tape = read(content, source, settings)
        tape.warn(content, source, &warnings)
        guard let fault = tape.fault else { return tape }
        throw tape.error(fault, content, source, settings, limits)
    }

    private static func read(_ content: Span<UInt8>, _ source: XMLSource, _ settings: Settings) -> XMLTape {
        guard source.ownsText else { return source.withText(of: content) { XMLTape(reading: $0, settings) } }
        return XMLTape(consuming: source.takeText(of: content), settings)
    }

    /// Returns the location of the element at `index` in the content, which is read again up to that location.
    func location(
        of index: Int,
        _ content: Span<UInt8>,
        in source: XMLSource,
        keepsAll: Bool,
        limits: Limits
    ) -> SourceLocation {
        var settings = Settings(keepsAll: keepsAll, limits)
        settings.stop = index
        // The parser is in its start tag, or after it.
        let end = Self.faultOffset(content, source, settings)
        let offset = source.withText(of: content) { $0.offset(of: UInt8(ascii: "<"), before: end) }
        var location = source.location(offset, in: content)
        location.path = path(to: lineage(of: index), maxBytes: limits.maxPointerBytes)
        return location
    }

    /// Returns the locations of elements in the content, without their paths. The content is read again once.
    /// - Parameter elements: In ascending order.
    static func locations(
        of elements: [Int],
        _ content: Span<UInt8>,
        in source: XMLSource,
        limits: Limits
    ) -> [SourceLocation] {
        let settings = Settings(keepsAll: false, limits)
        let offsets = source.withText(of: content) { text in
            // The parser is in a start tag, or after it.
            Self.offsets(of: elements, in: text, settings).map { text.offset(of: UInt8(ascii: "<"), before: $0) }
        }
        return source.locations(offsets, in: content)
    }

    private static func faultOffset(_ content: Span<UInt8>, _ source: XMLSource, _ settings: Settings) -> Int {
        read(content, source, settings).fault?.offset ?? 0
    }

    /// Returns the element at `index` and all elements around it, from the root. For any other record, returns the
    /// elements around it.
    func lineage(of index: Int) -> [Int] {
        var lineage = [root]
        while let last = lineage.last, last != index {
            let content = content(of: last)
            // The record may be an attribute of the element, or may be outside the root.
            guard content.contains(index) else { break }
            var child = content.lowerBound
            while case let next = next(after: child), next <= index { child = next }
            guard kind(at: child) == .element else { break }
            lineage.append(child)
        }
        return lineage
    }

    // MARK: Errors

    private consuming func error(
        _ fault: Fault,
        _ content: Span<UInt8>,
        _ source: XMLSource,
        _ settings: Settings,
        _ limits: Limits
    ) -> XMLError {
        let path = path(to: openElements, maxBytes: limits.maxPointerBytes)
        let isInDocument = !openElements.isEmpty || !hasRoot
        let undeclaredEntity = undeclaredEntity
        // It is freed before the text is transcoded again.
        _ = consume self
        let (offset, count, endTag, first) = source.withText(of: content) { text in
            let offset = text.beginning(of: fault)
            let first = fault.number == 42 ? text.firstOfDuplicateAttributes(before: fault.offset) : nil
            return (offset, text.count, text.endTag(at: offset), first)
        }
        let excerpt = source.excerpt(at: offset, in: content)
        var location = source.location(offset, in: content)
        location.path = path
        let reason: XMLError.Reason =
            switch fault.reason {
            case .malformed, .asked:
                Self.malformation(fault, isAtEnd: fault.offset >= count, isInDocument: isInDocument)
            case .undeclaredEntity: .undeclaredEntity(undeclaredEntity)
            case .externalEntity: .externalEntity
            case .expansion: .entityExpansion(max: Self.expansionBudget(count, limits))
            case .depth: .nestingTooDeep(max: settings.maxDepth)
            case .attributes: .tooManyAttributes(max: settings.maxAttributes)
            case .namespaces: .tooManyNamespaces(max: Settings.maxNamespaces)
            case .names: .tooManyNames(max: Settings.maxNames)
            case .nameBytes: .namesTooLong(max: settings.maxNameBytes)
            case .doctypeBytes: .doctypeTooLong(max: Settings.maxDoctypeBytes)
            case .choices: .tooManyChoices(max: Settings.maxChoices)
            }
        var error = XMLError(reason, number: fault.number, at: location, found: excerpt.found, excerpt: excerpt.text)
        error.first = first.map { source.location($0, in: content) }
        error.first?.path = path
        // Both tags, unless one of them is too long to display.
        if reason == .mismatchedTag, let endTag, let step = path.split(separator: "/").last, step.utf8.count <= 128,
            !step.contains("…")
        {
            error.found = endTag
            error.expected = ["</\(step.prefix { $0 != "[" })>"]
        }
        return error
    }

    /// Returns the meaning of the library's error number (xmlerror.h).
    /// - Parameter isInDocument: Whether an element is open, or none was found.
    private static func malformation(_ fault: Fault, isAtEnd: Bool, isInDocument: Bool) -> XMLError.Reason {
        switch fault.number {
        case 5: isAtEnd || isInDocument ? .unexpectedEnd : .trailingContent
        case 8, 9: .invalidCharacter
        case 42: .duplicateAttribute
        case 76: .mismatchedTag
        case 110: .keyTooLong(max: maxPartBytes)
        default: isAtEnd ? .unexpectedEnd : .malformed
        }
    }

    /// The maximum length of the prefix and of the local part: XML_MAX_NAME_LENGTH of the library.
    private static let maxPartBytes = 50_000

    private var hasRoot: Bool {
        var index = startIndex
        while index < count {
            if kind(at: index) == .element { return true }
            index = self.index(after: index)
        }
        return false
    }

    /// Returns the limit of expansion, as the C code computes it.
    private static func expansionBudget(_ sourceBytes: Int, _ limits: Limits) -> Int {
        min(limits.maxXMLEntityExpansionBytes, max(64 << 10, 5 * sourceBytes))
    }

    // MARK: Paths

    /// Returns the path of an element, such as `/rss/channel/item[3]`: the names as written, with the position among
    /// the siblings of the same name unless it is the first. If more would exceed `maxBytes`, the path is truncated
    /// after a whole step and ends with `…`.
    /// - Parameter elements: The elements from the root, each a child of the previous one.
    func path(to elements: [Int], maxBytes: Int) -> String {
        var path = ""
        var parent: Int?
        for element in elements {
            var step = "/" + qualifiedName(name(at: element))
            if let parent, case let position = position(of: element, in: parent), position > 1 {
                step += "[\(position)]"
            }
            if path.utf8.count + step.utf8.count > maxBytes { return path + "/…" }
            path += step
            parent = element
        }
        return path.isEmpty ? "/" : path
    }

    private func position(of element: Int, in parent: Int) -> Int {
        var position = 1
        var index = contentStart(of: parent)
        while index < element {
            if kind(at: index) == .element, name(at: index) == name(at: element) { position += 1 }
            index = next(after: index)
        }
        return position
    }

    // MARK: Warnings

    private func warn(_ content: Span<UInt8>, _ source: XMLSource, _ warnings: inout WarningList) {
        let notes = notes
        guard !notes.isEmpty else { return }
        let offsets = source.withText(of: content) { text in
            notes.map { $0.isEntity ? text.offset(of: UInt8(ascii: "&"), before: $0.offset) : $0.offset }
        }
        // The parser traversed the text once, so they are in ascending order.
        for (note, location) in zip(notes, source.locations(offsets, in: content)) {
            warnings.append(Warning(note.isEntity ? .namedEntity(note.name) : .namespace(note.name), at: location))
        }
        warnings.append(unlisted: unlistedNoteCount)
    }
}

extension XMLTape.Settings {
    /// The settings with which content has the same records each time it is read.
    fileprivate init(keepsAll: Bool, _ limits: Limits) {
        self.init()
        self.keepsAll = keepsAll
        maxAttributes = limits.maxXMLAttributes
        maxExpansionBytes = limits.maxXMLEntityExpansionBytes
    }
}

extension Span<UInt8> {
    /// Returns the end tag at `offset`, without white space, or `nil` if there is none or it is longer than 128 bytes.
    fileprivate func endTag(at offset: Int) -> String? {
        guard offset + 2 < count, self[offset] == UInt8(ascii: "<"), self[offset + 1] == UInt8(ascii: "/") else {
            return nil
        }
        var end = offset + 2
        while end < count, end - offset <= 128, self[end] > 0x20, self[end] != UInt8(ascii: ">") { end += 1 }
        guard end < count, end - offset <= 128 else { return nil }
        return slice(offset..<end) { bytes in
            guard let name = try? UTF8Span(validating: bytes) else { return nil }
            return String(copying: name) + ">"
        }
    }

    /// Returns the start of the first of two attributes with the same name in the start tag that contains `end`.
    fileprivate func firstOfDuplicateAttributes(before end: Int) -> Int? {
        var seen: [[UInt8]: Int] = [:]
        var index = offset(of: UInt8(ascii: "<"), before: end)
        let end = Swift.min(end, count)
        while index < end, self[index] > 0x20 { index += 1 }
        while index < end {
            while index < end, self[index] <= 0x20 { index += 1 }
            let start = index
            var name: [UInt8] = []
            while index < end, self[index] > 0x20, self[index] != UInt8(ascii: "=") {
                name.append(self[index])
                index += 1
            }
            if let first = seen[name] { return first }
            seen[name] = start
            while index < end, self[index] != UInt8(ascii: "\""), self[index] != UInt8(ascii: "'") { index += 1 }
            guard index < end else { break }
            let quote = self[index]
            index += 1
            while index < end, self[index] != quote { index += 1 }
            index += 1
        }
        return nil
    }

    /// Returns the start of the text that the library found to be wrong; the library reports its end.
    fileprivate func beginning(of fault: XMLTape.Fault) -> Int {
        switch fault.reason {
        case .undeclaredEntity, .externalEntity:
            Swift.max(
                offset(of: UInt8(ascii: "&"), before: fault.offset),
                offset(of: UInt8(ascii: "%"), before: fault.offset)
            )
        case .malformed where fault.number == 76, .depth, .namespaces, .names, .nameBytes:
            offset(of: UInt8(ascii: "<"), before: fault.offset)
        case .malformed where fault.number == 9: invalidReference(before: fault.offset) ?? fault.offset
        case .malformed, .expansion, .attributes, .doctypeBytes, .choices, .asked: fault.offset
        }
    }

    /// Returns the first reference since the last `<` to a character that XML does not allow (1.0 §4.1), or `nil` if
    /// there is none or the character at `end` itself is not allowed.
    private func invalidReference(before end: Int) -> Int? {
        guard end >= count || isAllowed(at: end) else { return nil }
        for index in offset(of: UInt8(ascii: "<"), before: end)..<Swift.min(end, count)
        where self[index] == UInt8(ascii: "&") && isInvalidReference(index, before: end) {
            return index
        }
        return nil
    }

    /// Returns whether XML allows the character at `index` (1.0 §2.2). The text is UTF-8 and therefore contains no
    /// surrogates.
    private func isAllowed(at index: Int) -> Bool {
        let byte = self[index]
        if byte < 0x20 { return byte.isJSONWhiteSpace }
        return !(byte == 0xEF && index + 2 < count && self[index + 1] == 0xBF && self[index + 2] >= 0xBE)
    }

    private func isInvalidReference(_ start: Int, before end: Int) -> Bool {
        var index = start + 1
        guard index < end, self[index] == UInt8(ascii: "#") else { return false }
        index += 1
        let isHexadecimal = index < end && self[index] == UInt8(ascii: "x")
        if isHexadecimal { index += 1 }
        var value: UInt32 = 0
        while index < end, let digit = self[index].hexDigit {
            // Capped beyond the last character.
            value = Swift.min(value * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x11_0000)
            index += 1
        }
        guard index < end, self[index] == UInt8(ascii: ";") else { return false }
        switch value {
        case 9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: return false
        default: return true
        }
    }

    /// Returns the index of the last `byte` before `end`, or 0.
    fileprivate func offset(of byte: UInt8, before end: Int) -> Int {
        var index = Swift.min(end, count) - 1
        while index > 0, self[index] != byte { index -= 1 }
        return Swift.max(index, 0)
    }
}
