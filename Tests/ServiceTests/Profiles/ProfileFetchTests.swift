import Fetching
import Flights
import Foundation
import Origin
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// The options of a fetch in profiles: the file, and the requests to which they apply.
@Suite struct ProfileFetchTests {
    private func read(
        _ text: String,
        _ bounds: FetchPreferences.Bounds = FetchPreferences.Bounds()
    ) throws(ConfigurationFileError) -> ProfileSet {
        try ProfilesReader.read(Array(text.utf8).span, path: "profiles.json", limits: Limits(), fetch: bounds)
    }

    private func fetch(_ text: String, _ name: String = "a") throws -> FetchPreferences {
        try read(text).profile(named: name).fetch
    }

    /// The errors of a file as `line:column pointer: message`.
    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationFileError) {
            _ = try read(text)
            return []
        } catch {
            return error.problems.map { problem in
                "\(problem.at.line ?? 0):\(problem.at.column ?? 0) \(problem.at.pointer ?? ""): \(problem.message)"
            }
        }
    }

    private func field(_ name: String, _ value: String) -> HeaderFields.Field {
        HeaderFields.Field(name: name, value: value)
    }

    // MARK: The file

    @Test func `a profile sets any option of a fetch`() throws {
        let own = try fetch(
            """
            {"profiles":[{"name":"a","fetch":{"headers":{"Accept-Language":"en","x-a":["1"," 2 "]},"cache":"no-store",
              "store":false,"redirects":"manual","timeoutSeconds":60,"retries":0,"waitSeconds":86400}}]}
            """
        )
        #expect(
            own
                == FetchPreferences(
                    fields: [field("Accept-Language", "en"), field("x-a", "1"), field("x-a", "2")],
                    cache: .noStore,
                    store: false,
                    redirects: .manual,
                    timeoutSeconds: 60,
                    retries: 0,
                    waitSeconds: 86_400
                )
        )
        #expect(try fetch(#"{"profiles":[{"name":"a","fetch":{"headers":[["a","1"],["a","2"]]}}]}"#).fields.count == 2)
        #expect(try fetch(#"{"profiles":[{"name":"a","fetch":{}}]}"#).isEmpty)
    }

    @Test func `the options of a fetch are inherited, and fields are replaced by name`() throws {
        let file = """
            {"profiles":[{"name":"c","extends":"b","fetch":{"cache":"default","headers":{"x-c":"3","x-removed":[]}}},
            {"name":"b","extends":"a","fetch":{"headers":{"X-A":"2"},"retries":1}},
            {"name":"a","extends":"afnetworking","fetch":{"headers":{"x-a":["0","1"],"x-removed":"1"},\
            "timeoutSeconds":9}}]}
            """
        #expect(
            try fetch(file, "b")
                == FetchPreferences(
                    fields: [field("x-removed", "1"), field("X-A", "2")],
                    cache: .forceCache,
                    timeoutSeconds: 9,
                    retries: 1
                )
        )
        #expect(
            try fetch(file, "c")
                == FetchPreferences(
                    fields: [field("X-A", "2"), field("x-c", "3")],
                    cache: .default,
                    timeoutSeconds: 9,
                    retries: 1
                )
        )
    }

    @Test func `the listed profiles contain their options of a fetch, and can be loaded again`() throws {
        let set = try read(
            #"{"profiles":[{"name":"a","extends":"afnetworking","fetch":{"headers":{"x":"1"},"store":true}}]}"#
        )
        let document = String(decoding: set.document.response().content.bytes, as: UTF8.self)
        #expect(document.contains(#""fetch":{"cache":"force-cache"}}"#))
        #expect(document.contains(#""fetch":{"headers":[["x","1"]],"cache":"force-cache","store":true}}"#))
        #expect(try read(document).profiles.map(\.fetch) == set.profiles.map(\.fetch))
        // A list that was saved by a version without these options is accepted too.
        #expect(throws: Never.self) { try read(document.replacing(#","fetch":{"cache":"force-cache"}}"#, with: "}")) }
    }

    @Test(arguments: [
        (#"[]"#, "1:34 /profiles/0/fetch: expected an object, found an array"),
        (#"{"header":{}}"#, "1:35 /profiles/0/fetch/header: there is no member 'header'. Did you mean 'headers'?"),
        (
            #"{"url":"http://a.example/"}"#,
            "1:35 /profiles/0/fetch/url: there is no member 'url'. Allowed: headers, cache,"
        ),
        (#"{"receipt":"r"}"#, "1:35 /profiles/0/fetch/receipt: there is no member 'receipt'."),
        (#"{"cache":"force"}"#, "1:43 /profiles/0/fetch/cache: there is no mode of the cache 'force'."),
        (#"{"cache":1}"#, "1:43 /profiles/0/fetch/cache: expected a string, found a number"),
        (#"{"redirects":"no"}"#, "1:47 /profiles/0/fetch/redirects: there is no mode of redirects 'no'."),
        (#"{"store":"true"}"#, "1:43 /profiles/0/fetch/store: expected true or false, found"),
        (
            #"{"timeoutSeconds":0}"#,
            "1:52 /profiles/0/fetch/timeoutSeconds: the value cannot be 0; allowed: 1 to 60, bec"
        ),
        (#"{"timeoutSeconds":61}"#, "1:52 /profiles/0/fetch/timeoutSeconds: the value cannot be 61; allowed: 1 to 60"),
        (#"{"timeoutSeconds":1.5}"#, "1:52 /profiles/0/fetch/timeoutSeconds: the value cannot be 1.5"),
        (
            #"{"retries":3}"#,
            "1:45 /profiles/0/fetch/retries: the value cannot be 3; allowed: 0 to 2, because a profile"
        ),
        (#"{"retries":-1}"#, "1:45 /profiles/0/fetch/retries: the value cannot be -1"),
        (
            #"{"waitSeconds":86401}"#,
            "1:49 /profiles/0/fetch/waitSeconds: the value cannot be 86401; allowed: 0 to 86400"
        ),
        (#"{"waitSeconds":99999999999999999999}"#, "1:49 /profiles/0/fetch/waitSeconds: the value cannot be 9999"),
        (
            #"{"headers":"a"}"#,
            "1:45 /profiles/0/fetch/headers: expected an array of pairs or an object, found a string"
        ),
        (#"{"headers":[1]}"#, "1:46 /profiles/0/fetch/headers/0: expected an array, found a number"),
        (#"{"headers":[["a"]]}"#, "1:46 /profiles/0/fetch/headers/0: expected a pair of name and value"),
        (#"{"headers":[["a","b","c"]]}"#, "1:46 /profiles/0/fetch/headers/0: expected a pair of name and value"),
        (#"{"headers":[["a",1]]}"#, "1:51 /profiles/0/fetch/headers/0/1: expected a string, found a number"),
        (#"{"headers":{"a":1}}"#, "1:50 /profiles/0/fetch/headers/a: expected a string or an array of strings, found"),
        (#"{"headers":{"a":[1]}}"#, "1:51 /profiles/0/fetch/headers/a/0: expected a string, found a number"),
        (#"{"headers":{"a b":"c"}}"#, "1:46 /profiles/0/fetch/headers/a b: the name of a field is not a token"),
        (#"{"headers":{"Host":"b"}}"#, "1:46 /profiles/0/fetch/headers/Host: requests may not have the field 'host'"),
        (#"{"headers":{"Host":[]}}"#, "1:46 /profiles/0/fetch/headers/Host: requests may not have the field 'host'"),
        (
            #"{"headers":[["X_Forwarded_For","b"]]}"#,
            "1:47 /profiles/0/fetch/headers/0/0: requests may not have the field"
        ),
        (#"{"headers":{"Authorization":"b"}}"#, "1:46 /profiles/0/fetch/headers/Authorization: the field 'Authorizati"),
        (#"{"headers":{"a":"b\u0007"}}"#, "1:50 /profiles/0/fetch/headers/a: the text contains a control character"),
    ])
    func `an error has a location`(value: String, expected: String) {
        let problems = problems(#"{"profiles":[{"name":"a","fetch":\#(value)}]}"#)
        #expect(problems.count == 1 && problems.first?.hasPrefix(expected) == true, "\(problems)")
    }

    @Test func `the fields of a profile are limited with the inherited ones`() {
        let value = String(repeating: "x", count: ProfilesReader.maxValueBytes - 8)
        func profile(_ name: String, _ base: String, _ count: Int) -> String {
            let fields = (0..<count).map { #"["\#(name)-\#($0)","\#(value)"]"# }.joined(separator: ",")
            return #"{"name":"\#(name)","extends":"\#(base)","fetch":{"headers":[\#(fields)]}}"#
        }
        #expect(problems("{\"profiles\":[\(profile("a", "default", 16))]}") == [])
        let both = problems("{\"profiles\":[\(profile("a", "default", 10)),\(profile("b", "a", 10))]}")
        #expect(both.count == 1 && both[0].contains("/profiles/1/fetch/headers: the fields are"), "\(both)")
    }

    @Test func `a built-in profile cannot be changed`() {
        let changed = problems(#"{"profiles":[{"name":"afnetworking","fetch":{"cache":"reload","retries":1}}]}"#)
        #expect(
            changed.map { String($0.prefix(32)) } == [
                "1:54 /profiles/0/fetch/cache: th", "1:73 /profiles/0/fetch/retries: ",
            ]
        )
        #expect(problems(#"{"profiles":[{"name":"afnetworking","fetch":{"cache":"force-cache"}}]}"#) == [])
    }

    // MARK: Requests

    private static let file = """
        {"profiles":[{"name":"partner","options":{"nulls":"keep"},"fetch":{
          "headers":{"Accept-Language":"en","accept":"text/x-json","x-region":"eu"},"cache":"reload","store":false,
          "redirects":"error","timeoutSeconds":7,"retries":1,"waitSeconds":3}}]}
        """

    private func callerRequest(_ call: FetchCall, _ pairs: [QueryString.Pair] = []) throws -> CallerRequest {
        let folder = try TemporaryFolder()
        let profiles = try ProfileRegistry(path: folder.write(Self.file, to: "profiles.json"), limits: Limits())
        var settings = FlightSettings()
        settings.policy = FetchPolicy.testing(allow: try HostRules(parsing: "*"))
        return try FetchRules(settings, settings.policy, .none).callerRequest(
            call,
            pairs,
            ConfiguredSerializer(limits: Limits(), profiles: profiles),
            .unrestricted,
            isMember: true,
            requestID: .given("")
        )
    }

    private func call(_ profile: String?, _ change: (inout FetchCall) -> Void = { _ in }) -> FetchCall {
        var call = FetchCall()
        call.url = "http://a.example/"
        call.options = profile.map { [FetchCall.Option(name: "profile", value: $0)] } ?? []
        change(&call)
        return call
    }

    @Test func `a request takes the options of its profile`() throws {
        for callerRequest in [
            try callerRequest(call("partner")), try callerRequest(call(nil), [("profile", "partner")]),
        ] {
            #expect(callerRequest.serializer.options.nulls == .keep)
            #expect(
                callerRequest.request.fields == [
                    field("Accept-Language", "en"), field("accept", "text/x-json"), field("x-region", "eu"),
                ]
            )
            #expect(
                callerRequest.cache == .reload && !callerRequest.permitsStoring && callerRequest.redirects == .error
            )
            #expect(callerRequest.timeout == .seconds(7) && callerRequest.lowersTimeout && callerRequest.retries == 1)
            #expect(callerRequest.wait == nil && callerRequest.waitByDefault == .seconds(3))
        }
        let plain = try callerRequest(call(nil))
        #expect(plain.cache == .default && plain.permitsStoring && plain.redirects == .follow)
        #expect(plain.timeout == .seconds(60) && !plain.lowersTimeout && plain.retries == 2)
        #expect(plain.waitByDefault == nil)
        #expect(try callerRequest(call("afnetworking")).cache == .forceCache)
    }

    @Test func `a request overrides its profile`() throws {
        let callerRequest = try callerRequest(
            call("partner") { call in
                call.preferences.fields = [
                    field("accept-language", "de"), field("Accept", "a/b"), field("X-Region", ""),
                ]
                call.preferences.cache = .default
                call.preferences.store = true
                call.preferences.redirects = .follow
                call.preferences.timeoutSeconds = 60
                call.preferences.retries = 2
                call.preferences.waitSeconds = 0
            }
        )
        #expect(
            callerRequest.request.fields == [
                field("accept-language", "de"), field("Accept", "a/b"), field("X-Region", ""),
            ]
        )
        #expect(callerRequest.cache == .default && callerRequest.permitsStoring && callerRequest.redirects == .follow)
        #expect(callerRequest.timeout == .seconds(60) && callerRequest.retries == 2 && callerRequest.wait == .zero)
        #expect(try self.callerRequest(call("afnetworking") { $0.preferences.cache = .reload }).cache == .reload)
    }

    @Test func `a service applies the profile to the request and to the response`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            {"profiles":[{"name":"slow","options":{"serializer":"http"},
              "fetch":{"headers":{"x-region":"eu"},"waitSeconds":0,"redirects":"error"}}]}
            """,
            to: "profiles.json"
        )
        let profiles = try ProfileRegistry(path: path, limits: Limits())
        let origin = try Origin()
        let fetch = try FetchServer(for: origin, profiles: profiles)
        let target = "/v1/fetch?url=\(Script.argument(origin.url("/hold/gate/json/64")))&profile=slow"
        let waiting = try fetch.send("GET", target)
        #expect(waiting.status == 202, "\(waiting.text)")
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(String(decoding: origin.recordedRequests[0].head, as: UTF8.self).contains("x-region: eu\r\n"))
        origin.release("gate")
        let result = try fetch.send("GET", target + "&wait=60")
        #expect(result.status == 200 && result.text.contains(#""serializer":"http""#), "\(result.text)")
        let redirect = origin.url("/redirect/302/\(Script.argument(origin.url("/json/64")))")
        func post(_ members: String) throws -> Int {
            try fetch.post(#"{"url":"\#(redirect)","options":{"profile":"slow"},"waitSeconds":60\#(members)}"#).status
        }
        #expect(try post("") == 502)
        #expect(try post(#","redirects":"follow""#) == 200)
        // The profile's wait applies only if the client does not prefer another one.
        let other = "/v1/fetch?url=\(Script.argument(origin.url("/json/65")))&profile=slow"
        #expect(try fetch.send("GET", other, fields: "Prefer: respond-async, wait=60\r\n").status == 200)
    }

    @Test func `the command line applies the profile`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"{"profiles":[{"name":"x","fetch":{"headers":{"x-region":"eu"},"waitSeconds":0}}]}"#,
            to: "profiles.json"
        )
        let origin = try Origin()
        func run(_ arguments: String...) throws -> DecantProcess.Result {
            try DecantProcess(
                ["fetch", "--fetch-allow-addresses", "127.0.0.1/32", "--profile", "x", origin.url("/json/64")]
                    + arguments,
                environment: ["DECANT_PROFILES": path, "DECANT_ALLOW_UNSANDBOXED": "true"]
            ).finish()
        }
        let result = try run()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try run("--header", "X-Region: us").status == 0)
        let heads = origin.recordedRequests.map { String(decoding: $0.head, as: UTF8.self) }
        #expect(heads.count == 2)
        #expect(heads[0].contains("x-region: eu\r\n"))
        #expect(heads[1].contains("X-Region: us\r\n") && !heads[1].contains("eu"))
    }
}
