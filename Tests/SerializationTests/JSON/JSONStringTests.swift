import Testing

@testable import Serialization

@Suite struct JSONStringTests {
    /// Parts of strings as they are written, and their values.
    private static let parts: [(spelling: String, value: String)] = [
        ("a", "a"), ("é", "é"), ("😀", "😀"), (" ", " "), ("0123456789abcdef", "0123456789abcdef"),
        (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\b"#, "\u{8}"), (#"\f"#, "\u{C}"), (#"\n"#, "\n"),
        (#"\r"#, "\r"), (#"\t"#, "\t"), (#"\u0041"#, "A"), (#"\u00e9"#, "é"), (#"\u20AC"#, "€"),
        (#"\ud83d\ude00"#, "😀"), (#"\u0000"#, "\0"), (#"\u005c"#, "\\"), (#"\u0022"#, "\""),
    ]

    @Test func `the value of a string does not depend on where its escapes are`() throws {
        for _ in 0..<20_000 {
            var (spelling, value) = ("", "")
            let quotes = Array(repeating: Self.parts[5], count: Bool.random() ? 20 : 0)
            let parts = Self.parts + quotes
            for _ in 0..<Int.random(in: 0...60) {
                let part = try #require(parts.randomElement())
                spelling += part.spelling
                value += part.value
            }
            let unescaped = JSONString.unescape(spelling.utf8.span)
            #expect(unescaped == Array(value.utf8), "\(spelling)")
            let before = String(repeating: "x", count: Int.random(in: 0...17))
            let after = String(repeating: "\"", count: Int.random(in: 0...17))
            let text = Array("\(before)\"\(spelling)\"\(after)".utf8)
            let string = JSONScannedString(at: before.utf8.count, in: text.span)
            let scanned = try #require(string)
            #expect(scanned.end == text.count - after.utf8.count, "\(spelling)")
            switch scanned.value {
            case .slice(let range): #expect(Array(text[range]) == Array(value.utf8) && spelling == value)
            case .bytes(let bytes): #expect(bytes == Array(value.utf8), "\(spelling)")
            }
        }
    }

    @Test func `a string of JSON is copied unchanged, wherever its escapes are`() throws {
        for _ in 0..<20_000 {
            let parts = (0..<Int.random(in: 0...24)).compactMap { _ in Self.parts.randomElement()?.spelling }
            let string = "\"\(parts.joined())\""
            let before = String(repeating: "x", count: Int.random(in: 0...17))
            for content in ["[\"\(before)\",\(string),\(string)]", "{\(string):0}"] {
                #expect(try read(content).text == content)
            }
        }
    }

    @Test func `an escape that JSON does not have is found behind text of each length`() {
        for count in 0..<70 {
            for part in ["x", #"\n"#, #"\\"#, #"x\""#] {
                let before = String(repeating: part, count: count)
                for byte in UInt8.min...0x7F where !"\"\\/bfnrtu".utf8.contains(byte) {
                    let content = "[\"\(before)\\\(Unicode.Scalar(byte))\"]"
                    let error = refusal(of: content)
                    #expect(
                        error?.reason == .invalidEscape && error?.location.byte == 2 + before.utf8.count,
                        "\(content)"
                    )
                }
            }
        }
    }

    /// The second escape ends with the text, and is not read as a word.
    @Test func `the escape of each code unit is decoded, and a byte that is no digit is not accepted`() {
        for unit in UInt16.min...UInt16.max {
            let hex = String(unit, radix: 16)
            let digits = String(repeating: "0", count: 4 - hex.count) + (unit % 2 == 0 ? hex : hex.uppercased())
            let scalar = Unicode.Scalar(unit)
            let value = Array(String(scalar ?? "\u{FFFD}").utf8)
            #expect(JSONString.unescape("\\u\(digits)-\\u\(digits)".utf8.span) == value + [UInt8(ascii: "-")] + value)
            let text = Array("\"\\u\(digits)\"   ".utf8)
            switch JSONScannedString(at: 0, in: text.span)?.value {
            case .bytes(let bytes): #expect(scalar != nil && bytes == value)
            case .slice, nil: #expect(scalar == nil, "\(digits)")
            }
        }
        for index in 3..<7 {
            for byte in UInt8.min...UInt8.max where byte.hexDigit == nil {
                var text = Array("\"\\uABCD\"   ".utf8)
                text[index] = byte
                #expect(JSONScannedString(at: 0, in: text.span) == nil, "\(byte) at \(index)")
            }
        }
    }

    /// Rows of backslashes of each length begin at each offset of a block of 64 bytes, and end in it or after it.
    @Test func `every other backslash of a row begins an escape, wherever the row begins`() throws {
        let after = String(repeating: "y", count: 100)
        for start in 0..<64 {
            for count in 1...70 {
                for end in ["\"", #"z""#] {
                    let before = String(repeating: "x", count: start)
                    let text = Array("\"\(before)\(String(repeating: #"\"#, count: count))\(end)\(after)\"".utf8)
                    let string = JSONScannedString(at: 0, in: text.span)
                    let values = before + String(repeating: #"\"#, count: count / 2)
                    let isEscaped = count % 2 == 1
                    guard !isEscaped || end == "\"" else {
                        #expect(string == nil)
                        continue
                    }
                    let value = isEscaped ? values + "\"" + after : values + end.dropLast()
                    let length = isEscaped ? text.count : text.count - after.utf8.count - 1
                    #expect(string?.end == length, "\(start), \(count)")
                    switch try #require(string).value {
                    case .slice(let range): #expect(Array(text[range]) == Array(value.utf8) && count == 0)
                    case .bytes(let bytes): #expect(bytes == Array(value.utf8), "\(start), \(count)")
                    }
                }
            }
        }
    }

    /// Each is preceded by plain text or escapes of each length up to more than a block.
    @Test(arguments: [
        "\\", #"\x""#, #"\u""#, #"\u12""#, #"\u123g""#, #"\ud800""#, #"\udc00""#, #"\ud800\u0041""#, #"\ud800\n""#,
        "\u{1F}\"", "\n\"", "a", "", #"\""#, #"\\"#, #"\\\""#,
    ]) func `text that is not a string, or has a lone surrogate, is not read`(rest: String) {
        for count in 0..<70 {
            for part in ["x", #"\n"#, #"\\"#, #"x\""#] {
                for escape in ["", #"\n"#] {
                    let text = Array("\"\(String(repeating: part, count: count))\(escape)\(rest)".utf8)
                    #expect(JSONScannedString(at: 0, in: text.span) == nil)
                    let longer = text + repeatElement(UInt8(ascii: "y"), count: 100)
                    #expect(JSONScannedString(at: 0, in: longer.span) == nil)
                }
            }
        }
    }

    @Test func `a lone surrogate of checked text is replaced, and a backslash at its end stays`() {
        let surrogates = JSONString.unescape(#"a\ud800b\udc00"#.utf8.span)
        #expect(surrogates == Array("a\u{FFFD}b\u{FFFD}".utf8))
        let backslash = JSONString.unescape(#"a\"#.utf8.span)
        #expect(backslash == Array(#"a\"#.utf8))
    }
}
