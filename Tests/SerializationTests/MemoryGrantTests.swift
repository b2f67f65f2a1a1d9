import Serialization
import SerializationSupport
import Synchronization
import Testing

/// Tests of the memory that a serialization requests while it grows, and of rejected requests.
@Suite struct MemoryGrantTests {
    /// Grants a given number of bytes in total.
    final class Grants: MemoryGrant {
        private let left: Atomic<Int>
        private let count = Atomic<Int>(0)

        init(bytes: Int) {
            left = Atomic(bytes)
        }

        var requests: Int { count.load(ordering: .relaxed) }

        func grow(by bytes: Int) -> Bool {
            count.wrappingAdd(1, ordering: .relaxed)
            guard left.load(ordering: .relaxed) >= bytes else { return false }
            left.wrappingSubtract(bytes, ordering: .relaxed)
            return true
        }
    }

    struct Document: CustomTestStringConvertible, Sendable {
        var name: String
        var type: String
        var content: [UInt8]
        var options = SerializationOptions()

        var testDescription: String { name }
    }

    private static func with(_ change: (inout SerializationOptions) -> Void) -> SerializationOptions {
        var options = SerializationOptions()
        change(&options)
        return options
    }

    /// Documents that need more memory than was reserved.
    static let growing = [
        Document(
            name: "an object of many members",
            type: "application/json",
            content: Array("{\((0..<200_000).map { "\"\($0)\":1" }.joined(separator: ","))}".utf8)
        ),
        Document(
            name: "nested objects with tables",
            type: "application/json",
            content: Array(
                (String(repeating: "{\((0..<4_000).map { "\"\($0)\":1," }.joined())\"a\":", count: 8) + "1"
                    + String(repeating: "}", count: 8)).utf8
            )
        ),
        Document(
            name: "Latin-1",
            type: "application/json; charset=iso-8859-1",
            content: [0x22] + [UInt8](repeating: 0xE9, count: 1 << 20) + [0x22]
        ),
        Document(
            name: "UTF-16",
            type: "application/json",
            content: [0xFF, 0xFE, 0x22, 0] + [UInt8](repeating: 0x42, count: 1 << 20) + [0x22, 0]
        ),
        Document(
            name: "XML in Latin-1",
            type: "application/xml; charset=iso-8859-1",
            content: Array("<a>".utf8) + [UInt8](repeating: 0xE9, count: 1 << 20) + Array("</a>".utf8)
        ),
        Document(
            name: "objects of a text property list",
            type: "application/x-plist",
            content: Array("(\(String(repeating: "a,", count: 100_000)))".utf8)
        ),
        Document(
            name: "Base64",
            type: "application/octet-stream",
            content: [UInt8](repeating: 0xFF, count: 1 << 20),
            options: with { $0.serializer = .one(.http) }
        ),
        Document(
            name: "hints",
            type: "application/x-plist",
            content: Array("<plist><array>\(String(repeating: "<data/>", count: 100_000))</array></plist>".utf8),
            options: with { $0.hints = true }
        ),
        Document(
            name: "the document form",
            type: "application/xml",
            content: Array("<a>\(String(repeating: "<b/>", count: 100_000))</a>".utf8),
            options: with { $0.serializer = .one(.xmlDocument) }
        ),
        Document(
            name: "mixed XML",
            type: "application/xml",
            content: Array("<a>\(String(repeating: "<b/>c", count: 100_000))</a>".utf8)
        ),
        Document(
            name: "objects of an XML property list",
            type: "application/x-plist",
            content: Array("<plist><array>\(String(repeating: "<true/>", count: 100_000))</array></plist>".utf8)
        ),
        Document(
            name: "names with a long namespace",
            type: "application/xml",
            content: Array(
                "<r xmlns=\"\(String(repeating: "u", count: 30_000))\">\((0..<50).map { "<a\($0)/>" }.joined())</r>"
                    .utf8
            ),
            options: with { $0.xmlNames = .clark }
        ),
        Document(
            name: "sorted members",
            type: "application/json",
            content: Array("[\(String(repeating: #"{"b":1,"a":2},"#, count: 100_000))1]".utf8),
            options: with { $0.keys = .sorted }
        ),
        Document(
            name: "a repaired copy",
            type: "application/json",
            content: Array("[\(String(repeating: "{a:1},", count: 50_000))1]".utf8),
            options: with { $0.leniencies = [.unquotedKeys] }
        ),
        Document(
            name: "many names of a form",
            type: "application/x-www-form-urlencoded",
            content: Array((0..<50_000).map { "a\($0)=1" }.joined(separator: "&").utf8)
        ),
    ]

    private static func serialize(
        _ document: Document,
        _ memory: any MemoryGrant
    ) throws(SerializationFailure) -> [UInt8] {
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: document.type)
        let answer = try ResponseSerializer(options: document.options)
            .serialize(response, content: document.content.span, memory: memory)
        return Array(answer.json)
    }

    /// Options that copy the text take the memory for the copies when they make them.
    @Test func `the reservation does not depend on options`() {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/json")
        let content = [UInt8](repeating: 0x20, count: 100_000)
        let plain = ResponseSerializer().memoryBytes(for: content.span, of: response)
        let changes: [(inout SerializationOptions) -> Void] = [
            { $0.keys = .sorted }, { $0.canonical = true }, { $0.leniencies = [.comments] },
            { $0.surrogates = .replace },
        ]
        for change in changes {
            let serializer = ResponseSerializer(options: Self.with(change))
            #expect(serializer.memoryBytes(for: content.span, of: response) == plain)
        }
    }

    @Test(arguments: growing)
    func `a serialization with enough memory has the same result as one without a limit`(document: Document) throws {
        let grants = Grants(bytes: .max)
        #expect(try Self.serialize(document, grants) == Self.serialize(document, .unlimited))
        #expect(grants.requests > 0)
    }

    @Test(arguments: growing)
    func `a serialization fails at each request that is rejected`(document: Document) throws {
        let all = Grants(bytes: .max)
        _ = try Self.serialize(document, all)
        for bytes in [0, 1, 1 << 10, 64 << 10, 300 << 10] {
            let grants = Grants(bytes: bytes)
            do {
                _ = try Self.serialize(document, grants)
            } catch {
                #expect(error.chain == [.outOfMemory])
                continue
            }
            #expect(grants.requests == all.requests, "\(bytes) bytes were enough for it")
        }
        #expect(throws: SerializationFailure.self) { try Self.serialize(document, Grants(bytes: 0)) }
    }

    @Test func `a compound does not try its next component if memory was missing for the first`() throws {
        var document = Self.growing[0]
        document.options.serializer = .compound([.json, .http])
        #expect(throws: SerializationFailure.self) { try Self.serialize(document, Grants(bytes: 0)) }
    }

    @Test func `the memory of a compound with auto covers every choice of auto`() {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "application/json")
        let content = [UInt8](repeating: 0x20, count: 100_000)
        let bytes = [SerializerChoice.compound([.json, nil]), .one(.json), .one(.plist)].map { choice in
            ResponseSerializer(options: Self.with { $0.serializer = choice })
                .memoryBytes(for: content.span, of: response)
        }
        #expect(bytes[0] > bytes[1] && bytes[0] >= bytes[2])
    }

    @Test func `the memory of text that looks like HTML covers XML`() {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "text/plain")
        let content = Array("<a><b>\(String(repeating: "1", count: 100_000))</b></a>".utf8)
        let bytes = ResponseSerializer().memoryBytes(for: content.span, of: response)
        response.fields = HeaderFields([.init(name: "Content-Type", value: "application/xml")])
        #expect(bytes == ResponseSerializer().memoryBytes(for: content.span, of: response))
    }

    @Test func `long header fields need memory for the response`() throws {
        var response = UpstreamResponse()
        response.hasAllFields = true
        response.fields.append(name: "Content-Type", value: "application/json")
        response.fields.append(name: "Link", value: String(repeating: "<a>; rel=b, ", count: 5_000))
        let grants = Grants(bytes: .max)
        _ = try ResponseSerializer().serialize(response, content: Array("1".utf8).span, memory: grants)
        #expect(grants.requests > 0)
        #expect(throws: SerializationFailure.self) {
            _ = try ResponseSerializer().serialize(response, content: Array("1".utf8).span, memory: Grants(bytes: 0))
        }
    }

    /// The failure contains the value, and the problem a copy of it.
    @Test func `the value of a rejected response needs memory for its copies`() {
        var response = UpstreamResponse(status: 500)
        response.fields.append(name: "Content-Type", value: "application/json")
        for (bytes, isEnough) in [(0, false), (5, false), (6, true)] {
            let error = #expect(throws: SerializationFailure.self) {
                _ = try ResponseSerializer()
                    .serialize(response, content: Array("[1]".utf8).span, memory: Grants(bytes: bytes))
            }
            #expect(error?.chain.contains(.outOfMemory) == !isEnough)
        }
    }

    /// Otherwise, most of it would be written before the memory is missing.
    @Test func `the length of a property list with shared objects is requested before it is written`() throws {
        // 1 000 references to a string of 300 bytes.
        let array: [UInt8] = [0xAF, 0x11, 0x03, 0xE8] + [UInt8](repeating: 1, count: 1_000)
        let string: [UInt8] = [0x5F, 0x11, 0x01, 0x2C] + [UInt8](repeating: 0x61, count: 300)
        let content = binaryPropertyList(array, string)
        let document = Document(name: "", type: "application/x-plist", content: content)
        #expect(try Self.serialize(document, .unlimited).count > 300_000)
        let grants = Grants(bytes: 100_000)
        let error = #expect(throws: SerializationFailure.self) { _ = try Self.serialize(document, grants) }
        #expect(error?.chain == [.outOfMemory])
        #expect(grants.requests == 1)
    }

    @Test func `an ordinary text needs no grant`() throws {
        let grants = Grants(bytes: 0)
        let text = "[\((0..<100_000).map { #"{"id":\#($0),"name":"a"}"# }.joined(separator: ","))]"
        let document = Document(name: "", type: "application/json", content: Array(text.utf8))
        #expect(try Self.serialize(document, grants) == Self.serialize(document, .unlimited))
        #expect(grants.requests == 0)
    }
}
