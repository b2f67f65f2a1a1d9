import Flights
import HTTP
import Serialization
import Testing

@testable import Service

/// What the service gives to the table of flights.
@Suite struct FetchRenditionTests {
    private func rendition(_ options: SerializationOptions = SerializationOptions()) -> FetchRendition {
        FetchRendition(ResponseSerializer(options: options), requestID: .given("a"))
    }

    @Test(arguments: ["accept-types", "parameters", "xml-arrays"])
    func `long options are charged to the cache`(option: String) throws {
        var options = SerializationOptions()
        let long = String(repeating: "b", count: 1_000)
        switch option {
        case "accept-types":
            let types = (0..<32).map { "a/\(long)\($0)" }.joined(separator: ",")
            options.acceptableMediaTypes = try MediaTypeSet(parsing: types)
        case "parameters":
            let type = "a/b" + String(repeating: ";c=\(long)", count: 32)
            options.acceptableMediaTypes = try MediaTypeSet(parsing: type)
        default:
            options.xmlArrays = try #require(XMLArrays(parsing: String(repeating: "/a", count: 1_000)))
        }
        // A text is 16 bytes, besides those that it refers to.
        #expect(rendition(options).heapBytes > 16 * 1_000)
    }

    @Test func `equal options and limits want the same response, whatever the identifier of the request is`() {
        var keeping = SerializationOptions()
        keeping.nulls = .keep
        var limits = Limits()
        limits.maxContentBytes = 10
        let image = ImageResponseOptions(isNegotiated: false)
        let negotiated = ImageResponseOptions(isNegotiated: true)
        let serializer = ResponseSerializer()
        #expect(rendition().isEqual(to: FetchRendition(serializer, requestID: .given("b"))))
        #expect(rendition(keeping).isEqual(to: rendition(keeping)))
        #expect(!rendition(keeping).isEqual(to: rendition()))
        #expect(!rendition().isEqual(to: FetchRendition(ResponseSerializer(limits: limits), requestID: .given("a"))))
        #expect(!rendition().isEqual(to: FetchRendition(serializer, image: image, requestID: .given("a"))))
        #expect(
            !FetchRendition(serializer, image: image, requestID: .given("a"))
                .isEqual(to: FetchRendition(serializer, image: negotiated, requestID: .given("a")))
        )
    }
}
