import Serialization
import Testing

struct XMLPropertyListTests {
    private static let accepted: [(String, String)] = [
        ("<string>a &amp; b</string>", #""a & b""#), ("<string/>", #""""#),
        ("<string><![CDATA[<x>]]>y</string>", #""<x>y""#),
        ("<string>a<!-- c -->b</string>", #""ab""#), ("<true/>", "true"), ("<false></false>", "false"),
        ("<integer>42</integer>", "42"), ("<integer> -007 </integer>", "-7"), ("<integer>0xFF</integer>", "255"),
        ("<integer>340282366920938463463374607431768211456</integer>", "340282366920938463463374607431768211456"),
        ("<real>1.50</real>", "1.5"), ("<real>-1e3</real>", "-1000.0"), ("<real>nan</real>", #""NaN""#),
        ("<real>-inf</real>", #""-Infinity""#), ("<real>+infinity</real>", #""Infinity""#),
        ("<date>2024-05-01T10:20:30Z</date>", #""2024-05-01T10:20:30Z""#),
        ("<date>2024-05-01T10:20:30.250Z</date>", #""2024-05-01T10:20:30.25Z""#),
        ("<data>\n\tAQID\n\tBA==\n</data>", #""AQIDBA==""#), ("<data/>", #""""#), ("<data>AQ</data>", #""AQ==""#),
        ("<array/>", "[]"), ("<array><true/> <array><false/></array></array>", "[true,[false]]"), ("<dict/>", "{}"),
        (
            "<dict>\n<key>b</key>\n<integer>1</integer>\n<key/><dict><key>a</key><string>x</string></dict></dict>",
            #"{"b":1,"":{"a":"x"}}"#
        ),
        ("<dict><key>CF$UID</key><integer>7</integer></dict>", #"{"CF$UID":7}"#),
    ]

    @Test(arguments: accepted)
    func `reads every element`(value: String, expected: String) throws {
        let head =
            "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://a/b.dtd\">\n"
        #expect(try readPropertyList(head + "<plist version=\"1.0\">\n\(value)\n</plist>\n").text == expected)
        #expect(try readPropertyList("<plist>\(value)</plist>").text == expected)
        // Only the value, which CoreFoundation accepts too.
        #expect(try readPropertyList(value).text == expected)
    }

    private static let values = [
        "<array>", "<data>", "<date>", "<dict>", "<false>", "<integer>", "<real>", "<string>", "<true>",
    ]

    private static let refused: [(String, PropertyListError.Reason, Int, String)] = [
        ("<plist/>", .unexpectedElement(expected: values), 0, ""),
        ("<plist><dict><key>a</key></dict></plist>", .unexpectedElement(expected: values), 13, "/a"),
        // The key is reported whatever is between it and the end: its attributes have their own positions on the tape.
        ("<dict><key a=''>k</key></dict>", .unexpectedElement(expected: values), 6, "/k"),
        ("<dict><key xmlns='u' a='' b=''>k</key> <!-- c --></dict>", .unexpectedElement(expected: values), 6, "/k"),
        ("<array><dict x=''><key y=''/></dict><true/></array>", .unexpectedElement(expected: values), 18, "/0/"),
        ("<plist><dict><true/></dict></plist>", .unexpectedElement(expected: ["<key>", "</dict>"]), 13, ""),
        ("<plist><array><key>a</key></array></plist>", .unexpectedElement(expected: values), 14, "/0"),
        ("<plist><true/><true/></plist>", .unexpectedElement(expected: ["</plist>"]), 14, ""),
        ("<plist><array>x</array></plist>", .unexpectedElement(expected: values), 7, "/0"),
        ("<plist><array>x<true/></array></plist>", .unexpectedElement(expected: values), 7, "/0"),
        ("<plist><dict a='b'>x<key>a</key></dict></plist>", .unexpectedElement(expected: ["<key>", "</dict>"]), 7, ""),
        ("<plist><uid>1</uid></plist>", .unexpectedElement(expected: values), 7, ""),
        ("<plist><string><b/></string></plist>", .unexpectedElement(expected: ["</string>"]), 15, ""),
        ("<plist><array><integer>1.5</integer></array></plist>", .invalidNumber, 14, "/0"),
        ("<plist><integer/></plist>", .invalidNumber, 7, ""),
        ("<plist><real>1e999</real></plist>", .invalidNumber, 7, ""),
        ("<plist><date>2024</date></plist>", .invalidDate, 7, ""),
        ("<plist><data>A</data></plist>", .invalidData, 7, ""),
    ]

    @Test(arguments: refused)
    func `rejects errors and reports the value`(
        content: String,
        reason: PropertyListError.Reason,
        byte: Int,
        pointer: String
    ) {
        let error = propertyListRefusal(of: Array(content.utf8))
        #expect(error?.reason == reason)
        #expect(error?.location.pointer == pointer)
        #expect(error?.location.byte == byte)
        #expect(error?.location.line == 1)
    }

    @Test(arguments: [
        ("<plist><dict>", XMLError.Reason.unexpectedEnd), ("<plist><true></plist>", .mismatchedTag),
        ("<plist><string>&x;</string></plist>", .undeclaredEntity("x")),
        (
            "<!DOCTYPE plist [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><plist><string>&x;</string></plist>",
            .externalEntity
        ),
    ])
    func `rejects malformed XML like the xml serializer`(content: String, reason: XMLError.Reason) {
        #expect(propertyListRefusal(of: Array(content.utf8))?.reason == .malformedXML(reason))
    }

    @Test(arguments: [
        (XMLError.Reason.nestingTooDeep(max: 2), ProblemCode.plistNestingTooDeep),
        (.entityExpansion(max: 9), .xmlEntityExpansion), (.tooManyAttributes(max: 2), .xmlTooManyAttributes),
        (.tooManyNames(max: 2), .xmlTooManyNames), (.doctypeTooLong(max: 9), .xmlDoctypeTooLong),
        (.unsupportedCharset("x"), .charsetUnsupported), (.invalidEncoding("utf-8"), .plistInvalidEncoding),
        (.malformed, .plistMalformedXML), (.externalEntity, .plistMalformedXML),
    ])
    func `a limit and a charset keep their codes and remedies`(reason: XMLError.Reason, code: ProblemCode) {
        let location = SourceLocation(byte: 3, line: 1, column: 4)
        let error = PropertyListError(.malformedXML(reason), at: location)
        let other = XMLError(reason, number: 1, at: location)
        #expect(error.diagnostic.code == code)
        #expect(error.diagnostic.location == location)
        #expect(error.remedies.map { "\($0)" } == other.remedies.map { "\($0)" })
        #expect(error.diagnostic.sentence == other.diagnostic.sentence)
        #expect(error.diagnostic.expected == other.diagnostic.expected)
    }

    @Test(arguments: [
        ("0.12345678901234567890123", "0.12345678901234568", true), ("-9007199254740993", "-9007199254740992.0", true),
        ("1e-400", "0.0", true), ("123456789012345678901234.0", "1.2345678901234569e+23", true),
        // What writers write for doubles.
        ("0.10000000000000001", "0.1", false), ("0.1", "0.1", false), ("+1.50", "1.5", false), ("0.0", "0.0", false),
        ("0.500000000000000000000000", "0.5", false), ("9007199254740994", "9.007199254740994e+15", false),
        ("4.9406564584124654e-324", "5e-324", false), ("-0", "-0.0", false),
    ])
    func `a decimal number that loses digits is a warning`(source: String, value: String, isRounded: Bool) throws {
        let expected = Warning.Kind.propertyListNumberRounded(from: source, to: value)
        let xml = try readPropertyList("<plist><array>\n<real> \(source) </real></array></plist>")
        #expect(xml.text == "[\(value)]")
        #expect(xml.warnings.map(\.kind) == (isRounded ? [expected] : []))
        let text = try readPropertyList("(<*R\(source)>)")
        #expect(text.text == "[\(value)]")
        #expect(text.warnings.map(\.kind) == (isRounded ? [expected] : []))
        for warning in xml.warnings + text.warnings { #expect(warning.location?.pointer == "/0") }
        #expect(xml.warnings.allSatisfy { $0.location?.line == 2 })
    }

    @Test func `keeps the last of duplicates and warns`() throws {
        let reading = try readPropertyList("<plist><dict>\n<key>a</key><true/>\n<key>a</key><false/></dict></plist>")
        #expect(reading.text == #"{"a":false}"#)
        #expect(reading.warnings.map(\.kind) == [.duplicateKey("a", kept: .last)])
        #expect(reading.warnings.first?.location?.pointer == "/a")
        #expect(reading.warnings.first?.location?.line == 3)
        #expect(reading.warnings.first?.first?.line == 2)
    }

    @Test func `reports both locations of a duplicate`() {
        let text = "<plist><dict>\n<key>a</key><true/>\n<key>a</key><false/></dict></plist>"
        let error = propertyListRefusal(of: Array(text.utf8)) { $0.duplicates = .reject }
        #expect(error?.reason == .duplicateKey("a"))
        #expect(error?.location.line == 3 && error?.first?.line == 2)
        #expect(error?.first?.pointer == "/a")
    }

    @Test func `reads UTF-16`() throws {
        let text = "\u{FEFF}<plist><string>€</string></plist>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let reading = try readPropertyList(text)
        #expect(reading.text == #""€""#)
        #expect(reading.summary.charset == "utf-16le")
    }

    @Test func `reports the types of the source`() throws {
        let reading = try readPropertyList(
            "<array><integer>1</integer><date>2024-05-01T10:20:30Z</date><data/><real>1</real><string/></array>"
        ) { $0.hints = true }
        #expect(
            reading.summary.hints.map { String(decoding: $0, as: UTF8.self) }
                == #"{"/0":"integer","/1":"date","/2":"data","/3":"real"}"#
        )
    }
}
