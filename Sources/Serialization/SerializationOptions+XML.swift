/// The selection of XML elements that become arrays even if there is only one of them.
public enum XMLArrays: Equatable, Sendable {
    /// Elements of well-known vocabularies: feeds, sitemaps, WebDAV and others.
    case auto
    /// Every child element.
    case always
    /// The elements of ``auto`` and those at these paths. A path consists of names from the root, as written in the
    /// value.
    case paths([[ContentName]])

    /// The maximum number of paths in a list.
    public static let maxPaths = 100

    /// Parses `auto`, `always` or a list of paths such as `/order/item,/order/note`.
    ///
    /// A name in Clark notation has slashes in its braces (`/{urn:a/b}order`). Text in braces is therefore not split.
    public init?(parsing text: String) {
        switch text {
        case "auto": self = .auto
        case "always": self = .always
        default:
            let texts = text.utf8Split(at: UInt8(ascii: ","), maxParts: Self.maxPaths + 1)
            guard texts.count <= Self.maxPaths else { return nil }
            let paths = texts.map { $0.utf8Split(at: UInt8(ascii: "/"), maxParts: .max) }
            for path in paths {
                // The text before the first slash must be empty, and each later part must not.
                guard path.count > 1, path[0].isEmpty, path.dropFirst().allSatisfy({ !$0.isEmpty }) else { return nil }
            }
            self = .paths(paths.map { $0.dropFirst().map { ContentName($0) } })
        }
    }
}

/// The style in which the text of XML elements is written.
public enum XMLTextStyle: String, Sendable, CaseIterable {
    /// An element that contains only text is a string.
    case auto
    /// Text is always the member `#text`.
    case object
}

/// The style in which names of XML elements and attributes are written.
public enum XMLNameStyle: String, Sendable, CaseIterable {
    /// As in the document: `soap:Body`.
    case prefixed
    /// Without the prefix: `Body`.
    case local
    /// Clark notation: `{http://schemas.xmlsoap.org/soap/envelope/}Body`.
    case clark
}

extension SerializationOptions {
    /// Returns the options for the XML reader.
    func xmlOptions(_ layout: XMLReader.Options.Layout, limits: Limits, memory: any MemoryGrant) -> XMLReader.Options {
        var options = XMLReader.Options(layout, memory: memory)
        options.arrays = xmlArrays
        options.text = xmlText
        options.names = xmlNames
        options.trims = xmlTrim
        options.hints = hints
        options.limits = limits
        options.leniencies = leniencies
        return options
    }
}

extension String {
    /// Returns the parts between separators that are not in braces.
    /// - Parameter maxParts: the number of parts after which the rest is omitted.
    fileprivate func utf8Split(at separator: UInt8, maxParts: Int) -> [String] {
        var parts: [Substring.UTF8View] = []
        var start = utf8.startIndex
        var depth = 0
        for index in utf8.indices {
            let byte = utf8[index]
            switch byte {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth = max(0, depth - 1)
            default: break
            }
            if byte == separator && depth == 0 {
                guard parts.count < maxParts else { break }
                parts.append(utf8[start..<index])
                start = utf8.index(after: index)
            }
        }
        if parts.count < maxParts { parts.append(utf8[start...]) }
        return parts.map { String(Substring($0)) }
    }
}
