// Texts of Atom say in attributes whether they are text, HTML, XHTML or something else (RFC 4287 §3.1, §4.1.3; in
// Atom 0.3 with media types and the attribute `mode`). RSS does not say it.

/// The form in which a text of Atom is written in its element.
enum FeedContentType: Equatable {
    case text
    /// HTML, with escapes.
    case html
    /// XHTML in an element `div`, which is not a part of the text.
    case xhtml
    /// Other markup.
    case markup
    /// Text in Base64, decoded.
    case encoded([UInt8])
    /// Other data in Base64.
    case binary

    /// Whether the members of JSON Feed do not say it.
    var isFurther: Bool {
        switch self {
        case .text, .html, .xhtml: false
        case .markup, .encoded, .binary: true
        }
    }
}

extension String {
    /// Whether content of this media type is in Base64 (RFC 4287 §4.1.3.3).
    fileprivate var isBinary: Bool {
        utf8.contains(UInt8(ascii: "/")) && !hasPrefix("text/") && !hasPrefix("message/") && !hasSuffix("+xml")
            && !hasSuffix("/xml") && !isXHTML
    }

    fileprivate var isXHTML: Bool { self == "xhtml" || hasPrefix("application/xhtml") }

    fileprivate var isHTML: Bool { self == "html" || hasPrefix("text/html") }

    /// Whether content of this media type that is not in Base64 is text.
    fileprivate var mayBeText: Bool { self != "application/octet-stream" && !isMedia }

    private var isMedia: Bool { hasPrefix("image/") || hasPrefix("audio/") || hasPrefix("video/") }
}

extension FeedXMLWriter {
    /// Returns the form of a text. Base64 is decoded, so that it is known whether it is text.
    mutating func contentType(of element: Int, _ tape: borrowing XMLTape) -> FeedContentType {
        let type = keyword(.type, of: element, tape) ?? ""
        let hasElements = tape.composition(of: element).hasElements
        if !hasElements, keyword(.mode, of: element, tape) == "base64" || type.isBinary {
            if let text = decoded(element, tape) { return .encoded(text) }
            return type.mayBeText ? .text : .binary
        } else if type.isXHTML {
            return .xhtml
        } else if type.isHTML {
            return .html
        } else if type.hasSuffix("+xml") || type.hasSuffix("/xml") {
            return .markup
        } else {
            return hasElements ? .html : .text
        }
    }

    /// Writes a member with a text of RSS or Atom.
    mutating func writeConstruct(
        _ name: StaticString,
        _ element: Int?,
        _ base: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        guard let element else { return }
        writer.name(name)
        writeText(element, contentType(of: element, tape), base, tape, &writer)
    }

    /// Writes a text of RSS or Atom.
    func writeText(
        _ element: Int,
        _ type: FeedContentType,
        _ inherited: FeedBase,
        _ tape: borrowing XMLTape,
        _ writer: inout JSONWriter
    ) {
        let base = base(of: element, inherited, tape)
        switch type {
        case .text, .markup, .binary: writeText(element, isXML: type == .markup, inherited, tape, &writer)
        case .html:
            if let wrapper = wrapper(in: element, tape) {
                writeText(wrapper, base, tape, &writer)
            } else {
                writeText(element, inherited, tape, &writer)
            }
        case .xhtml:
            // Its texts have escapes, even if it has no elements.
            let wrapper = wrapper(in: element, tape)
            let outer = wrapper == nil ? inherited : base
            FeedMarkup.write(contentOf: wrapper ?? element, names, outer, tape, into: &writer)
        case .encoded(let text): text.span.slice(text.span.trimmed(0..<text.count)) { writer.string(utf8: $0) }
        }
    }

    /// Returns the element `div` that contains all of the XHTML in an element.
    private func wrapper(in element: Int, _ tape: borrowing XMLTape) -> Int? {
        guard !tape.composition(of: element).hasWords else { return nil }
        var children = tape.childElements(of: element)
        guard let child = children.next(in: tape), children.next(in: tape) == nil else { return nil }
        return tape.isEqual(tape.name(tape.name(at: child)).local, "div") ? child : nil
    }

    /// Returns text in Base64; `nil` if it is something else. One decoded text is in use at a time.
    private mutating func decoded(_ element: Int, _ tape: borrowing XMLTape) -> [UInt8]? {
        let text = tape.text(at: element)
        guard takeMemory(for: text.count) else { return nil }
        defer { releaseMemory(text.count) }
        var bytes: [UInt8] = []
        guard tape.withText(text, { Base64.appendForgiving($0, to: &bytes) }), bytes.span.isUTF8 else { return nil }
        return bytes
    }
}
