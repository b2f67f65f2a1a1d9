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
        guard let name = page.firstOffset(of: "<title", from: 0), case let nameEnd = name + "<title".utf8.count,
            nameEnd < page.count, [0x3E, 0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(page[nameEnd]),
            let start = page.firstOffset(of: ">", from: nameEnd)
        else { return nil }
        let end = page.firstOffset(of: "<", from: start) ?? page.count
        let bytes = (start + 1..<min(end, start + 1 + maxTitleBytes)).map { page[$0] }
        // A title in a legacy charset is shown with U+FFFD: only people read it.
        let words = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
        let title = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        return title.isEmpty ? nil : title.excerpt
    }
}

extension Span<UInt8> {
    /// Returns the offset of the first occurrence of `text`, in lower or upper case, at or after `start`.
    /// - Parameter text: ASCII characters in lower case.
    fileprivate func firstOffset(of text: StaticString, from start: Int) -> Int? {
        let pattern = Array("\(text)".utf8)
        guard count >= start + pattern.count else { return nil }
        return (start...count - pattern.count).first { offset in
            pattern.indices.allSatisfy { index in
                let byte = self[offset + index]
                return (0x41...0x5A ~= byte ? byte | 0x20 : byte) == pattern[index]
            }
        }
    }
}
