// References in feeds are resolved as RFC 3986 §5.2 describes. What is not a valid URL is kept as it is: a reader of
// feeds reports what publishers write.

/// The URL against which the references of an element are resolved.
struct FeedBase {
    /// An absolute URL; empty if none is known.
    private(set) var url: [UInt8]
    /// Whether it is that of an `xml:base`.
    private(set) var isDeclared = false

    /// Whether the base is not used, because it is longer than ``maxBytes``, a URL of the response without its query.
    private(set) var isTooLong = false
    /// Whether the query was left out, which only references without a path would repeat (RFC 3986 §5.2.2).
    private var lacksQuery = false

    /// The maximum length of a base, in bytes, inclusive. A longer one is not used, because each reference would repeat
    /// it.
    static let maxBytes = 1 << 10

    /// The maximum length of a reference that is resolved, in bytes, inclusive: it is copied.
    static let maxReferenceBytes = 8 << 10

    // What each reference needs of the URL: its parts, and the URL up to the last slash of its path, without dot
    // segments.
    private var parts: FeedURLParts
    private var folder: [UInt8] = []

    /// - Parameter url: The URL of the response; `nil` if it is not known.
    init(response url: String?) {
        let bytes = Array((url ?? "").utf8)
        let parts = FeedURLParts(bytes.span)
        let end = parts.queryEnd <= Self.maxBytes ? parts.queryEnd : parts.pathEnd
        self.init(end <= Self.maxBytes ? Array(bytes[..<end]) : [], isDeclared: false)
        isTooLong = end > Self.maxBytes
        lacksQuery = end < parts.queryEnd
    }

    private init(_ url: [UInt8], isDeclared: Bool) {
        self.url = url
        self.isDeclared = isDeclared
        parts = FeedURLParts(url.span)
        folder.append(url.span, 0..<parts.pathStart)
        guard isHierarchical else { return }
        folder.appendRemovingDotSegments(of: url.span, parts.pathStart..<parts.folderEnd)
        if folder.count == parts.pathStart { folder.append(UInt8(ascii: "/")) }
    }

    /// Whether the path is empty after an authority, or begins with a slash.
    private var isHierarchical: Bool {
        parts.hasAuthority || parts.pathStart < url.count && url[parts.pathStart] == UInt8(ascii: "/")
    }

    /// Returns the base that an `xml:base` declares, which may be relative to this one. If it is too long, no relative
    /// reference is resolved: against this one, it would be another resource.
    func declaring(_ reference: Span<UInt8>) -> FeedBase {
        guard !reference.isEmpty else { return self }
        var resolved: [UInt8] = []
        if reference.count <= Self.maxBytes {
            resolved = resolve(reference) ?? []
            if resolved.isEmpty { resolved.append(reference) }
            guard resolved.span.schemeEnd != nil else { return self }
        }
        guard 1...Self.maxBytes ~= resolved.count else {
            var base = FeedBase([], isDeclared: false)
            base.isTooLong = true
            return base
        }
        return FeedBase(resolved, isDeclared: true)
    }

    /// Returns the absolute form of a relative reference; `nil` if it is not relative, or cannot be resolved.
    func resolve(_ reference: Span<UInt8>) -> [UInt8]? {
        guard !url.isEmpty, reference.count <= Self.maxReferenceBytes, reference.schemeEnd == nil else { return nil }
        let base = parts
        guard let schemeEnd = base.schemeEnd else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(url.count + reference.count)
        if reference.isEmpty || reference[0] == UInt8(ascii: "#") {
            guard !lacksQuery else { return nil }
            result.append(url.span, 0..<base.queryEnd)
            result.append(reference)
            return result
        }
        guard isHierarchical else { return nil }
        let end = reference.pathEnd(from: 0)
        if reference.hasText("//", at: 0) {
            result.append(url.span, 0..<schemeEnd + 1)
            let parts = FeedURLParts(reference, from: 0)
            result.append(reference, 0..<parts.pathStart)
            result.appendRemovingDotSegments(of: reference, parts.pathStart..<end)
            result.append(reference, end..<reference.count)
            return result
        }
        if reference[0] == UInt8(ascii: "?") {
            result.append(url.span, 0..<base.pathEnd)
            result.append(reference)
            return result
        }
        if reference[0] == UInt8(ascii: "/") {
            result.append(url.span, 0..<base.pathStart)
            result.appendRemovingDotSegments(of: reference, 0..<end)
        } else {
            // RFC 3986 §5.2.3: the reference replaces everything after the last slash.
            result.append(folder.span)
            result.appendSegments(of: reference, 0..<end, from: base.pathStart + 1)
        }
        result.append(reference, end..<reference.count)
        return result
    }
}

/// The parts of a URL, as offsets.
private struct FeedURLParts {
    /// The offset of the colon after the scheme; `nil` if there is none.
    var schemeEnd: Int?
    var hasAuthority = false
    var pathStart: Int
    /// The offset after the last slash of the path; the start of the path if it has none.
    var folderEnd: Int
    var pathEnd: Int
    /// The end of the query: the offset of the fragment with its `#`.
    var queryEnd: Int

    init(_ url: Span<UInt8>) {
        let schemeEnd = url.schemeEnd
        self.init(url, from: schemeEnd.map { $0 + 1 } ?? 0)
        self.schemeEnd = schemeEnd
    }

    init(_ url: Span<UInt8>, from start: Int) {
        pathStart = start
        if url.hasText("//", at: start) {
            hasAuthority = true
            pathStart += 2
            while pathStart < url.count, !url[pathStart].endsAuthority { pathStart += 1 }
        }
        pathEnd = url.pathEnd(from: pathStart)
        folderEnd = url.lastOffset(of: UInt8(ascii: "/"), in: pathStart..<pathEnd).map { $0 + 1 } ?? pathStart
        queryEnd = url.firstOffset(of: UInt8(ascii: "#"), in: pathEnd..<url.count) ?? url.count
    }
}

extension UInt8 {
    fileprivate var endsAuthority: Bool { self == UInt8(ascii: "/") || endsPath }

    fileprivate var endsPath: Bool { self == UInt8(ascii: "?") || self == UInt8(ascii: "#") }
}

extension Span<UInt8> {
    /// The offset of the colon after a scheme (RFC 3986 §3.1); `nil` if the reference is relative.
    var schemeEnd: Int? {
        for index in indices {
            let byte = self[index]
            if byte.isLetter { continue }
            guard index > 0 else { return nil }
            if byte == UInt8(ascii: ":") { return index }
            let continues =
                byte.isDecimalDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
            guard continues else { return nil }
        }
        return nil
    }

    /// Whether the text is an absolute URL of the Web.
    var isWebURL: Bool {
        guard let end = schemeEnd, hasText("://", at: end), count > end + 3 else { return false }
        let scheme = lowercasedText(0..<end)
        return (scheme == "http" || scheme == "https") && indices.allSatisfy { self[$0] > 0x20 }
    }

    fileprivate func pathEnd(from start: Int) -> Int {
        var end = start
        while end < count, !self[end].endsPath { end += 1 }
        return end
    }
}
