internal import HTTP
internal import Serialization

/// A page for people: one HTML document that contains its style sheet and its script.
///
/// **Invariant.** `Content-Security-Policy` permits exactly the script and the style sheet of the document, by their
/// digests, and connections to the service itself. A browser rejects everything else, so that text of an upstream which
/// the script shows cannot become code. `ServicePagesTests` computes the digests of a document, and `make test-page`
/// runs it in a browser.
struct WebPage: Sendable {
    private let content: SharedContent
    private let tag: String
    private let fields: [HeaderFields.Field]

    /// Creates a page.
    /// - Parameters:
    ///   - template: the HTML, in which each of `parts` has its marker once.
    ///   - style: the style sheet.
    ///   - script: the script.
    ///   - parts: the markers of other parts, and their text.
    init(_ template: [UInt8], style: [UInt8], script: [UInt8], parts: [(marker: StaticString, text: [UInt8])] = []) {
        let (style, script) = (Self.compactStyle(style), Self.compact(script))
        var html = template
        for part in parts { html.replace(part.marker, with: part.text) }
        html.replace(Self.styleMarker, with: Array("<style>".utf8) + style + Array("</style>".utf8))
        html.replace(Self.scriptMarker, with: Array("<script>".utf8) + script + Array("</script>".utf8))
        content = SharedContent(html)
        tag = "W/\"\(Hexadecimal.text(of: SHA256.digest(of: html.span).prefix(8)))\""
        fields = [
            // Another version of the service has another page.
            .noCache,
            HeaderFields.Field(name: "ETag", value: tag),
            HeaderFields.Field(
                name: "Content-Security-Policy",
                value: "default-src 'none'; script-src \(Self.source(script)); style-src \(Self.source(style)); "
                    + "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
            ),
            HeaderFields.Field(name: "Referrer-Policy", value: "no-referrer"),
            HeaderFields.Field(name: "Cross-Origin-Opener-Policy", value: "same-origin"),
        ]
    }

    /// The marker of the style sheet in a template, so that a template also works without the service.
    private static let styleMarker: StaticString = "<link rel=\"stylesheet\" href=\"style.css\">"
    private static let scriptMarker: StaticString = "<script src=\"script.js\"></script>"

    /// Returns the page, or 304 if the client has it.
    func response(to head: borrowing RequestHead) -> Response {
        let known = head.fields.values(of: "If-None-Match")
        // RFC 9110 §8.6: Content-Length of 304 is that of the response with 200. The library does not send the content.
        return Response(
            status: !known.isEmpty && EntityTag.isMatched(by: known, tag) ? 304 : 200,
            contentType: "text/html; charset=utf-8",
            fields: fields,
            content: .shared(content)
        )
    }

    /// The source expression of an element with this content (Content Security Policy Level 3 §2.3.1).
    static func source(_ text: [UInt8]) -> String { "'sha256-\(Base64.text(of: SHA256.digest(of: text.span).span))'" }

    /// Returns the lines without their indentation, and without lines that are comments.
    static func compact(_ text: [UInt8]) -> [UInt8] {
        var compact: [UInt8] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = line.drop { $0 == UInt8(ascii: " ") }
            guard !line.starts(with: "//".utf8), !line.starts(with: "/**".utf8), !line.isEmpty else { continue }
            compact += line
            compact.append(UInt8(ascii: "\n"))
        }
        return compact
    }

    /// Returns a style sheet without the white space around punctuation, except in strings. A colon in a selector must
    /// not be followed by white space.
    static func compactStyle(_ text: [UInt8]) -> [UInt8] {
        var compact: [UInt8] = []
        var isQuoted = false
        for byte in Self.compact(text) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, let last = compact.last {
                let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
                if isSpace, "{}:;, ".utf8.contains(last) { continue }
                if "{}".utf8.contains(byte), last == UInt8(ascii: " ") { compact.removeLast() }
                if byte == UInt8(ascii: "}"), compact.last == UInt8(ascii: ";") { compact.removeLast() }
                compact.append(isSpace ? UInt8(ascii: " ") : byte)
            } else {
                compact.append(byte)
            }
        }
        return compact
    }
}

extension [UInt8] {
    /// Replaces the first occurrence of `marker`, which a template has exactly once.
    fileprivate mutating func replace(_ marker: StaticString, with text: [UInt8]) {
        let pattern = Array("\(marker)".utf8)
        guard let start = indices.first(where: { self[$0...].starts(with: pattern) }) else {
            preconditionFailure("The template of a page lacks \(marker).")
        }
        replaceSubrange(start..<start + pattern.count, with: text)
    }
}
