import Serialization
import Testing

@testable import HTTP
@testable import Service

struct RequestFieldsTests {
    static let fields = HeaderFields([
        HeaderFields.Field(name: "Content-Type", value: "text/plain"),
        HeaderFields.Field(name: "Via", value: "a"),
        HeaderFields.Field(name: "Empty", value: ""),
        HeaderFields.Field(name: "via", value: "b"),
        HeaderFields.Field(name: "Long", value: String(repeating: "x", count: 5_000)),
    ])

    @Test func `returns the fields from which it was created`() {
        let fields = RequestFields(Self.fields)
        #expect(fields.all == Self.fields)
        #expect(fields.count == 5)
        #expect(RequestFields().all == HeaderFields())
    }

    @Test(arguments: ["Content-Type", "CONTENT-TYPE", "via", "Via", "empty", "long", "vi", "viaa", ""])
    func `finds the same values as HeaderFields`(name: String) {
        let fields = RequestFields(Self.fields)
        #expect(fields.values(of: name) == Self.fields.values(of: name))
        #expect(fields.combined(name) == Self.fields.combined(name))
    }
}
