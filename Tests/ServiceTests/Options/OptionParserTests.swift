import Serialization
import Testing

@testable import Service

@Suite struct OptionParserTests {
    private static let serializers = ["auto", "http", "json", "xml", "xml-document", "plist", "image"]

    private func parse(_ query: String) throws(OptionError) -> RequestOptions {
        try OptionParser.parse(query: query, limits: Limits())
    }

    @Test func `an empty query asks for the defaults`() throws {
        #expect(try parse("") == RequestOptions())
    }

    @Test func `every option is taken`() throws {
        var expected = RequestOptions()
        expected.serialization.serializer = .compound([.json, .http])
        expected.serialization.view = .value
        expected.serialization.declaredType = "application/json; charset=utf-8"
        expected.serialization.acceptableStatusCodes = StatusCodes(ranges: [200...299, 304...304])
        expected.serialization.acceptableMediaTypes = try MediaTypeSet(parsing: "image/*,+json")
        expected.serialization.nulls = .dropAll
        expected.serialization.fragments = false
        expected.serialization.duplicates = .reject
        expected.serialization.surrogates = .replace
        expected.serialization.leniencies = [.comments, .nan]
        expected.serialization.records = .many
        expected.serialization.keys = .sorted
        expected.serialization.canonical = true
        expected.serialization.prefixes = .reject
        expected.serialization.scale = 2.5
        expected.serialization.thumbnails = []
        expected.serialization.decode = .full
        expected.serialization.placeholders = [.average, .thumbhash]
        expected.serialization.fingerprints = [.sha256]
        expected.serialization.exif = .public
        expected.serialization.truncated = .allow
        expected.limits.maxNestingDepth = 16
        expected.limits.maxOutputBytes = 1
        let query =
            "serializer=json,http&view=value&type=application/json;%20charset=utf-8&accept-status=200-299,304"
            + "&accept-types=image/*,+json&nulls=drop-all&fragments=false&duplicates=reject&thumbnail=none"
            + "&surrogates=replace&lenient=nan,comments&records=many&keys=sorted&canonical=true&prefixes=reject"
            + "&scale=2.5&decode=full&placeholder=average,thumbhash&fingerprint=sha256&exif=public&truncated=allow"
            + "&max-nesting-depth=16&max-output-bytes=1"
        #expect(try parse(query) == expected)
    }

    @Test func `a query option overrides its profile, wherever it stands`() throws {
        var expected = RequestOptions()
        expected.serialization = Profile.afnetworking.serialization
        expected.serialization.nulls = .drop
        expected.serialization.fragments = true
        #expect(try parse("nulls=drop&profile=afnetworking&fragments=true") == expected)
    }

    @Test func `star accepts any status and type, none accepts no status and type`() throws {
        #expect(try parse("accept-status=*").serialization.acceptableStatusCodes == nil)
        #expect(try parse("accept-status=none").serialization.acceptableStatusCodes == StatusCodes.none)
        #expect(try parse("accept-types=*").serialization.acceptableMediaTypes == .any)
        #expect(try parse("accept-types=none").serialization.acceptableMediaTypes == MediaTypeSet.none)
    }

    @Test func `thumbnails are taken in their order, or none of them`() throws {
        var second = ThumbnailRequest(width: 1, height: 2_048)
        second.fit = .contain
        second.enlarge = true
        second.format = .webp
        second.quality = 100
        second.background = RGBA(red: 0x10, green: 0x20, blue: 0xFF, alpha: 0x80)
        let query =
            "thumbnail=64x48&thumbnail=1x2048,fit=contain,enlarge=true,format=webp,quality=100,background=1020fF80"
        #expect(try parse(query).serialization.thumbnails == [ThumbnailRequest(width: 64, height: 48), second])
        #expect(try parse("thumbnail=none").serialization.thumbnails == [])
        #expect(try parse("").serialization.thumbnails == nil)
    }

    @Test(arguments: [
        "", "64", "64x", "x64", "0x1", "64x64,", "64x64,fit", "64x64,fit=big", "64x64,fit=fill,fit=fill", "-1x1",
        "64x64,enlarge=yes", "64x64,format=gif", "64x64,quality=0", "64x64,quality=101", "64x64,background=12345",
        "64x64,background=+12345", "64x64,size=1", "100000x1", "64x64x64",
    ])
    func `refuses what is no thumbnail`(value: String) {
        do {
            _ = try parse("thumbnail=\(value)")
            Issue.record("accepted")
        } catch {
            guard case .invalidPart(.thumbnail, value, let part, let expected) = error else {
                Issue.record(error)
                return
            }
            #expect(value.contains(part) && !expected.isEmpty)
        }
    }

