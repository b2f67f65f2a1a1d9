import Foundation
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tests the file of profiles: the allowed content, and the locations of errors.
@Suite struct ProfilesReaderTests {
    private func read(_ text: String, limits: Limits = Limits()) throws(ConfigurationFileError) -> ProfileSet {
        try ProfilesReader.read(Array(text.utf8).span, path: "profiles.json", limits: limits)
    }

    private func options(_ set: ProfileSet, _ name: String, limits: Limits = Limits()) throws -> RequestOptions {
        try set.profile(named: name).options(limits: limits)
    }

    /// The errors of a file as `line:column pointer: message`.
    private func problems(_ text: String, limits: Limits = Limits()) -> [String] {
        do throws(ConfigurationFileError) {
            _ = try read(text, limits: limits)
            return []
        } catch {
            return error.problems.map { problem in
                "\(problem.at.line ?? 0):\(problem.at.column ?? 0) \(problem.at.pointer ?? ""): \(problem.message)"
            }
        }
    }

    // MARK: Accepted files

    @Test(arguments: [#"{"profiles":[]}"#, "\u{FEFF}{\"profiles\" : [ ] }\n"])
    func `a file without profiles leaves the built-in ones`(text: String) throws {
        #expect(try read(text).profiles == Profile.builtIn)
    }

    @Test func `a profile sets any option, as text, number, Boolean or list`() throws {
        let set = try read(
            """
            {"profiles":[{"name":"partner","summary":"Reads the partner's API.","options":{
              "serializer":["json","xml"],"view":"value","type":"application/json","accept-status":["200-299","404"],
              "accept-types":"application/json,text/*","nulls":"drop-all","upstream-headers":["etag","link"],\
              "hints":true,
              "fragments":"false","duplicates":"reject","lenient":["nan","comments"],"xml-arrays":["/a/b","/a/c"],
              "scale":2.5,"thumbnail":["64x64","32x32,format=webp"],"placeholder":[],"exif":"public",
              "max-nesting-depth":16,"max-output-bytes":"1000"}}]}
            """
        )
        let query =
            "serializer=json,xml&view=value&type=application/json&accept-status=200-299,404"
            + "&accept-types=application/json,text/*&nulls=drop-all&upstream-headers=etag,"
            + "link&hints=true&fragments=false"
            + "&duplicates=reject&lenient=nan,comments&xml-arrays=/a/b,/a/c&scale=2.5&thumbnail=64x64"
            + "&thumbnail=32x32,format=webp&exif=public&max-nesting-depth=16&max-output-bytes=1000"
        #expect(try options(set, "partner") == OptionParser.parse(query: query, limits: Limits()))
        #expect(set.profiles.last?.summary == "Reads the partner's API.")
    }

    @Test func `a profile extends another one in any order, and overrides it`() throws {
        let set = try read(
            """
            {"profiles":[{"name":"c","extends":"b","options":{"nulls":"drop","max-nesting-depth":100}},
            {"name":"b","extends":"a","options":{"keys":"sorted","max-nesting-depth":50}},
            {"name":"a","extends":"afnetworking","options":{"fragments":true}}]}
            """
        )
        var expected = try OptionParser.parse(
            query: "profile=afnetworking&fragments=true&keys=sorted&nulls=drop&max-nesting-depth=100",
            limits: Limits()
        )
        #expect(try options(set, "c") == expected)
        #expect(expected.serialization.rules == .afnetworking)
        expected = try OptionParser.parse(
            query: "profile=afnetworking&fragments=true&keys=sorted&max-nesting-depth=50",
            limits: Limits()
        )
        #expect(try options(set, "b") == expected)
    }

    @Test func `an option of the request overrides the profile, within the limits of the service`() throws {
        let file = try TemporaryFolder()
        let path = try file.write(
            #"""
            {"profiles":[{"name":"x","options":{"nulls":"keep","thumbnail":"9x9","max-nesting-depth":10}}]}
            """#,
            to: "profiles.json"
        )
        let profiles = try ProfileRegistry(path: path, limits: Limits())
        func parse(_ query: String) throws -> RequestOptions {
            try OptionParser.parse(query: query, limits: Limits(), profiles: profiles)
        }
        let own = try parse("profile=x")
        #expect(own.serialization.nulls == .keep && own.limits.maxNestingDepth == 10)
        #expect(own.serialization.thumbnails == [ThumbnailRequest(width: 9, height: 9)])
        let changed = try parse("max-nesting-depth=20&thumbnail=8x8&nulls=drop&profile=x")
        #expect(changed.serialization.nulls == .drop && changed.limits.maxNestingDepth == 20)
        #expect(changed.serialization.thumbnails == [ThumbnailRequest(width: 8, height: 8)])
        #expect(throws: OptionError.limitRaised(.maxNestingDepth, got: "513", max: 512)) {
            try parse("profile=x&max-nesting-depth=513")
        }
        #expect(
            throws: OptionError.invalidValue(.profile, got: "y", expected: ["default", "afnetworking", "graphql", "x"])
        ) {
            try parse("profile=y")
        }
    }

    /// `POST /v1/thumbnail` returns one thumbnail, and a profile is written for other paths too.
    @Test(arguments: [
        (#""thumbnail":["9x9","8x8"]"#, ThumbnailRequest(width: 9, height: 9)),
        (#""thumbnail":"none","decode":"header""#, ThumbnailRequest.byDefault),
        (#""placeholder":"average","fingerprint":"phash""#, ThumbnailRequest.byDefault),
    ])
    func `the path of one thumbnail uses the first one of a profile, or the default`(
        options: String,
        expected: ThumbnailRequest
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"profiles":[{"name":"x","options":{\#(options)}}]}"#, to: "profiles.json")
        let profiles = try ProfileRegistry(path: path, limits: Limits())
        let own = try OptionParser.parse(query: "profile=x", limits: Limits(), for: .thumbnail, profiles: profiles)
        let without = try OptionParser.parse(query: "", limits: Limits(), for: .thumbnail)
        var same = without.serialization
        same.thumbnails = [expected]
        #expect(own.serialization == same)
    }

    // MARK: The round trip

    private static let file = """
        {"profiles":[
          {"name":"legacy","extends":"afnetworking","summary":"An old client.","options":{"nulls":"drop","scale":2}},
          {"name":"pictures","options":{"thumbnail":["64x64","32x32,fit=cover,format=webp"],\
          "placeholder":["blurhash"]}},
          {"name":"child","extends":"legacy","options":{"max-nesting-depth":20,"accept-types":["application/json",\
          "+json"]}}
        ]}
        """

    @Test func `the returned profiles can be loaded again, and are the same`() throws {
        for set in [try read(#"{"profiles":[]}"#), try read(Self.file)] {
            let document = String(decoding: set.document.bytes, as: UTF8.self)
            let again = try read(document)
            #expect(String(decoding: again.document.bytes, as: UTF8.self) == document)
            #expect(again.profiles.map(\.name) == set.profiles.map(\.name))
            for (profile, same) in zip(set.profiles, again.profiles) {
                let (old, new) = (profile.options(limits: Limits()), same.options(limits: Limits()))
                #expect(new.limits == old.limits && new.serialization.rules == old.serialization.rules)
                for name in ProfileResolver.names {
                    #expect(OptionTable[name].value(in: new) == OptionTable[name].value(in: old), "\(name)")
                }
            }
        }
    }

    /// Each description is complete: it needs neither the profile that it extends nor its own name.
    @Test(arguments: ["default", "afnetworking", "legacy", "pictures", "child"])
    func `a single description can be loaded with another name`(name: String) throws {
        let set = try read(Self.file)
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(set.document.bytes)) as? [String: [[String: Any]]]
        )
        var description = try #require(document["profiles"]?.first { $0["name"] as? String == name })
        description["name"] = "copy"
        let text = try JSONSerialization.data(withJSONObject: ["profiles": [description]])
        let copy = try options(read(String(decoding: text, as: UTF8.self)), "copy")
        let original = try options(set, name)
        #expect(copy.limits == original.limits && copy.serialization.rules == original.serialization.rules)
        for name in ProfileResolver.names {
            #expect(OptionTable[name].value(in: copy) == OptionTable[name].value(in: original), "\(name)")
        }
    }

    /// A service with lower limits treats built-in defaults as absent, as in a request.
    @Test func `the profiles of a service with the usual limits can be loaded with lower limits`() throws {
        var limits = Limits()
        limits.maxNestingDepth = 8
        let document = String(decoding: try read(#"{"profiles":[]}"#).document.bytes, as: UTF8.self)
        #expect(throws: Never.self) { try read(document, limits: limits) }
    }

    // MARK: Errors

    @Test(arguments: [
        ("", "1:1 : expected a value, found the end of the content"),
        (#"{"profiles":[}"#, "1:14 /profiles/0: "),
        ("[]", "1:1 : expected an object, found an array"),
        ("{}", "1:1 : expected the member 'profiles', an array of profiles"),
        (#"{"profile":[]}"#, "1:2 /profile: there is no member 'profile'. Did you mean 'profiles'?"),
        (#"{"profiles":{}}"#, "1:13 /profiles: expected an array, found an object"),
        (#"{"profiles":[1]}"#, "1:14 /profiles/0: expected an object, found a number"),
        (#"{"profiles":[{}]}"#, "1:14 /profiles/0: the profile has no name"),
        (#"{"profiles":[{"name":"a/b"}]}"#, "1:22 /profiles/0/name: the name 'a/b' is not allowed; a name has 1 to 64"),
        (#"{"profiles":[{"name":""}]}"#, "1:22 /profiles/0/name: the name '' is not allowed; a name has 1 to 64"),
        (#"{"profiles":[{"name":"a","option":{}}]}"#, "1:26 /profiles/0/option: there is no member 'option'. Did you"),
        (
            "{\"profiles\":[{\"name\":\"a\",\n \"options\":{\"nul\":1}}]}",
            "2:13 /profiles/0/options/nul: there is no option"
        ),
        (#"{"profiles":[{"name":"a","options":{"nulls":"dropp"}}]}"#, "1:45 /profiles/0/options/nulls: the option"),
        (
            #"{"profiles":[{"name":"a","options":{"nulls":1}}]}"#,
            "1:45 /profiles/0/options/nulls: expected a string, found"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"hints":null}}]}"#,
            "1:45 /profiles/0/options/hints: expected a string or true"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"nulls":["drop"]}}]}"#,
            "1:45 /profiles/0/options/nulls: expected a string"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"accept-types":"a/b\u0000"}}]}"#,
            "1:52 /profiles/0/options/accept-types: the"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"profile":"b"}}]}"#,
            "1:37 /profiles/0/options/profile: a profile cannot set"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"max-warnings":101}}]}"#,
            "1:52 /profiles/0/options/max-warnings: the option"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"decode":"header","thumbnail":"9x9"}}]}"#,
            "1:14 /profiles/0: the option 'dec"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"lenient":["nan","comment"]}}]}"#,
            "1:54 /profiles/0/options/lenient/1: the option 'lenient' cannot be 'comment'; allowed: "
        ),
        (
            #"{"profiles":[{"name":"a","options":{"thumbnail":["9x9","9"]}}]}"#,
            "1:56 /profiles/0/options/thumbnail/1: the option 'thumbnail' cannot be '9'"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"lenient":["none","nan"]}}]}"#,
            "1:47 /profiles/0/options/lenient: the option 'lenient' cannot be 'none,nan'"
        ),
        (#"{"profiles":[{"name":"a","extends":"b"}]}"#, "1:36 /profiles/0/extends: there is no profile 'b' to extend"),
        (
            #"{"profiles":[{"name":"a","extends":"defualt"}]}"#,
            "1:36 /profiles/0/extends: there is no profile 'defualt' to ext"
        ),
        (#"{"profiles":[{"name":"a","extends":"a"}]}"#, "1:36 /profiles/0/extends: the profile 'a' extends itself"),
        (#"{"profiles":[{"name":"a","rules":"none"}]}"#, "1:34 /profiles/0/rules: there is no set of rules 'none'"),
        (
            #"{"profiles":[{"name":"default","options":{"nulls":"keep"}}]}"#,
            "1:51 /profiles/0/options/nulls: the option 'nulls'"
        ),
        (
            #"{"profiles":[{"name":"default","rules":"afnetworking"}]}"#,
            "1:14 /profiles/0: the profile 'default' has other rules"
        ),
        (
            #"{"profiles":[{"name":"afnetworking","extends":"default"}]}"#,
            "1:47 /profiles/0/extends: the profile 'afnetworking'"
        ),
        (
            #"{"profiles":[{"name":"a","options":{"nulls":"keep"},"derived":{"nulls":"x"}}]}"#,
            "1:64 /profiles/0/derived/nulls: "
        ),
        (#"{"profiles":[[[[[[[[]]]]]]]]}"#, "1:20 /profiles/0/0/0/0/0/0"),
    ])
    func `an error has a location`(text: String, expected: String) {
        let problems = problems(text)
        #expect(problems.count == 1 && problems.first?.hasPrefix(expected) == true, "\(problems)")
    }

    @Test func `an unknown name is reported with its nearest match`() {
        let texts = [
            #"{"profiles":[{"name":"a","options":{"nul":1}}]}"#: "Did you mean 'nulls'?",
            #"{"profiles":[{"name":"a","options":{"nulls":"dropp"}}]}"#: "Did you mean 'drop'?",
            #"{"profiles":[{"name":"partner"},{"name":"a","extends":"partnr"}]}"#: "Did you mean 'partner'?",
        ]
        for (text, expected) in texts { #expect(problems(text).first?.contains(expected) == true, "\(problems(text))") }
    }

    @Test func `all errors are reported in the order of the file, up to 20`() {
        let text = #"""
            {"profiles":[{"name":"a","extends":"b","options":{"nulls":1,"key":2}},
            {"name":"c","options":{"fragments":"yes"}}]}
            """#
        #expect(problems(text).map { String($0.prefix(4)) } == ["1:36", "1:59", "1:61", "2:36"])
        let many = (0..<100).map { #"{"name":"p\#($0)","options":{"x":1}}"# }.joined(separator: ",")
        #expect(problems("{\"profiles\":[\(many)]}").count == 20)
        // The nearest names of those that are not reported are not searched for, which would take minutes.
        let names = (0..<200_000).map { #""option-\#($0)":1"# }.joined(separator: ",")
        #expect(problems(#"{"profiles":[{"name":"a","options":{\#(names)}}]}"#).count == 20)
    }

    @Test func `duplicates are rejected with both locations`() {
        func both(_ text: String) -> [Int?] {
            do throws(ConfigurationFileError) {
                _ = try read(text)
                return []
            } catch {
                return error.problems.flatMap { [$0.first?.column, $0.at.column] }
            }
        }
        #expect(both(#"{"profiles":[{"name":"a","options":{"nulls":"keep","nulls":"drop"}}]}"#) == [37, 52])
        #expect(both(#"{"profiles":[{"name":"a"},{"name":"a"}]}"#) == [14, 27])
        #expect(both(#"{"profiles":[{"name":"a","name":"b"}]}"#) == [15, 26])
    }

    @Test func `a cycle is one error, regardless of its length`() {
        let pair = #"{"profiles":[{"name":"a","extends":"b"},{"name":"b","extends":"a"}]}"#
        #expect(problems(pair) == ["1:63 /profiles/1/extends: the profile 'b' extends itself through 'a'"])
        let ring = (0..<10).map { #"{"name":"p\#($0)","extends":"p\#(($0 + 1) % 10)"}"# }.joined(separator: ",")
        #expect(problems("{\"profiles\":[\(ring)]}").count == 1)
    }

    /// The depth does not depend on the profile with which resolving begins.
    @Test(arguments: [false, true])
    func `at most 16 profiles extend each other`(reversed: Bool) {
        func chain(_ count: Int) -> String {
            let profiles = (0..<count).map {
                #"{"name":"p\#($0)","extends":"\#($0 == 0 ? "afnetworking" : "p\($0 - 1)")"}"#
            }
            return "{\"profiles\":[\((reversed ? profiles.reversed() : profiles).joined(separator: ","))]}"
        }
        #expect(problems(chain(16)) == [])
        #expect(problems(chain(17)).count == 1)
        #expect(problems(chain(17))[0].contains("more than 16 profiles extend each other"))
        #expect(problems(chain(256)).count <= 20)
    }

    @Test(arguments: [(0, true), (1, true), (128, true), (256, true), (257, false), (4_000, false)])
    func `there are at most 256 profiles`(count: Int, isAccepted: Bool) throws {
        let profiles = (0..<count).map { #"{"name":"profile-\#($0)"}"# }.joined(separator: ",")
        let text = "{\"profiles\":[\(profiles)]}"
        guard isAccepted else {
            #expect(
                problems(text).map { $0.hasSuffix("there are more than 256 profiles besides the built-in ones") } == [
                    true
                ]
            )
            return
        }
        let set = try read(text)
        #expect(set.profiles.count == count + BuiltInProfile.allCases.count)
        #expect(throws: Never.self) { try read(String(decoding: set.document.bytes, as: UTF8.self)) }
    }

    /// Otherwise a short file could make the response of `GET /v1/profiles` very long.
    @Test func `the length of a text is limited`() {
        let value = String(repeating: "x", count: ProfilesReader.maxValueBytes + 1)
        #expect(problems(#"{"profiles":[{"name":"a","summary":"\#(value)"}]}"#).count == 1)
    }

    // MARK: Files

    @Test func `the example for Kubernetes and the one of the documentation are valid`() throws {
        let text = try String(
            contentsOf: Contract.root.appending(path: "deploy/kubernetes/profiles.yaml"),
            encoding: .utf8
        )
        let file = try #require(text.split(separator: "  profiles.json: |\n").last)
        #expect(try read(String(file)).profiles.map(\.name).suffix(2) == ["partner", "partner-legacy"])
        let page = try String(contentsOf: Contract.root.appending(path: "docs/profiles.md"), encoding: .utf8)
        let document = try #require(page.split(separator: "<<'END'\n").dropFirst().first)
        let example = try #require(document.split(separator: "END\n").first)
        #expect(try read(String(example)).profiles == read(String(file)).profiles)
    }

    @Test func `only a regular file of limited size is read, without waiting`() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.url.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let large = try folder.write(String(repeating: " ", count: ProfilesReader.maxBytes + 1), to: "large.json")
        for (path, reason) in [
            (pipe, "not a regular file"), (folder.url.path, "Is a directory"), ("/dev/zero", "not a regular file"),
            (folder.url.path + "/none", "No such file or directory"), (large, "longer than 4194304 bytes"),
        ] {
            do {
                _ = try ProfileRegistry(path: path, limits: Limits())
                Issue.record("accepted \(path)")
            } catch {
                #expect(error.description.contains(reason), "\(error.description)")
            }
        }
    }

    // MARK: Reloading

    @Test func `an invalid file leaves the previous profiles in force`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"profiles":[{"name":"x","options":{"nulls":"keep"}}]}"#, to: "profiles.json")
        let profiles = try ProfileRegistry(path: path, limits: Limits())
        let first = profiles.set
        _ = try folder.write(#"{"profiles":["#, to: "profiles.json")
        #expect(throws: ConfigurationFileError.self) { try profiles.file?.reload() }
        #expect(profiles.set === first)
        #expect(profiles.file?.figures == ReloadFigures(succeeded: 0, failed: 1, isCurrent: false))
        _ = try folder.write(#"{"profiles":[{"name":"y"},{"name":"z"}]}"#, to: "profiles.json")
        #expect(try profiles.file?.reload() === profiles.set)
        #expect(profiles.set.profiles.map(\.name) == ["default", "afnetworking", "graphql", "y", "z"])
        #expect(profiles.file?.figures == ReloadFigures(succeeded: 1, failed: 1, isCurrent: true))
        // A request that uses the previous set keeps it.
        #expect(try first.profile(named: "x").serialization.nulls == .keep)
    }

    @Test func `without a file nothing is reloaded`() throws {
        let profiles = try ProfileRegistry(path: "", limits: Limits())
        #expect(profiles.file == nil)
    }
}

extension Document {
    fileprivate var bytes: [UInt8] { response().content.bytes }
}
