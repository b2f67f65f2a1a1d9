import Serialization
import Testing

@testable import Service

@Suite struct OptionParserTests {
    private static let serializers = ["auto", "http", "json", "xml", "xml-document", "plist"]

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
        expected.limits.maxNestingDepth = 16
        expected.limits.maxOutputBytes = 1
        let query =
            "serializer=json,http&view=value&type=application/json;%20charset=utf-8&accept-status=200-299,304"
            + "&accept-types=image/*,+json&nulls=drop-all&fragments=false&duplicates=reject&thumbnail=none"
            + "&surrogates=replace&lenient=nan,comments&records=many&keys=sorted&canonical=true&prefixes=reject"
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

    @Test func `thumbnail takes none, as often as it likes`() throws {
        #expect(try parse("thumbnail=none&thumbnail=none") == RequestOptions())
        #expect(throws: OptionError.invalidValue(.thumbnail, got: "64x64", expected: ["none"])) {
            try parse("thumbnail=64x64")
        }
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
        ("serializer=auto,json", .invalidValue(.serializer, got: "auto,json", expected: OptionParserTests.serializers)),
        ("serializer=image", .valueNotBuilt(.serializer, got: "image", expected: OptionParserTests.serializers)),
        ("decode=auto", .optionNotBuilt(.decode)),
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
