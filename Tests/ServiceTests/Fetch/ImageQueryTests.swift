import Fetching
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// The parameters and the settings of `GET /v1/image`.
@Suite struct ImageQueryTests {
    private func query(_ text: String) throws -> ImageQuery {
        try ImageQuery(QueryString.pairs(parsing: text))
    }

    @Test func `other parameters are left to the options`() throws {
        let query = try query("thumbnail=1x1&fallback=00fF10&type=image/png&fallback-status=200")
        #expect(query.options.map(\.name) == ["thumbnail", "type"])
        #expect(query.fallback?.color == RGBA(red: 0, green: 255, blue: 16))
        #expect(query.fallback?.conditions == .all && query.fallback?.status == 200)
        #expect(try self.query("thumbnail=1x1").fallback == nil)
        #expect(try self.query("fallback=transparent").fallback?.color.alpha == 0)
    }

    @Test(arguments: [
        "fallback=", "fallback=ccc", "fallback=%23cccccc", "fallback=cccccccc", "fallback=gggggg",
        "fallback=Transparent",
        "fallback=red", "fallback=c%C3%A9cccc", "fallback=%23ccccc", "fallback=cccccc&fallback=cccccc",
        "fallback=cccccc&fallback-on=", "fallback=cccccc&fallback-on=404,", "fallback=cccccc&fallback-on=6xx",
        "fallback=cccccc&fallback-on=xx", "fallback=cccccc&fallback-on=99", "fallback=cccccc&fallback-on=600",
        "fallback=cccccc&fallback-on=Fetch", "fallback=cccccc&fallback-on=%2B404",
        "fallback=cccccc&fallback-on=\u{664}xx",
        "fallback=cccccc&fallback-status=204", "fallback=cccccc&fallback-status=302",
        "fallback=cccccc&fallback-status=600", "fallback=cccccc&fallback-status=0200",
        "fallback-on=404", "fallback-status=200",
    ])
    func `invalid parameters are rejected`(text: String) {
        #expect(throws: FetchCallError.self) { try query(text) }
    }

    @Test func `the nearest parameter is proposed`() {
        for (name, nearest) in [("falback", "fallback"), ("cachekey", "cache-key"), ("thumbnial", "thumbnail")] {
            do throws(FetchCallError) {
                _ = try ImageQuery([(name: name, value: "")])
                Issue.record("\(name) is no parameter")
            } catch {
                #expect(Problem(error).hint == "Did you mean '\(nearest)'?")
            }
        }
    }

    @Test(arguments: [
        ("404", [404: true, 403: false, 500: false], false),
        ("5xx", [500: true, 599: true, 499: false, 600: false], false),
        ("fetch", [200: false, 500: false], true), ("2xx,fetch", [200: true, 404: false], true),
        ("404,404,410", [404: true, 410: true], false),
    ])
    func `conditions are statuses, classes and failures of the fetch`(
        text: String,
        statuses: [Int: Bool],
        fetch: Bool
    ) throws {
        let conditions = try #require(FallbackConditions(parsing: text))
        for (status, isContained) in statuses { #expect(conditions.contain(upstreamStatus: status) == isContained) }
        #expect(conditions.contain(upstreamStatus: nil) == fetch)
    }

    @Test func `all problems are the default`() {
        for status in [nil, 100, 200, 404, 999] as [Int?] {
            #expect(FallbackConditions.all.contain(upstreamStatus: status))
        }
    }

    @Test func `thumbnails are compared with all of their parts, except for a format that is not listed`() throws {
        let text = "64x64,256x128,fit=cover,background=ff0000ff,8x8,format=webp"
        let sizes = try #require(ImageSizes(parsing: text))
        func contains(_ text: String) throws -> Bool {
            sizes.contain(try ThumbnailRequest(parsing: text))
        }
        #expect(try contains("64x64") && contains("64x64,format=webp") && contains("64x64,quality=80,fit=inside"))
        #expect(try contains("256x128,background=ff0000,fit=cover") && contains("8x8,format=webp"))
        for other in [
            "128x256", "64x65", "64x64,fit=cover", "64x64,quality=79", "64x64,enlarge=true", "64x64,background=000000",
            "256x128", "256x128,fit=cover", "256x128,fit=cover,background=ff0001", "8x8", "8x8,format=png",
        ] { #expect(try !contains(other), "\(other)") }
        #expect(try ImageSizes().contain(ThumbnailRequest(parsing: "1x99999")))
        #expect(sizes.texts == ["64x64", "256x128,fit=cover,background=ff0000ff", "8x8,format=webp"])
        #expect(ImageSizes(parsing: "") == ImageSizes())
    }

    @Test(arguments: [
        ",", "64x64,", "64", "0x1", "64x64,fit=x", "fit=cover", "fit=cover,64x64", "64x64,,fit=cover", "16385x1",
        "64X64", " 64x64", "none", "-1x1",
    ])
    func `invalid lists of sizes are rejected`(text: String) {
        #expect(ImageSizes(parsing: text) == nil)
    }

    private func fields(_ setting: String, origins: [String]) throws -> [String: String] {
        let fields = HeaderFields(origins.map { HeaderFields.Field(name: "origin", value: $0) })
        let added = try #require(CORSOrigins(parsing: setting)).fields(for: RequestFields(fields))
        return Dictionary(uniqueKeysWithValues: added.map { ($0.name, $0.value) })
    }

    @Test func `an origin in the list may read the response, and caches are told what it depends on`() throws {
        let list = "https://a.example,http://localhost:3000,capacitor://localhost"
        for origin in list.split(separator: ",").map(String.init) {
            let fields = try fields(list, origins: [origin])
            #expect(fields["Access-Control-Allow-Origin"] == origin && fields["Vary"] == "Origin")
            #expect(fields["Access-Control-Expose-Headers"]?.contains("Decant-Fallback") == true)
        }
        for origins in [
            [], ["https://b.example"], ["https://a.example", "https://a.example"], ["null"], ["https://a.example "],
            ["https://a.example.evil.example"], ["HTTPS://a.example"], ["*"],
        ] {
            #expect(try fields(list, origins: origins) == ["Vary": "Origin"])
        }
        #expect(try fields("", origins: ["https://a.example"]).isEmpty)
        #expect(try fields("*", origins: [])["Access-Control-Allow-Origin"] == "*")
        #expect(try fields("*", origins: ["https://b.example"])["Vary"] == nil)
    }

    @Test(arguments: [
        ",", "null", "a.example", "https://", "https://a.example/", "https://A.example", "https://a.example,",
        "https:a",
        "https://a.example,*", "https://a b", "https://me@a.example", "://a", "https://a.example\r\nX: 1", "1a://b",
    ])
    func `invalid lists of origins are rejected`(text: String) {
        #expect(CORSOrigins(parsing: text) == nil)
    }

    @Test func `an origin has at most 512 bytes, and a list any number`() {
        let longest = "https://" + String(repeating: "a", count: CORSOrigins.maxOriginBytes - 8)
        #expect(CORSOrigins(parsing: "\(longest),https://a.example,\(longest)") != nil)
        #expect(CORSOrigins(parsing: "https://a.example,\(longest)a") == nil)
    }
}
