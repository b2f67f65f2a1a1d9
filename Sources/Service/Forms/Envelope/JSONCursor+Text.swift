internal import Serialization

extension JSONCursor.StringToken {
    /// The string's value, as UTF-8.
    func utf8(in text: Span<UInt8>) -> [UInt8] {
        JSONString.unescape(text.extracting(range))
    }

    /// The string's value.
    func text(in text: Span<UInt8>) -> String {
        String(decoding: utf8(in: text), as: UTF8.self)
    }
}
