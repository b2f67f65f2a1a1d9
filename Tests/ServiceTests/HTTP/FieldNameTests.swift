import Serialization
import Testing

@testable import HTTP
@testable import Service

struct FieldNameTests {
    static let names: [(name: String, field: FieldName)] = [
        ("Host", .host), ("Expect", .expect), ("Content-Length", .contentLength),
        ("Transfer-Encoding", .transferEncoding), ("X-Request-ID", .requestID), ("traceparent", .traceparent),
        ("Content-Type", .contentType),
        ("Content-Encoding", .contentEncoding), ("Upstream-Status", .upstreamStatus), ("Upstream-URL", .upstreamURL),
        ("Upstream-Method", .upstreamMethod), ("Accept-Encoding", .acceptEncoding),
        ("Want-Repr-Digest", .wantReprDigest), ("Authorization", .authorization),
    ]

    @Test(arguments: names)
    func `names are case-insensitive`(name: String, field: FieldName) {
        #expect(FieldName(name.utf8.span) == field)
        #expect(FieldName(name.lowercased().utf8.span) == field)
        #expect(FieldName(name.uppercased().utf8.span) == field)
        #expect(field.isToken)
    }

    @Test(arguments: names)
    func `a name with one changed byte is not recognized`(name: String, field: FieldName) {
        for index in 0..<name.utf8.count {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array(name.utf8)
                guard bytes[index].asciiLowercased != byte.asciiLowercased else { continue }
                bytes[index] = byte
                // An unknown name with the reserved prefix is reported as a mistake.
                let rest: FieldName = name.hasPrefix("Upstream-") && index >= 9 ? .upstreamUnknown : .other
                #expect(FieldName(bytes.span) == rest, "\(byte) at \(index)")
            }
        }
    }

    @Test(arguments: [
        "", "H", "Hos", "Hosts", "Upstream", "Accept", "User-Agent", "Accept-Language", "Want-Content-Digest",
        "tracestate",
    ])
    func `any other name is not recognized`(name: String) {
        #expect(FieldName(name.utf8.span) == .other)
        #expect(!FieldName.other.isToken)
    }

    @Test(arguments: ["Upstream-Field-X", "upstream-field-Retry-After", "UPSTREAM-FIELD-\u{01}"])
    func `a field of the upstream response is recognized by its prefix`(name: String) {
        #expect(FieldName(name.utf8.span) == .upstreamField)
        // The rest of the name may contain any bytes.
        #expect(!FieldName.upstreamField.isToken)
    }

    @Test(arguments: [
        "Upstream-", "Upstream-Field", "Upstream-Field-", "upstream-x", "UPSTREAM-STATUSES", "Upstream-\u{01}",
    ])
    func `every name with the prefix is reserved`(name: String) {
        #expect(FieldName(name.utf8.span) == .upstreamUnknown)
        // The rest of the name may contain any bytes.
        #expect(!FieldName.upstreamUnknown.isToken)
    }
}
