import Foundation
import Serialization
import Testing

struct BinaryPropertyListTests {
    // MARK: Scalars

    private static let markers: [(String, String)] = [
        ("00", "null"), ("08", "false"), ("09", "true"),
        // Unsigned below eight bytes, signed from there.
        ("10 00", "0"), ("10 FF", "255"), ("11 FFFF", "65535"), ("12 FFFFFFFF", "4294967295"),
        ("13 FFFFFFFFFFFFFFFF", "-1"), ("13 8000000000000000", "-9223372036854775808"),
        ("14 0000000000000000 FFFFFFFFFFFFFFFF", "18446744073709551615"),
        ("14 7FFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF", "170141183460469231731687303715884105727"),
        ("14 8000000000000000 0000000000000000", "-170141183460469231731687303715884105728"),
        ("22 3DCCCCCD", "0.1"), ("22 7F800000", #""Infinity""#), ("23 3FB999999999999A", "0.1"),
        ("23 3FF0000000000000", "1.0"), ("23 8000000000000000", "-0.0"), ("23 0000000000000001", "5e-324"),
        ("23 7FF0000000000000", #""Infinity""#), ("23 FFF0000000000000", #""-Infinity""#),
        ("23 7FF8000000000000", #""NaN""#),
        ("40", #""""#), ("41 FF", #""/w==""#), ("42 FBEF", #""++8=""#), ("43 010203", #""AQID""#),
        ("50", #""""#), ("52 6122", #""a\"""#), ("5F 10 01 61", #""a""#),
        ("61 00E9", #""é""#), ("62 D83DDE00", #""😀""#), ("61 20AC", #""€""#), ("72 C3A9", #""é""#),
        ("80 07", #"{"CF$UID":7}"#), ("83 01000000", #"{"CF$UID":16777216}"#),
        (
            "8F FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF",
            #"{"CF$UID":340282366920938463463374607431768211455}"#
        ),
        ("0C 52 613A", #""a:""#), ("0D 52 613A 51 62", #"{"base":"a:","relative":"b"}"#),
        ("0D 0C 52 613A 51 62", #"{"base":"a:","relative":"b"}"#),
        ("0E 000102030405060708090A0B0C0D0EFF", #""00010203-0405-0607-0809-0A0B0C0D0EFF""#),
        ("A0", "[]"), ("B0", "[]"), ("C0", "[]"), ("D0", "{}"),
    ]

    @Test(arguments: markers)
    func `reads every marker`(object: String, expected: String) throws {
        #expect(try readPropertyList(binaryPropertyList(hex(object))) { $0.nulls = .keep }.text == expected)
    }

    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
        (683_123_456.789, "2022-08-25T12:30:56.789Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
        (-63_145_526_400, "0000-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
        (5_097_600, "2001-03-01T00:00:00Z"), (1e-7, "2001-01-01T00:00:00.0000001Z"),
        (-1e-7, "2000-12-31T23:59:59.9999999Z"),
        (5e-5, "2001-01-01T00:00:00.00005Z"), (-5e-5, "2000-12-31T23:59:59.99995Z"),
        (1.25e-8, "2001-01-01T00:00:00.000000012Z"), (9.99e-5, "2001-01-01T00:00:00.0000999Z"),
        (1e-10, "2001-01-01T00:00:00Z"), (-1e-10, "2000-12-31T23:59:59.999999999Z"),
        (.leastNonzeroMagnitude, "2001-01-01T00:00:00Z"),
        (-1.05, "2000-12-31T23:59:58.95Z"),
    ])
    func `writes a date as RFC 3339 with the fraction that it needs`(seconds: Double, expected: String) throws {
        let text = try readPropertyList(binaryPropertyList([0x33] + bigEndian(seconds))).text
        #expect(text == "\"\(expected)\"")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 252_423_993_600, -63_145_526_401, 1e300])
    func `rejects a date without a four-digit year`(seconds: Double) {
        let error = propertyListRefusal(of: binaryPropertyList([0x33] + bigEndian(seconds)))
        #expect(error == PropertyListError(.invalidDate, at: SourceLocation(byte: 8, pointer: "")))
    }

    private func bigEndian(_ number: Double) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) }
    }

    // MARK: Containers

    @Test func `writes members in file order, and shared objects at every reference`() throws {
        let content = binaryPropertyList(
            [0xD2, 1, 2, 3, 3],
            [0x51, 0x62],
            [0x51, 0x61],
            [0xA3, 4, 4, 5],
            [0x10, 1],
            [0x00]
        )
        #expect(try readPropertyList(content).text == #"{"b":[1,1,null],"a":[1,1,null]}"#)
        let dropped = try readPropertyList(content) { $0.nulls = .dropAll }
        #expect(dropped.text == #"{"b":[1,1],"a":[1,1]}"#)
        #expect(dropped.summary.nullsDropped == 2)
    }

    @Test(arguments: [1, 2, 3, 4, 8, 9, 200] as [UInt8])
    func `reads references of any width`(width: UInt8) throws {
        let reference = [UInt8](repeating: 0, count: Int(width) - 1) + [1]
        let content = binaryPropertyList([[0xA1] + reference, [0x09]], referenceBytes: width)
        #expect(try readPropertyList(content).text == "[true]")
    }

    @Test func `drops null members after resolving duplicates`() throws {
        let key: [UInt8] = [0x51, 0x61]
        let other: [UInt8] = [0x61, 0x00, 0x61]
        let content = binaryPropertyList([0xD2, 1, 2, 3, 4], key, other, [0x10, 1], [0x00])
        let reading = try readPropertyList(content)
        #expect(reading.text == "{}")
        #expect(reading.summary.nullsDropped == 1)
        #expect(
            reading.warnings == [
                Warning(
                    .duplicateKey("a", kept: .last),
                    at: SourceLocation(byte: 15, pointer: "/a"),
                    first: SourceLocation(byte: 13, pointer: "/a")
                )
            ]
        )
        #expect(try readPropertyList(content) { $0.nulls = .keep }.text == #"{"a":null}"#)
        #expect(try readPropertyList(content) { $0.duplicates = .first }.text == #"{"a":1}"#)
        #expect(
            try readPropertyList(content) {
                $0.duplicates = .keep
                $0.nulls = .keep
            }.text == #"{"a":1,"a":null}"#
        )
        let error = propertyListRefusal(of: content) { $0.duplicates = .reject }
        var expected = PropertyListError(.duplicateKey("a"), at: SourceLocation(byte: 15, pointer: "/a"))
        expected.first = SourceLocation(byte: 13, pointer: "/a")
        #expect(error == expected)
    }

    @Test(arguments: [3, 17, 100])
    func `finds duplicates in small and in large dictionaries`(count: Int) throws {
        let keys = (0..<count).map { number -> [UInt8] in
            let digits = [number / 10 % 10, number % 10].map { UInt8(0x30 + $0) }
            return [0x52] + digits
        }
        var dictionary: [UInt8] = [0xDF, 0x10, UInt8(count + 1)]
        // One more key, which equals the first one.
        dictionary += (1...count).map { UInt8($0) } + [1]
        dictionary += [UInt8](repeating: 1, count: count) + [2]
        let text = try readPropertyList(binaryPropertyList([dictionary] + keys)).text
        let members = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(members.count == count)
        #expect(members["00"] == "01")
        #expect(text.hasSuffix(#","00":"01"}"#))
    }

    @Test func `reports the types of the source`() throws {
        let content = binaryPropertyList(
            [0xD3, 1, 2, 3, 4, 5, 6],
            [0x53, 0x61, 0x2F, 0x7E],
            [0x51, 0x62],
            [0x51, 0x63],
            [0xA2, 5, 6],
            [0x10, 1],
            [0xC1, 7],
            [0x80, 1]
        )
        let reading = try readPropertyList(content) { $0.hints = true }
        #expect(reading.text == #"{"a/~":[1,[{"CF$UID":1}]],"b":1,"c":[{"CF$UID":1}]}"#)
        #expect(
            reading.summary.hints.map { String(decoding: $0, as: UTF8.self) }
                == #"{"/a~1~0/0":"integer","/a~1~0/1":"set","/a~1~0/1/0":"uid","/b":"integer","/c":"set","/c/0":"uid"}"#
        )
        #expect(try readPropertyList(binaryPropertyList([0x09])) { $0.hints = true }.summary.hints == nil)
    }

    // MARK: Rejected content

    private static let refused: [(String, PropertyListError.Reason, Int)] = [
        ("01", .unknownMarker(0x01), 8), ("0F", .unknownMarker(0x0F), 8), ("15", .unknownMarker(0x15), 8),
        ("20 00", .unknownMarker(0x20), 8), ("32", .unknownMarker(0x32), 8), ("FF", .unknownMarker(0xFF), 8),
        ("51", .invalidReference, 8), ("5F", .invalidReference, 8), ("5F 51 01", .invalidReference, 8),
        ("5F 13 FFFFFFFFFFFFFFFF", .invalidReference, 8), ("6F 13 7FFFFFFFFFFFFFFF", .invalidReference, 8),
        ("DF 13 4000000000000000", .invalidReference, 8),
        ("52 6180", .invalidString, 10), ("71 FF", .invalidString, 9),
        ("61 D800", .loneSurrogate, 9), ("62 DC00D800", .loneSurrogate, 9),
        ("A1 01", .invalidReference, 8), ("A1 00", .cycle, 8), ("0C 0C 51 61", .invalidReference, 8),
    ]

    @Test(arguments: refused)
    func `rejects an invalid object and reports its location`(
        object: String,
        reason: PropertyListError.Reason,
        byte: Int
    ) {
        let error = propertyListRefusal(of: binaryPropertyList(hex(object)))
        #expect(error?.reason == reason)
        #expect(error?.location.byte == byte)
    }

    @Test func `replaces a lone surrogate if allowed`() throws {
        let content = binaryPropertyList([0x62, 0xD8, 0x00, 0x00, 0x61])
        let reading = try readPropertyList(content) { $0.surrogates = .replace }
        #expect(reading.text == "\"\u{FFFD}a\"")
        #expect(reading.warnings == [Warning(.propertyListLoneSurrogate, at: SourceLocation(byte: 9))])
    }

    @Test func `reports the value that contains the error`() {
        let content = binaryPropertyList([0xD1, 1, 2], [0x51, 0x61], [0xA2, 3, 4], [0x09], [0x01])
        let error = propertyListRefusal(of: content)
        #expect(error == PropertyListError(.unknownMarker(1), at: SourceLocation(byte: 17, pointer: "/a/1")))
    }

    @Test func `rejects keys that are not strings`() {
        let error = propertyListRefusal(of: binaryPropertyList([0xD1, 1, 1], [0x09]))
        #expect(error?.reason == .invalidKey)
        #expect(error?.location.byte == 11)
    }

    @Test func `rejects objects that share bytes`() {
        var content = binaryPropertyList([0xA2, 1, 2], [0x52, 0x51, 0x61], [0x09])
        // The third object becomes the middle of the second.
        content[content.count - 32 - 1] = 12
        #expect(
            propertyListRefusal(of: content)
                == PropertyListError(.overlappingObjects, at: SourceLocation(byte: 12, pointer: "/1"))
        )
    }

    private static let foreign: [([UInt8], PropertyListError.Reason)] = [
        ([], .notAPropertyList), (Array(" \n".utf8), .notAPropertyList),
        (Array("bplist00".utf8), .unexpectedEnd(expected: ["a trailer of 32 bytes"])),
        (Array("bplist15".utf8) + [UInt8](repeating: 0, count: 40), .unsupportedVersion("15")),
        (Array("bplist00".utf8) + [UInt8](repeating: 0, count: 40), .invalidTrailer),
    ]

    @Test(arguments: foreign)
    func `rejects content that is not a property list`(content: [UInt8], reason: PropertyListError.Reason) {
        #expect(propertyListRefusal(of: content)?.reason == reason)
    }

    @Test func `survives any single wrong byte`() {
        let content = binaryPropertyList(
            [0xD2, 1, 2, 3, 4],
            [0x51, 0x61],
            [0x61, 0x00, 0xE9],
            [0xA2, 5, 6],
            [0xD1, 1, 5],
            [0x13] + Array(1...8),
            [0x33] + Array(1...8)
        )
        for index in content.indices {
            for byte in 0...255 as ClosedRange<UInt8> {
                var broken = content
                broken[index] = byte
                _ = propertyListRefusal(of: broken)
            }
            _ = propertyListRefusal(of: Array(content[..<index]))
        }
    }

    // MARK: Graphs

    @Test func `rejects values that sharing makes too long, before anything is written`() {
        let last: UInt8 = 60
        let arrays = (0..<last).map { [0xA2, $0 + 1, $0 + 1] as [UInt8] }
        let content = binaryPropertyList(arrays + [[0x09]])
        let max = content.count * 16 + 1 << 20
        let error = propertyListRefusal(of: content)
        #expect(error?.reason == .expansionTooLarge(maxBytes: max))
        #expect(propertyListRefusal(of: binaryPropertyList(Array(arrays[46...]) + [[0x09]])) != nil)
    }

    @Test func `counts depth through shared objects`() {
        // 3 levels, reached through a shared object that was measured at 2.
        let content = binaryPropertyList([0xA2, 2, 1], [0xA1, 2], [0xA1, 3], [0x09])
        #expect(propertyListRefusal(of: content) { $0.limits.maxNestingDepth = 3 } == nil)
        let error = propertyListRefusal(of: content) { $0.limits.maxNestingDepth = 2 }
        #expect(error?.reason == .nestingTooDeep(max: 2))
        #expect(error?.location.pointer == "/1/0")
    }

    @Test func `enforces the limits`() {
        let content = binaryPropertyList([0xD2, 1, 2, 1, 2], [0x53, 0x61, 0x62, 0x63], [0x51, 0x61])
        #expect(propertyListRefusal(of: content) { $0.limits.maxKeyBytes = 2 }?.reason == .keyTooLong(max: 2))
        // Two objects with the same text: the first one is already too long, whichever of them would be kept.
        let twice = binaryPropertyList(
            [0xD2, 1, 2, 3, 3],
            [0x53, 0x61, 0x62, 0x63],
            [0x53, 0x61, 0x62, 0x63],
            [0x09]
        )
        #expect(propertyListRefusal(of: twice) { $0.limits.maxKeyBytes = 2 }?.location.byte == 13)
        // Characters of two bytes in UTF-8.
        let accents = binaryPropertyList([0xD1, 1, 2], [0x62, 0x00, 0xE9, 0x00, 0xE9], [0x09])
        #expect(propertyListRefusal(of: accents) { $0.limits.maxKeyBytes = 3 }?.reason == .keyTooLong(max: 3))
        #expect(propertyListRefusal(of: accents) { $0.limits.maxKeyBytes = 4 } == nil)
        #expect(propertyListRefusal(of: content) { $0.limits.maxObjectMembers = 1 }?.reason == .tooManyMembers(max: 1))
        #expect(propertyListRefusal(of: content) { $0.limits.maxKeyBytes = 3 } == nil)
    }
}
