import Fetching
import Testing

@testable import Service

/// `decant sign`.
@Suite struct SignCommandTests {
    private static let url = "https://decant.example/v1/fetch?url=https%3A%2F%2Fa.example%2Fx"

    @Test func `prints the URL with its signature`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try folder.write(TokenFile.signingKeys, to: "keys")
        let byFlag = try DecantProcess.run("sign", Self.url, "--key-file", path)
        #expect(byFlag.status == 0 && byFlag.errors.isEmpty)
        let keys = try SigningKeys(parsing: TokenFile.signingKeys)
        let target = Self.url.dropFirst("https://decant.example".count)
        #expect(byFlag.output == "https://decant.example\(keys.sign(String(target)))\n")
        let environment = ["DECANT_FETCH_SIGNING_KEYS_FILE": path]
        #expect(try DecantProcess.run("sign", Self.url, environment: environment) == byFlag)
    }

    @Test func `adds the time of expiry`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try folder.write(TokenFile.signingKeys, to: "keys")
        let absolute = try DecantProcess.run("sign", Self.url, "--expires", "1800000000", "--key-file", path)
        #expect(absolute.output.contains("&expires=1800000000&signature="))
        let relative = try DecantProcess.run("sign", Self.url, "--expires", "+3600", "--key-file", path)
        let seconds = try #require(relative.output.firstMatch(of: /&expires=(\d+)&signature=/)).1
        let now = Int(WallClock.now / 1_000_000_000)
        #expect(try (now...now + 3_600).contains(#require(Int(seconds))))
    }

    @Test(arguments: [
        ([url], "there is no file of keys; give --key-file or DECANT_FETCH_SIGNING_KEYS_FILE."),
        ([url, "--key-file", "/nowhere"], "the signing keys: cannot open /nowhere"),
        ([url, "--key-file", "/dev/null"], "which is not a regular file"),
        (
            [url, "--expires", "tomorrow", "--key-file", "/nowhere"],
            "--expires is 'tomorrow'; it must be seconds since 1970"
        ),
        ([url, "--expires", "+", "--key-file", "/nowhere"], "it must be seconds since 1970"),
        (
            ["https://example.com/", "--key-file", "/nowhere"],
            "only URLs of GET /v1/fetch and GET /v1/image are signed"
        ),
    ])
    func `wrong usage is reported`(arguments: [String], message: String) throws {
        let result = try DecantProcess(["sign"] + arguments).finish()
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
