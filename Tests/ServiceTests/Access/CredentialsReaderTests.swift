import Fetching
import Foundation
import Serialization
import Testing

@testable import Service

/// The file of credentials: what it may contain, and the locations of its errors.
@Suite struct CredentialsReaderTests {
    private func read(_ text: String) throws(ConfigurationFileError) -> OriginCredentials {
        try CredentialsReader.read(Array(text.utf8).span, path: "credentials.json")
    }

    /// The errors of a file as `line:column pointer: message`.
    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationFileError) {
            _ = try read(text)
            return []
        } catch {
            return error.problems.map { problem in
                let first = problem.first.map { " (first \($0.line ?? 0):\($0.column ?? 0))" } ?? ""
                return "\(problem.at.line ?? 0):\(problem.at.column ?? 0) \(problem.at.pointer ?? ""): "
                    + problem.message + first
            }
        }
    }

    /// A file with one entry.
    private func file(origins: String = #""https://a.example""#, fields: String = #""Authorization":"Bearer s""#)
        -> String
    {
        "{\"credentials\":[{\"origins\":[\(origins)],\"fields\":{\(fields)}}]}"
    }

    @Test func `fields are bound to origins`() throws {
        let credentials = try read(
            #"""
            {"credentials": [
              {"origins": ["https://A.example:443", "http://a.example:8080/"],
               "fields": {"Authorization": " Bearer s "}},
              {"fields": {"X-Api-Key": "k", "Cookie": "a=b"}, "origins": ["http://[::1]"]}
            ]}
            """#
        )
        func fields(_ url: String) throws -> [String] {
            credentials.fields(for: try FetchURL(parsing: url).origin).map { "\($0.name): \($0.value)" }
        }
        #expect(credentials.count == 3)
        #expect(try fields("https://a.example/x") == ["Authorization: Bearer s"])
        #expect(try fields("http://a.example:8080/x") == ["Authorization: Bearer s"])
        #expect(try fields("http://[::1]/") == ["X-Api-Key: k", "Cookie: a=b"])
        #expect(try fields("http://a.example/").isEmpty)
        #expect(try read(#"{"credentials":[]}"#).count == 0)
    }

    @Test(arguments: [
        ("a.example", "1:29 /credentials/0/origins/0: an origin is the URL of a scheme, a host and a port"),
        ("https://a.example/v1/", "an origin has no path, no query and no fragment"),
        ("https://a.example?x", "an origin has no path, no query and no fragment"),
        ("https://a.example#x", "an origin has no path, no query and no fragment"),
        ("https://u:p@a.example", "an origin is the URL of a scheme, a host and a port"),
        ("https://*.a.example", "an origin is the URL of a scheme, a host and a port"),
        ("ftp://a.example", "an origin is the URL of a scheme, a host and a port"),
        ("https://a.example:0", "an origin is the URL of a scheme, a host and a port"),
        ("*", "an origin is the URL of a scheme, a host and a port"),
    ])
    func `an origin is exact`(origin: String, expected: String) {
        let problems = problems(file(origins: "\"\(origin)\""))
        #expect(problems.count == 1 && problems[0].contains(expected), "\(problems)")
    }

    @Test(arguments: [
        (#""https://b.example","https://B.example:443""#, "the origin is listed before (first 1:29)"),
        (#""https://b.example",7"#, "expected a string, found a number"),
        ("", "the entry has no 'origins'"),
    ])
    func `an origin is listed once`(origins: String, expected: String) {
        let problems = problems(file(origins: origins))
        #expect(problems.count == 1 && problems[0].contains(expected), "\(problems)")
    }

    @Test(arguments: [
        (#""Host":"top-secret""#, "the field 'host' is not one that the service adds to requests"),
        (#""If-None-Match":"top-secret""#, "the field 'if-*' is not one that the service adds to requests"),
        (#""Bearer top-secret":"Authorization""#, "the name of the field is not a token"),
        (#""Authorization":"top-secret\u000A""#, "the value of the field has a control character at byte 10"),
        (#""Authorization":" ""#, "the value of the field is empty"),
        (#""Authorization":["top-secret"]"#, "the value of a field is a string"),
        (#""top-secret":7"#, "the value of a field is a string"),
        (#""X-Key":"top-secret","x_key":"a""#, "the entry has two fields of this name; '_' counts as '-'"),
        ("", "the entry has no 'fields'"),
    ])
    func `an error in a field has its location, and neither its name nor its value`(fields: String, expected: String) {
        let problems = problems(file(fields: fields))
        #expect(problems.count == 1 && problems[0].hasSuffix(expected), "\(problems)")
        #expect(!problems[0].contains("top-secret"))
        #expect(problems[0].contains(fields.isEmpty ? "/credentials/0:" : "/credentials/0/fields:"), "\(problems)")
    }

    @Test func `all errors of a file are reported, and malformed JSON without its text`() {
        let all = problems(
            "{\"credentials\":[\n{\"origin\":1,\"origins\":[\"x\"]},\n{\"fields\":{\"Host\":\"a\"}}\n],\"other\":1}"
        )
        #expect(all.count == 4, "\(all)")
        #expect(all[0] == "2:2 /credentials/0/origin: there is no member 'origin'. Did you mean 'origins'?")
        let malformed = problems(#"{"credentials":[{"fields":{"a":"top-secret"top-secret}}]}"#)
        #expect(malformed.count == 1 && !malformed[0].contains("top"), "\(malformed)")
        #expect(problems("{}") == ["1:1 : expected the member 'credentials', an array"])
    }

    /// Someone may have written the value of a field in place of its name.
    @Test(arguments: [
        (
            #"{"credentials":[{"fields":{"top-secret":"a","top-secret":"b"}}]}"#,
            "1:45 : a member is repeated (first 1:28)"
        ),
        (#"{"credentials":[{"fields":{"top-secret":{"a":x}}}]}"#, "1:46 : "),
        (#"{"credentials":[{"fields":{"top-secret":"a\x"}}]}"#, "1:43 : "),
        (
            #"{"credentials":[{"top-secret":"a"}]}"#,
            "1:18 /credentials/0: there is no such member. Allowed: origins, fields"
        ),
        (#"{"top-secret":"a","credentials":[]}"#, "1:2 : there is no such member. Allowed: credentials"),
    ])
    func `no error contains the name of a member that may be a secret`(text: String, expected: String) {
        let problems = problems(text)
        #expect(problems.count == 1 && problems[0].hasPrefix(expected), "\(problems)")
        #expect(!problems[0].contains("top") && !problems[0].contains("secret"))
    }

    @Test func `there is a maximum number of origins`() throws {
        func file(_ count: Int) -> String {
            self.file(origins: (0..<count).map { "\"http://h\($0).example\"" }.joined(separator: ","))
        }
        #expect(try read(file(CredentialsReader.maxOrigins)).count == CredentialsReader.maxOrigins)
        let problems = problems(file(CredentialsReader.maxOrigins + 1))
        #expect(problems.count == 1 && problems[0].hasSuffix("there are more than 4096 origins"), "\(problems)")
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true)])
    func `a file that every user can read is detected`(mode: Int, expected: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(file(), to: "credentials.json")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let read = try CredentialsReader.read(path: path)
        #expect(read.isReadableByOthers == expected && read.credentials.count == 1)
    }
}
