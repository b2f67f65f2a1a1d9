internal import Serialization

/// The title of an HTML page that an upstream sent in place of a value: `Service Unavailable`.
enum PageTitle {
    /// The part of a page in which the title is searched, in bytes.
    private static let maxSearchedBytes = 16 << 10
    /// The length of a title, in bytes, that is read at most.
    private static let maxTitleBytes = 256

    /// Returns the text of the first `title` element as an excerpt, with single spaces in place of white space and
    /// control characters; `nil` if there is none at the beginning of the page, or it is empty.
    static func of(_ content: Span<UInt8>) -> String? {
        let page = content.extracting(0..<min(content.count, maxSearchedBytes))
        guard let nameEnd = endOfTagName(in: page),
            let tagEnd = page.firstOffset(of: UInt8(ascii: ">"), in: nameEnd..<page.count)
        else { return nil }
        let start = tagEnd + 1
        let end = page.firstOffset(of: UInt8(ascii: "<"), in: start..<page.count) ?? page.count
        let bytes = (start..<min(end, start + maxTitleBytes)).map { page[$0] }
        // A title in a legacy charset is shown with U+FFFD: only people read it.
        let words = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
        let title = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        return title.isEmpty ? nil : title.excerpt
    }

    /// Returns the offset after the name of the first `title` tag, in lower or upper case.
    private static func endOfTagName(in page: Span<UInt8>) -> Int? {
        let length = "<title".utf8.count
        var next = 0
        while let start = page.firstOffset(of: UInt8(ascii: "<"), in: next..<page.count), start + length < page.count {
            next = start + 1
            guard page.extracting(start..<start + length).equals("<title") else { continue }
            let byte = page[start + length]
            if [0x3E, 0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) { return start + length }
        }
        return nil
    }
}
