import Foundation
import Serialization
import Testing

@testable import Service

/// The file of tokens: what it may contain, and the locations of its errors.
@Suite struct TokensReaderTests {
    private func read(_ text: String) throws(ConfigurationFileError) -> TokenSet {
        try TokensReader.read(Array(text.utf8).span, path: "tokens.json")
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

    /// A file with one token, of which one member is replaced.
    private func file(_ members: [String: String]) -> String {
        var all = ["name": #""a""#, "sha256": "\"\(TokenFile.digest("x"))\"", "permissions": #"["fetch"]"#]
        all.merge(members) { $1 }
        let text = all.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map { "\"\($0.key)\":\($0.value)" }
        return "{\"tokens\":[{\(text.joined(separator: ","))}]}"
    }

    // MARK: What is accepted

    @Test(arguments: [#"{"tokens":[]}"#, "\u{FEFF}{\"tokens\" : [ ] }\n"])
    func `a file may have no token`(text: String) throws {
        let set = try read(text)
        #expect(set.tokens.isEmpty)
        #expect(set.token(of: "") == nil)
    }

    @Test func `a token has a name, permissions and a partition`() throws {
        let set = try read(TokenFile.text([TokenFile.web, TokenFile.prometheus]))
        let web = try #require(set.token(of: "web-secret"))
        #expect(
            web.name == "web" && web.permissions == [.init(.normalize), .init(.fetch)] && web.partition.text == "web"
        )
        let prometheus = try #require(set.token(of: "prometheus-secret"))
        #expect(prometheus.permissions == .init(.metrics) && prometheus.partition == .standard)
        for other in ["", "web", "web-secre", "web-secret ", "web-secret\n", "Web-secret"] {
            #expect(set.token(of: other) == nil)
        }
    }

    @Test func `a digest may be in capital letters`() throws {
        let text = file(["sha256": "\"\(TokenFile.digest("x").uppercased())\""])
        #expect(try read(text).token(of: "x")?.name == "a")
    }

    @Test func `each of the permissions has its name`() throws {
        for permission in Permission.allCases {
            let set = try read(file(["permissions": "[\"\(permission.rawValue)\"]"]))
            #expect(set.tokens.map(\.permissions) == [PermissionSet(permission)])
        }
        #expect(try read(file(["permissions": "[]"])).tokens.map(\.permissions) == [[]])
        #expect(Set(Permission.allCases.map { PermissionSet($0).rawValue }).count == Permission.allCases.count)
    }

    @Test(arguments: [1, 2, 128, TokensReader.maxTokens])
    func `every one of many tokens is found`(count: Int) throws {
        let set = try read(TokenFile.text((0..<count).map { .init(name: "t\($0)", text: "secret-\($0)") }))
        for index in Set([0, count / 2, count - 1]) {
            #expect(set.token(of: "secret-\(index)")?.name == "t\(index)")
        }
        #expect(set.token(of: "secret-\(count)") == nil)
    }

    @Test(arguments: 0..<256)
    func `a digest that differs in one bit is another one`(bit: Int) {
        let digest = TokenFile.words("x")
        var other = digest
        other[bit / 64] ^= 1 << UInt64(bit % 64)
        let token = AccessToken(name: "a", permissions: [])
        #expect(TokenSet([(token, other)]).token(of: "x") == nil)
        #expect(TokenSet([(token, other), (token, digest)]).token(of: "x") === token)
    }

    // MARK: What is rejected

    @Test(arguments: [
        ("[]", ["1:1 : expected an object, found an array"]),
        ("{}", ["1:1 : expected the member 'tokens', an array of tokens"]),
        (
            #"{"token":[]}"#,
            ["1:2 /token: there is no member 'token'. Did you mean 'tokens'?"]
        ),
        (#"{"tokens":{}}"#, ["1:11 /tokens: expected an array, found an object"]),
        (#"{"tokens":[1]}"#, ["1:12 /tokens/0: expected an object, found a number"]),
        (#"{"tokens":[{}]}"#, ["1:12 /tokens/0: the token has no 'name', 'sha256', 'permissions'"]),
        (
            #"{"tokens":[{"secret":"x"}]}"#,
            ["1:13 /tokens/0: there is no such member. Allowed: name, sha256, permissions, partition"]
        ),
    ])
    func `a document of another form is rejected`(text: String, expected: [String]) {
        #expect(problems(text) == expected)
    }

    private static let longName = String(repeating: "a", count: 129)

    @Test(arguments: [
        ("name", #""""#, "the name of a token has 1 to 128 characters (A-Z, a-z, 0-9, _ and -)"),
        ("name", #""a b""#, "the name of a token has 1 to 128 characters (A-Z, a-z, 0-9, _ and -)"),
        ("name", #""é""#, "the name of a token has 1 to 128 characters (A-Z, a-z, 0-9, _ and -)"),
        ("name", "\"\(longName)\"", "the name of a token has 1 to 128 characters (A-Z, a-z, 0-9, _ and -)"),
        ("name", "null", "expected a string, found null"),
        ("name", "", "the token has no 'name'"),
        ("partition", #""a/b""#, "a partition is empty or has 1 to 128 characters (A-Z, a-z, 0-9, _ and -)"),
        ("partition", "\"\(longName)\"", "a partition is empty or has 1 to 128 characters (A-Z, a-z, 0-9, _ and -)"),
        ("partition", "1", "expected a string, found a number"),
        ("permissions", #""fetch""#, "expected an array, found a string"),
        ("permissions", #"["fetsh"]"#, "there is no permission 'fetsh'. Did you mean 'fetch'?"),
        ("permissions", #"["Fetch"]"#, "there is no permission 'Fetch'. Did you mean 'fetch'?"),
        (
            "permissions", #"["write"]"#,
            "there is no such permission. Allowed: normalize, fetch, fetch-any-partition, purge, metrics"
        ),
        ("permissions", #"["fetch","fetch"]"#, "the permission 'fetch' is there twice"),
        ("permissions", "[1]", "expected a string, found a number"),
        ("permissions", "", "the token has no 'permissions'"),
        ("sha256", "", "the token has no 'sha256'"),
        (
            "sha256", "\"\(TokenFile.digest(""))\"",
            "this is the SHA-256 of an empty text, which cannot be a token"
        ),
        (
            "sha256", "\"\(TokenFile.digest("\n"))\"",
            "this is the SHA-256 of an empty line, which cannot be a token"
        ),
    ])
    func `an invalid member is rejected with its location`(member: String, value: String, message: String) throws {
        let problem = try #require(problems(file([member: value])).first)
        #expect(problem.hasSuffix(": \(message)"), "\(problem)")
        #expect(problem.contains(value.isEmpty ? " /tokens/0:" : " /tokens/0/\(member)"), "\(problem)")
    }

    @Test(arguments: [0, 1, 63, 65, 128])
    func `a digest of another length is rejected, and its text is not reported`(length: Int) throws {
        let problem = try #require(problems(file(["sha256": "\"\(String(repeating: "f", count: length))\""])).first)
        #expect(problem.contains("exactly 64 hexadecimal digits, and this text has \(length) bytes"))
        #expect(length < 3 || !problem.contains("fff"))
    }

    @Test(arguments: ["g", "G", " ", "é", "\\u0000", "+", "-"])
    func `a digest with another character is rejected`(character: String) {
        let text = file(["sha256": "\"\(String(repeating: "0", count: 63))\(character)\""])
        #expect(problems(text).first?.contains("exactly 64 hexadecimal digits") == true)
    }

    @Test func `equal names and equal digests are rejected with both locations`() {
        let text = """
            {"tokens":[
            {"name":"a","sha256":"\(TokenFile.digest("x"))","permissions":[]},
            {"name":"a","sha256":"\(TokenFile.digest("y"))","permissions":[]},
            {"name":"b","sha256":"\(TokenFile.digest("x").uppercased())","permissions":[]}]}
            """
        #expect(
            problems(text) == [
                "3:9 /tokens/1/name: another token has the same name (first 2:9)",
                "4:22 /tokens/2/sha256: another token has the same SHA-256 (first 2:22)",
            ]
        )
    }

    @Test func `a member that is there twice is rejected`() {
        let text = #"{"tokens":[{"name":"a","name":"b"}]}"#
        #expect(problems(text).count == 1)
        #expect(problems(text)[0].hasPrefix("1:24 "))
    }

    @Test func `more tokens than the maximum are rejected`() {
        let text = TokenFile.text((0...TokensReader.maxTokens).map { .init(name: "t\($0)", text: "secret-\($0)") })
        #expect(problems(text).count == 1)
        #expect(problems(text)[0].hasSuffix("/tokens/4096: there are more than 4096 tokens"))
    }

    /// Someone may write a token where it does not belong.
    @Test(arguments: [
        #"{"tokens":[{"name":"a","sha256":my-secret-token,"permissions":[]}]}"#,
        #"{"tokens":[{"name":"my-secret-token!","sha256":"0","permissions":[]}]}"#,
        #"{"tokens":[{"name":"a","sha256":"my-secret-token","permissions":[],"partition":"my-secret-token!"}]}"#,
        #"{"tokens":[{"my-secret-token":"0"}]}"#, #"{"my-secret-token":[],"tokens":[]}"#,
        #"{"tokens":[{"name":"a","sha256":"0","permissions":["my-secret-token"]}]}"#,
        #"my-secret-token"#, #""my-secret-token""#, #"{"tokens":[{"name":"my-secret-token"#,
    ])
    func `no error contains a text that may be a token`(text: String) {
        let problems = problems(text)
        #expect(!problems.isEmpty && !problems.contains { $0.contains("secret") }, "\(problems)")
    }
}
