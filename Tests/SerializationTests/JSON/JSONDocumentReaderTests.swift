import TestSupport
import Testing

@testable import Serialization

@Suite struct JSONDocumentReaderTests {
    /// Few names are compared one by one, many are in a table.
    @Test(arguments: [1, 2, 15, 16, 17, 18, 40]) func `a repeated name is found among few and among many`(
        count: Int
    ) throws {
        let names = (0..<count).map { "name\($0)" }
        for (index, name) in names.enumerated() {
            for spelling in [name, name.replacing("n", with: #"\u006e"#)] {
                let text = Array(
                    "{\"o\":{\"name0\":0},\(names.map { "\"\($0)\":0" }.joined(separator: ",")),\"\(spelling)\":0}".utf8
                )
                var reader = JSONDocumentReader(checking: text.span, limits: Limits())
                try reader.enterObject(in: text.span)
                #expect(try reader.nextName(in: text.span) == "o")
                try reader.enterObject(in: text.span)
                #expect(try reader.nextName(in: text.span) == "name0")
                _ = reader.skip(in: text.span)
                #expect(try reader.nextName(in: text.span) == nil)
                for expected in names {
                    #expect(try reader.nextName(in: text.span) == expected)
                    _ = reader.skip(in: text.span)
                }
                let fault = #expect(throws: JSONDocumentFault.self) { _ = try reader.nextName(in: text.span) }
                let before = names[..<index].reduce(17) { $0 + $1.utf8.count + 5 }
                #expect(fault?.reason == .duplicate(name, first: before))
            }
        }
    }

    /// The other comparison of bytes ignores the case of letters.
    @Test(arguments: ["nUll", "True", "falsE", "tru", "nullx", "01", "1.", "-", "+1", "1e", "'a'", "\"\t\""])
    func `a value that is skipped is checked`(value: String) throws {
        let text = Array("[\(value),0]".utf8)
        var reader = JSONDocumentReader(checking: text.span, limits: Limits())
        try reader.enterArray(in: text.span)
        while reader.nextElement(in: text.span) { _ = reader.skip(in: text.span) }
        #expect(throws: JSONDocumentError.self) { try reader.finish(text.span, memory: .unlimited) }
    }

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
