import Glibc
import Platform
import Testing

@testable import HTTP
@testable import Service

/// Profiles of a file in a running service, and on the command line.
@Suite struct ReloadTests {
    private static let valid = [
        #"{"profiles":[{"name":"custom","options":{"nulls":"keep"}}]}"#,
        #"{"profiles":[{"name":"custom","options":{"nulls":"drop"}}]}"#,
    ]

    private func normalize(_ client: RawClient) throws -> ReceivedResponse {
        let content = #"{"a":null,"b":1}"#
        client.send(
            "POST /v1/normalize/value?profile=custom HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(content.utf8.count)\r\n\r\n" + content
        )
        return try client.readResponse()
    }

    private func reloads(_ client: RawClient) throws -> (succeeded: Int, failed: Int, isCurrent: Bool) {
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = try client.readResponse().text
        func value(_ name: String) -> Int {
            text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
                .flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
        }
        return (
            value(#"decant_profile_reloads_total{result="succeeded"}"#),
            value(#"decant_profile_reloads_total{result="failed"}"#), value("decant_profiles_current") == 1
        )
    }

    @Test func `SIGHUP reloads the profiles while requests are served`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.valid[0], to: "profiles.json")
        let (service, address) = try DecantProcess.serving("--workers", "0", "--profiles", path)
        let client = try RawClient(port: address.port)
        #expect(try normalize(client).text == #"{"a":null,"b":1}"#)

        var succeeded = 0
        var failed = 0
        for round in 1...6 {
            let isValid = round % 3 != 0
            _ = try folder.write(
                isValid ? Self.valid[round % 2] : #"{"profiles":[{"name":"custom"},"#,
                to: "profiles.json"
            )
            service.signal(SIGHUP)
            if isValid { succeeded += 1 } else { failed += 1 }
            // Requests continue until the file is loaded. Each response is that of one of the two versions.
            let isLoaded = try eventually {
                let response = try normalize(client)
                #expect(response.status == 200)
                #expect([#"{"a":null,"b":1}"#, #"{"b":1}"#].contains(response.text))
                let counts = try reloads(client)
                return (counts.succeeded, counts.failed, counts.isCurrent) == (succeeded, failed, isValid)
            }
            #expect(isLoaded, "round \(round)")
            if isValid {
                #expect(try normalize(client).text == (round % 2 == 0 ? #"{"a":null,"b":1}"# : #"{"b":1}"#))
            }
        }
        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains(#""message":"the profiles are reloaded","profiles":1"#), "\(result.errors)")
        let failure =
            #""message":"the profiles are not reloaded; the previous ones stay in force","column":32,"file":""#
        #expect(result.errors.contains(failure + path), "\(result.errors)")
    }

    @Test func `a service does not start with an invalid file, and reports the location`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{\"profiles\":[{\"name\":\"a\",\n\"options\":{\"nul\":1}}]}", to: "profiles.json")
        let result = try DecantProcess.run("serve", "--port", "0", environment: ["DECANT_PROFILES": path])
        #expect(
            result
                == .init(
                    status: 2,
                    output: "",
                    errors: "Error: \(path), line 2, column 12 (/profiles/0/options/nul): there is no option 'nul'. "
                        + "Did you mean 'nulls'?\n"
                )
        )
    }

    @Test func `a command finds the profiles of the file`() throws {
        let folder = try TemporaryFolder()
        let environment = ["DECANT_PROFILES": try folder.write(Self.valid[0], to: "profiles.json")]
        let arguments = ["normalize", "--view", "value", "--type", "application/json", "--profile"]
        func run(_ profile: String, _ environment: [String: String]) throws -> DecantProcess.Result {
            try DecantProcess(arguments + [profile], environment: environment, input: #"{"a":null}"#).finish()
        }
        #expect(try run("custom", environment).output.filter { !$0.isWhitespace } == #"{"a":null}"#)
        #expect(try run("custom", [:]).status == 2)
        #expect(try run("default", ["DECANT_PROFILES": "/nowhere"]).status == 2)
        let without = ["normalize", "--type", "application/json"]
        let result = try DecantProcess(without, environment: ["DECANT_PROFILES": "/nowhere"], input: "{}").finish()
        #expect(result.status == 0)
    }

    // MARK: Tokens

    private func status(_ client: RawClient, token: String) throws -> Int {
        client.send(
            "POST /v1/normalize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(token)\r\nContent-Length: 2\r\n\r\n{}"
        )
        return try client.readResponse().status
    }

    @Test func `SIGHUP revokes tokens on open connections, and an invalid file leaves the previous ones in force`()
        throws
    {
        let folder = try TemporaryFolder()
        let both = TokenFile.text([TokenFile.web, TokenFile.admin])
        let path = try folder.write(both, to: "tokens.json")
        let keys = try folder.write(TokenFile.signingKeys, to: "keys")
        let (service, address) = try DecantProcess.serving(
            "--workers",
            "0",
            "--tokens-file",
            path,
            "--fetch-signing-keys-file",
            keys
        )
        let client = try RawClient(port: address.port)
        #expect(try status(client, token: "web-secret") == 200)

        _ = try folder.write(TokenFile.text([TokenFile.admin]), to: "tokens.json")
        service.signal(SIGHUP)
        // Requests go on until the file is loaded.
        #expect(try eventually { try status(client, token: "web-secret") == 401 })
        #expect(try status(client, token: "admin-secret") == 200)

        _ = try folder.write(#"{"tokens":[{"name":"a","#, to: "tokens.json")
        service.signal(SIGHUP)
        func metrics() throws -> String {
            client.send("GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin-secret\r\n\r\n")
            return try client.readResponse().text
        }
        #expect(try eventually { try metrics().contains("\ndecant_tokens_current 0\n") })
        #expect(try status(client, token: "admin-secret") == 200)
        #expect(try status(client, token: "web-secret") == 401)
        let text = try metrics()
        #expect(text.contains(#"decant_token_reloads_total{result="succeeded"} 1"#))
        #expect(text.contains(#"decant_token_reloads_total{result="failed"} 1"#))
        #expect(text.contains(#"decant_signing_key_reloads_total{result="succeeded"} 2"#))
        #expect(text.contains("\ndecant_signing_keys_current 1\n"))

        service.signal(SIGTERM)
        let result = try service.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains(#""message":"the tokens are reloaded","tokens":1"#), "\(result.errors)")
        #expect(result.errors.contains(#""message":"the signing keys are reloaded","keys":2"#), "\(result.errors)")
        #expect(result.errors.contains(#""message":"the tokens are not reloaded; the previous ones stay in force""#))
        #expect(result.errors.contains(#""endpoint":"normalize","token":"web","status":200"#))
        #expect(!result.errors.contains("-secret"))
    }

    @Test func `a service does not start with an invalid file of tokens or keys, and reports the location`() throws {
        let folder = try TemporaryFolder()
        let tokens = try folder.write("{\"tokens\":[\n{\"nam\":\"a\"}]}", to: "tokens.json")
        let keys = try folder.write("\nab\n", to: "keys")
        let byTokens = try DecantProcess.run("serve", "--port", "0", environment: ["DECANT_TOKENS_FILE": tokens])
        #expect(byTokens.status == 2)
        #expect(
            byTokens.errors
                == "Error: \(tokens), line 2, column 2 (/tokens/0/nam): there is no member 'nam'. Did you mean "
                + "'name'?\n"
        )
        let byKeys = try DecantProcess.run("serve", "--port", "0", "--fetch-signing-keys-file", keys)
        #expect(byKeys.status == 2)
        #expect(byKeys.errors == "Error: \(keys), line 2, column 1: the key has 1 bytes; at least 32 are required\n")
        let missing = try DecantProcess.run("serve", "--port", "0", "--tokens-file", "/nowhere")
        #expect(missing.status == 2 && missing.errors.hasPrefix("Error: the tokens: cannot open /nowhere"))
    }
}
