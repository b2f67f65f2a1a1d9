internal import Serialization

extension JSONCursor.StringToken {
    /// Returns the value of the string in UTF-8.
    func utf8(in text: Span<UInt8>) -> [UInt8] {
        JSONString.unescape(text.extracting(range))
    }

    /// Returns the value of the string.
    func text(in text: Span<UInt8>) -> String {
        String(decoding: utf8(in: text), as: UTF8.self)
    }
}