    @Test(arguments: ["thumbnail=9x9", "placeholder=average", "fingerprint=phash"])
    func `nothing made of pixels can be asked for where none is decoded`(query: String) {
        let expected = ["auto or full, beside thumbnail, placeholder or fingerprint=phash"]
        #expect(throws: OptionError.invalidValue(.decode, got: "header", expected: expected)) {
            try parse("decode=header&\(query)")
        }
        #expect(throws: Never.self) { try parse("decode=header&thumbnail=none&fingerprint=sha256") }
    }

    @Test(arguments: [
        ("nul=drop", OptionError.unknownName("nul")),
        ("Nulls=drop", .unknownName("Nulls")),
        ("=drop", .unknownName("")),
        ("nulls=drop&nulls=drop", .repeated(.nulls)),
        ("nulls=", .invalidValue(.nulls, got: "", expected: ["drop", "drop-all", "keep"])),
        ("nulls", .invalidValue(.nulls, got: "", expected: ["drop", "drop-all", "keep"])),
        ("fragments=yes", .invalidValue(.fragments, got: "yes", expected: ["true", "false"])),
        ("profile=mine", .invalidValue(.profile, got: "mine", expected: ["default", "afnetworking"])),
        ("serializer=yaml", .invalidValue(.serializer, got: "yaml", expected: OptionParserTests.serializers)),
        ("serializer=json,", .invalidValue(.serializer, got: "json,", expected: OptionParserTests.serializers)),
        ("serializer=json,json", .invalidValue(.serializer, got: "json,json", expected: OptionParserTests.serializers)),
        ("serializer=auto,auto", .invalidValue(.serializer, got: "auto,auto", expected: OptionParserTests.serializers)),
        ("max-decoded-bytes=1", .optionNotBuilt(.maxDecodedBytes)),
        ("decode=none", .invalidValue(.decode, got: "none", expected: ["auto", "header", "full"])),
        ("scale=0", .invalidValue(.scale, got: "0", expected: ["a number above 0, at most 100"])),
        ("scale=1e1", .invalidValue(.scale, got: "1e1", expected: ["a number above 0, at most 100"])),
        ("thumbnail=none&thumbnail=9x9", .repeated(.thumbnail)),
        ("thumbnail=9x9&thumbnail=none", .repeated(.thumbnail)),
        (
            "thumbnail=9x9&max-thumbnails=1&thumbnail=8x8",
            .invalidValue(.thumbnail, got: "8x8", expected: ["at most 1 thumbnails"])
        ),
        ("thumbnail=9x2049", .invalidValue(.thumbnail, got: "9x2049", expected: ["sides of 1 to 2048 pixels"])),
        ("canonical=yes", .invalidValue(.canonical, got: "yes", expected: ["false", "true"])),
        ("keys=asc", .invalidValue(.keys, got: "asc", expected: ["source", "sorted"])),
        ("xml-names=short", .invalidValue(.xmlNames, got: "short", expected: ["prefixed", "local", "clark"])),
        ("type=json", .invalidValue(.type, got: "json", expected: ["a media type"])),
        ("max-nesting-depth=0", .invalidValue(.maxNestingDepth, got: "0", expected: ["1 to 512"])),
        ("max-nesting-depth=-1", .invalidValue(.maxNestingDepth, got: "-1", expected: ["1 to 512"])),
        ("max-nesting-depth=513", .limitRaised(.maxNestingDepth, got: "513", max: 512)),
        ("max-key-bytes=99999999999999999999", .limitRaised(.maxKeyBytes, got: "99999999999999999999", max: 65536)),
    ])
    func `refuses what is unknown, repeated or not allowed`(query: String, error: OptionError) {
        #expect(throws: error) { try parse(query) }
    }

    @Test func `every choice that the table lists is accepted`() throws {
        for definition in OptionTable.definitions() {
            switch definition.values {
            case .oneOf(let values), .list(let values):
                for value in values {
                    #expect(throws: Never.self) { try parse("\(definition.name.rawValue)=\(value)") }
                }
            case .number(let max):
                #expect(throws: Never.self) { try parse("\(definition.name.rawValue)=\(max)") }
            case .text:
                break
            }
        }
    }

    @Test(arguments: ["", "comment", "comments,", "comments,comments", "none"])
    func `leniencies are switches by name, each once`(value: String) throws {
        let expected = JSONLeniencies.named.map(\.name)
        #expect(throws: OptionError.invalidValue(.lenient, got: value, expected: expected)) {
            try parse("lenient=\(value)")
        }
    }

    @Test func `a name is built or planned, not both`() {
        let planned = PlannedOption.allCases.map(\.rawValue)
        #expect(OptionName.allCases.allSatisfy { !planned.contains($0.rawValue) })
    }

    @Test func `a long value is cut in the message`() {
        let error = OptionError.unknownName(String(repeating: "é", count: 100))
        #expect(error.message == "there is no option '\(String(repeating: "é", count: 30))…'")
    }
}
