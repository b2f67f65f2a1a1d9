import TestSupport
import Testing

@testable import Serialization

@Suite struct JSONDocumentReaderTests {
    /// The JSON Pointer of a location contains all names above it. It was made for each value.
    @Test func `values below a long name cost no more than others`() throws {
        func time(nameBytes: Int) throws -> Duration {
            let name = String(repeating: "n", count: nameBytes)
            let values = [String](repeating: "\"\"", count: 2_000).joined(separator: ",")
            let text = Array("{\"\(name)\":[\(values)]}".utf8)
            var reader = try JSONDocumentReader(text.span, limits: Limits(), errors: .first, memory: .unlimited)
            try reader.enterObject(in: text.span)
            #expect(try reader.nextName(in: text.span) == name)
            try reader.enterArray(in: text.span)
            return try processorTime {
                while reader.nextElement(in: text.span) {
                    _ = reader.mark(in: text.span)
                    _ = try reader.string(in: text.span)
                }
            }
        }
        #expect(try time(nameBytes: 1_000) < time(nameBytes: 1) * 4)
    }
}
