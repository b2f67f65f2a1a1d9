import Serialization
import Testing

@testable import Service

@Suite struct NearestNameTests {
    @Test(
        arguments: [
            ("null", "nulls"), ("serialiser", "serializer"), ("acept-types", "accept-types"),
            ("acceptTypes", "accept-types"),
            ("VIEW", "view"), ("veiw", "view"), ("xml-array", "xml-arrays"), ("max-nesting", "max-nesting-depth"),
            ("foo", nil), ("", nil), (String(repeating: "x", count: 1000), nil),
        ] as [(String, String?)]
    )
    func `finds the intended name`(text: String, name: String?) {
        #expect(NearestName.nearest(to: text, in: OptionName.allCases.map(\.rawValue)) == name)
    }

    @Test(
        arguments: [
            ("null=keep", "there is no option 'null'. Did you mean 'nulls'?", "nulls"),
            ("nulls=keeep", "the option 'nulls' cannot be 'keeep'. Did you mean 'keep'? Allowed: ", "nulls=keep"),
            (
                "serializer=json,htp", "the option 'serializer' cannot be 'json,htp'. Did you mean 'http'? ",
                "serializer=json,http"
            ),
            (
                "thumbnail=9x9,fit=covr",
                "the option 'thumbnail' cannot be '9x9,fit=covr': 'fit=covr' is wrong. Did you mean 'fit=cover'?",
                "thumbnail=9x9,fit=cover"
            ),
            (
                "thumbnail=9x9,frmat=png",
                "the option 'thumbnail' cannot be '9x9,frmat=png': 'frmat=png' is wrong. Did you mean 'format=png'?",
                "thumbnail=9x9,format=png"
            ),
            (
                "thumbnail=9",
                "the option 'thumbnail' cannot be '9': '9' is wrong; allowed: WxH with sides of 1 to 99999 pixels, none",
                nil
            ),
            ("thumbnail=9x9,quality=0", "the option 'thumbnail' cannot be '9x9,quality=0': 'quality=0' is wrong", nil),
        ] as [(String, String, String?)]
    )
    func `a problem suggests the nearest name`(query: String, message: String, accepts: String?) {
        do {
            _ = try OptionParser.parse(query: query, limits: .init())
            Issue.record("accepted")
        } catch {
            #expect(error.message.hasPrefix(message), "\(error.message)")
            #expect(error.accepts == accepts)
            #expect(error.message.contains(error.expected.last ?? "") || error.expected.count > 20)
        }
    }
}

@Suite struct PublicURLTests {
    @Test func `references are absolute if the URL is known`() {
        #expect(PublicURL.reference("/problems/a", base: "") == "/problems/a")
        #expect(
            PublicURL.reference("/problems/a", base: "https://example.com/decant")
                == "https://example.com/decant/problems/a"
        )
    }

    @Test(
        arguments: [
            ("https://example.com", true), ("http://[::1]:8080/a/", true), ("example.com", false), ("https://", false),
            ("https:///a", false), ("https://a?b", false), ("https://a#b", false), ("ftp://a", false),
            ("https://a b", false),
            ("https://u:p@a", false), ("https://a/\"", false),
        ]
    )
    func `only a URL is allowed`(text: String, isValid: Bool) {
        #expect(PublicURL.isValid(text) == isValid)
    }
}
