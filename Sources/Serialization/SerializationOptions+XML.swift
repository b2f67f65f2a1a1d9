/// Which elements of XML become arrays even when there is only one of them.
public enum XMLArrays: Equatable, Sendable {
    /// Those of well-known vocabularies: feeds, sitemaps, WebDAV and others.
    case auto
    /// Every element that is a child.
    case always
    /// Besides those of ``auto`` the elements at these paths: names from the root on, as they are written in the value.
    case paths([[String]])

    /// Most paths of a list.
    public static let maxPaths = 100

    /// Reads `auto`, `always` or a list of paths such as `/order/item,/order/note`.
    ///
    /// A name in Clark's notation has slashes in its braces (`/{urn:a/b}order`): what is in braces is left as it is.
    public init?(parsing text: String) {
        switch text {
        case "auto": self = .auto
        case "always": self = .always
        default:
            let paths = text.utf8Split(at: UInt8(ascii: ",")).map { $0.utf8Split(at: UInt8(ascii: "/")) }
            guard paths.count <= Self.maxPaths else { return nil }
            for path in paths {
                // Nothing stands before the first slash, and something after each.
                guard path.count > 1, path[0].isEmpty, path.dropFirst().allSatisfy({ !$0.isEmpty }) else { return nil }
            }
            self = .paths(paths.map { Array($0.dropFirst()) })
        }
    }
}

/// Where the text of XML elements stands.
public enum XMLTextForm: String, Sendable, CaseIterable {
    /// An element with nothing but text is a string.
    case auto
    /// Always under `#text`.
    case object
}

/// How names of XML elements and attributes are written.
public enum XMLNameForm: String, Sendable, CaseIterable {
    /// As in the document: `soap:Body`.
    case prefixed
    /// Without the prefix: `Body`.
    case local
    /// James Clark's notation: `{http://schemas.xmlsoap.org/soap/envelope/}Body`.
    case clark
}

extension SerializationOptions {
    /// What the XML reader has to know of these options.
    func xmlOptions(
        _ form: XMLReader.Options.Form,
        limits: Limits,
        memory: (any MemoryGrant)? = nil
    ) -> XMLReader.Options {
        var options = XMLReader.Options(form)
        options.arrays = xmlArrays
        options.text = xmlText
        options.names = xmlNames
        options.trims = xmlTrim
        options.hints = hints
        options.limits = limits
        options.memory = memory
        return options
    }
}

extension String {
    /// The parts between separators that do not stand in braces.
    fileprivate func utf8Split(at separator: UInt8) -> [String] {
        var parts: [[UInt8]] = [[]]
        var depth = 0
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth = max(0, depth - 1)
            default: break
            }
            if byte == separator && depth == 0 {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }
}
