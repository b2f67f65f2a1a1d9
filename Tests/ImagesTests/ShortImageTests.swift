import Serialization
import Testing

@Suite struct ShortImageTests {
    /// The HTTP thread only selects the serializer, whatever the length: a worker reads the image.
    @Test(arguments: ["image/png", "application/octet-stream", nil], [1, 1 << 10, 1 << 20])
    func `an image of any length is recognized on an HTTP thread`(type: String?, bytes: Int) throws {
        let signature: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8)
        let content = signature + [UInt8](repeating: 0, count: bytes)
        var response = UpstreamResponse()
        if let type { response.fields.append(name: "Content-Type", value: type) }
        let serializer = ResponseSerializer()
        let isShort = serializer.isShort(content.span, of: response)
        #expect(isShort)
        switch try serializer.serializeAtOnce(response, content: content.span, memory: .unlimited) {
        case .done: Issue.record("the image was read")
        case .image(let pending): #expect(!pending.order.needsOnlyHeader)
        }
    }
}
