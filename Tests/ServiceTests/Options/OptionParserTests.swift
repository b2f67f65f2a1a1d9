import Serialization
import Testing

@testable import Service

@Suite struct OptionParserTests {
    private static let serializers = ["auto"] + SerializerKind.allCases.map(\.rawValue)

    private func parse(_ query: String) throws(OptionError) -> RequestOptions {
        try OptionParser.parse(query: query, limits: Limits())
    }

    @Test func `an empty query means the defaults`() throws {
        #expect(try parse("") == RequestOptions())
    }

    @Test func `every option is accepted`() throws {
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

    @Test func `a query option overrides its profile, regardless of the order`() throws {
        var expected = RequestOptions()
        expected.serialization = BuiltInProfile.afnetworking.serialization
        expected.serialization.nulls = .drop
        expected.serialization.fragments = true
        expected.fetch = BuiltInProfile.afnetworking.fetch
        #expect(try parse("nulls=drop&profile=afnetworking&fragments=true") == expected)
    }

    @Test func `star accepts any status and type, none accepts no status and type`() throws {
        #expect(try parse("accept-status=*").serialization.acceptableStatusCodes == nil)
        #expect(try parse("accept-status=none").serialization.acceptableStatusCodes == StatusCodes.none)
        #expect(try parse("accept-types=*").serialization.acceptableMediaTypes == .any)
        #expect(try parse("accept-types=none").serialization.acceptableMediaTypes == MediaTypeSet.none)
    }

    @Test func `thumbnails keep their order, and none is an empty list`() throws {
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
    func `rejects an invalid thumbnail`(value: String) {
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
    func `options that need pixels are rejected if pixels are not decoded`(query: String) {
        let expected = ["auto or full with thumbnail, placeholder or fingerprint=phash"]
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
        ("profile=mine", .invalidValue(.profile, got: "mine", expected: ["default", "afnetworking", "graphql"])),
        ("serializer=yaml", .invalidValue(.serializer, got: "yaml", expected: OptionParserTests.serializers)),
        ("serializer=json,", .invalidValue(.serializer, got: "json,", expected: OptionParserTests.serializers)),
        ("serializer=json,json", .invalidValue(.serializer, got: "json,json", expected: OptionParserTests.serializers)),
        ("serializer=auto,auto", .invalidValue(.serializer, got: "auto,auto", expected: OptionParserTests.serializers)),
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
    func `rejects unknown, repeated and invalid options`(query: String, error: OptionError) {
        #expect(throws: error) { try parse(query) }
    }

    // MARK: The table

    @Test func `the table has a row for every name, in the same order`() {
        #expect(OptionTable.all.map(\.name) == OptionName.allCases)
    }

    @Test(arguments: OptionName.allCases)
    func `every value that the table lists is accepted`(name: OptionName) {
        let option = OptionTable[name]
        let values =
            switch option.values {
            case .boolean: ["true", "false"]
            case .oneOf(let values), .known(let values): values
            case .list(let values, let alternative):
                (alternative.map { [$0] } ?? []) + [values.joined(separator: ",")] + values
            case .limit: ["1", option.defaultDescription()]
            case .number(let max): ["1", "\(max)"]
            case .text: []
            }
        for value in values {
            #expect(throws: Never.self) { try parse("\(name.rawValue)=\(value)") }
        }
    }

    @Test(arguments: BuiltInProfile.allCases, OptionName.allCases)
    func `a profile reports the actual value of an option`(profile: BuiltInProfile, name: OptionName) throws {
        let options = try parse("profile=\(profile.rawValue)")
        guard let value = OptionTable[name].value(in: options) else {
            #expect(OptionTable[name].derivedDefault != nil || name == .profile)
            return
        }
        var same = try parse("profile=\(profile.rawValue)&\(name.rawValue)=\(value)")
        // The default rules, for which the reported value applies.
        if name == .prefixes { same.serialization.prefixes = options.serialization.prefixes }
        #expect(same == options)
    }

    @Test(arguments: BuiltInProfile.allCases)
    func `a profile is a list of options`(profile: BuiltInProfile) throws {
        let query = profile.values.map { "\($0.0.rawValue)=\($0.1)" }.joined(separator: "&")
        var expected = try parse(query)
        expected.serialization.rules = profile.serialization.rules
        #expect(expected.serialization == profile.serialization)
    }

    @Test func `a thumbnail is reported as it is requested`() throws {
        let query = "64x48,fit=cover,enlarge=true,format=webp,quality=7,background=0a20ff80"
        #expect(OptionTable[.thumbnail].value(in: try parse("thumbnail=\(query)")) == query)
        #expect(OptionTable[.thumbnail].value(in: try parse("thumbnail=1x2&thumbnail=3x4")) == "1x2&3x4")
        #expect(OptionTable[.thumbnail].value(in: try parse("thumbnail=none")) == "none")
    }

    @Test func `the row of thumbnails describes every part`() {
        let details = OptionTable[.thumbnail].details
        let values = ThumbnailFit.allCases.map(\.rawValue) + ThumbnailFormat.allCases.map(\.rawValue)
        #expect(values.allSatisfy { details.contains("`\($0)`") })
        let parts = OptionTable.thumbnailSyntax.matches(of: /([a-z]+)=/).map { "`\($0.1)=" }
        #expect(parts.count == 5 && parts.allSatisfy { details.contains($0) })
    }

    // MARK: Limits

    @Test func `a limit above that of the service is treated as absent if it is the built-in default`() throws {
        var limits = Limits()
        limits.maxNestingDepth = 10
        #expect(try OptionParser.parse(query: "max-nesting-depth=512", limits: limits).limits == limits)
        #expect(try OptionParser.parse(query: "max-nesting-depth=10", limits: limits).limits == limits)
        for value in [11, 511, 513] {
            #expect(throws: OptionError.limitRaised(.maxNestingDepth, got: "\(value)", max: 10)) {
                try OptionParser.parse(query: "max-nesting-depth=\(value)", limits: limits)
            }
        }
    }

    @Test func `explicit defaults have no effect, regardless of the limits of the service`()
        throws
    {
        var limits = Limits()
        for option in OptionTable.limits {
            guard case .limit(let path, let hard, _) = option.target else { continue }
            var options = RequestOptions(limits: limits)
            options[keyPath: path] = hard.lowerBound
            limits = options.limits
        }
        let query = OptionTable.limits.map { "\($0.name.rawValue)=\($0.defaultDescription())" }.joined(separator: "&")
        #expect(try OptionParser.parse(query: query, limits: limits).limits == limits)
    }

    // MARK: Forms

    @Test func `the path for values has every option except view`() throws {
        var expected = RequestOptions()
        expected.serialization.view = .value
        expected.serialization.nulls = .keep
        #expect(try OptionParser.parse(query: "nulls=keep", limits: Limits(), for: .value) == expected)
        for query in ["view=value", "view=full"] {
            #expect(throws: OptionError.notAvailable("view", allowed: OptionParser.namesForValue)) {
                try OptionParser.parse(query: query, limits: Limits(), for: .value)
            }
        }
    }

    @Test func `none is an empty list`() throws {
        #expect(try parse("lenient=none&placeholder=none&fingerprint=none") == RequestOptions())
    }

    @Test(arguments: ["", "comment", "comments,", "comments,comments", "none,comments"])
    func `leniencies are selected by name, each at most once`(value: String) throws {
        let expected = ["none"] + Leniencies.named.map(\.name)
        #expect(throws: OptionError.invalidValue(.lenient, got: value, expected: expected)) {
            try parse("lenient=\(value)")
        }
    }

    /// 2 000 media types took 16 million instructions on an HTTP thread.
    @Test(arguments: [
        ("accept-types", OptionName.acceptTypes), ("type", .type), ("xml-arrays", .xmlArrays), ("select", .select),
        ("omit", .omit),
    ])
    func `a value has at most 2 048 bytes`(name: String, option: OptionName) throws {
        let start = [.acceptTypes, .type].contains(option) ? "a/" : "/"
        let longest = start + String(repeating: "b", count: 2_048 - start.utf8.count)
        _ = try parse("\(name)=\(longest)")
        #expect(throws: OptionError.invalidValue(option, got: longest + "b", expected: ["at most 2048 bytes"])) {
            try parse("\(name)=\(longest)b")
        }
    }

    @Test func `a long value is truncated in the message`() {
        let error = OptionError.unknownName(String(repeating: "é", count: 100))
        #expect(error.message == "there is no option '\(String(repeating: "é", count: 30))…'")
    }
}
