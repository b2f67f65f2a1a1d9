import Serialization
import Testing

@testable import Service

@Suite struct FileMediaTypeTests {
    @Test(arguments: [
        ("a.json", "application/json"), ("/b/c.d/feed.RSS", "application/rss+xml"), ("a.tar.png", "image/png"),
        ("photo.JPEG", "image/jpeg"), ("a.json.gz", nil), ("json", nil), (".json", nil), ("a.json/b", nil), ("a.", nil),
        ("", nil), ("/", nil),
    ])
    func `the media type depends on the extension`(path: String, type: String?) {
        #expect(FileMediaType.mediaType(ofFile: path) == type)
    }

    @Test(arguments: FileMediaType.mediaTypes)
    func `every media type is accepted by a serializer`(type: String) throws {
        let serializer = ResponseSerializer(options: SerializationOptions(), limits: Limits())
        let content = Array("x".utf8)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        do {
            _ = try serializer.serialize(response, content: content.span, memory: .unlimited)
        } catch {
            #expect(Problem(error, nil, under: .decant).code != .unacceptableType)
        }
    }
}
