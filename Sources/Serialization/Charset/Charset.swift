/// A charset of the WHATWG Encoding Standard, which defines the labels of the web: `iso-8859-1` and `us-ascii` are
/// windows-1252, `gb2312` is GBK.
///
/// The raw value is the standard's name in lower case (§4.2).
package enum Charset: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"

    // Single-byte charsets.
    case ibm866
    case iso8859Part2 = "iso-8859-2"
    case iso8859Part3 = "iso-8859-3"
    case iso8859Part4 = "iso-8859-4"
    case iso8859Part5 = "iso-8859-5"
    case iso8859Part6 = "iso-8859-6"
    case iso8859Part7 = "iso-8859-7"
    case iso8859Part8 = "iso-8859-8"
    case iso8859Part8Logical = "iso-8859-8-i"
    case iso8859Part10 = "iso-8859-10"
    case iso8859Part13 = "iso-8859-13"
    case iso8859Part14 = "iso-8859-14"
    case iso8859Part15 = "iso-8859-15"
    case iso8859Part16 = "iso-8859-16"
    case koi8R = "koi8-r"
    case koi8U = "koi8-u"
    case macintosh
    case windows874 = "windows-874"
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1252 = "windows-1252"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case windows1255 = "windows-1255"
    case windows1256 = "windows-1256"
    case windows1257 = "windows-1257"
    case windows1258 = "windows-1258"
    case macCyrillic = "x-mac-cyrillic"

    // Multi-byte charsets, with up to four bytes per character.
    case gbk
    case gb18030
    case big5
    case eucJP = "euc-jp"
    case shiftJIS = "shift_jis"
    case eucKR = "euc-kr"

    // Charsets that are recognized, but not supported.
    /// A seven-bit encoding. Its text is therefore always valid UTF-8 too, and never needs to be decoded again.
    case iso2022JP = "iso-2022-jp"
    /// Represents the encodings that the standard excludes as unsafe: `iso-2022-kr`, `hz-gb-2312` and others.
    case replacement
    /// Maps the bytes from 0x80 to the private use area, so that the result is not text.
    case userDefined = "x-user-defined"

    /// Creates the charset for `label`, case-insensitively and without ASCII white space around it (§4.2, "get an
    /// encoding").
    package init?(label: String) {
        let name = label.utf8.trimmingASCIIWhiteSpace.map(\.asciiLowercased)
        guard let charset = Self.byLabel[String(decoding: name, as: UTF8.self)] else { return nil }
        self = charset
    }

    /// The name of the charset, in lower case.
    package var name: String { rawValue }
}

extension String.UTF8View {
    /// The bytes without leading and trailing ASCII white space: tab, line feed, form feed, carriage return and space
    /// (WHATWG Infra §4.6).
    fileprivate var trimmingASCIIWhiteSpace: Substring.UTF8View {
        func isWhiteSpace(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x09, 0x0A, 0x0C, 0x0D, 0x20: true
            default: false
            }
        }
        var rest = self[...]
        while let first = rest.first, isWhiteSpace(first) { rest.removeFirst() }
        while let last = rest.last, isWhiteSpace(last) { rest.removeLast() }
        return rest
    }
}
