import Serialization
import Testing

@Suite struct UpstreamResponseTests {
    private static func fields(_ count: Int, bytes: Int) -> HeaderFields {
        HeaderFields(
            (0..<count).map {
                .init(
                    name: "a",
                    value: String(repeating: "b", count: bytes / count - 1 + ($0 == 0 ? bytes % count : 0))
                )
            }
        )
    }

    /// The bounds are those of all heads of a message together.
    @Test(arguments: [
        (0, 0, true), (1, 8_192, true), (1, 8_193, false), (128, 8_192, true), (129, 8_192, false),
    ])
    func `a short head has at most 8 KiB and 128 fields`(count: Int, bytes: Int, isShort: Bool) {
        let fields = count == 0 ? HeaderFields() : Self.fields(count, bytes: bytes)
        var response = UpstreamResponse(fields: fields)
        #expect(response.hasShortHead == isShort)
        response.fields = HeaderFields()
        response.message = MessageFacts(trailers: fields)
        #expect(response.hasShortHead == isShort)
        let preceding = PrecedingResponse(status: 301, fields: fields)
        response.message = MessageFacts(history: [preceding])
        #expect(response.hasShortHead == isShort)
        response.fields = HeaderFields([.init(name: "a", value: "")])
        #expect(response.hasShortHead == (isShort && count == 0))
    }
}
