import Foundation
import Testing

@testable import Primitives

@Suite struct Base64Tests {
    @Test(arguments: 0..<70)
    func `decodes what Foundation encodes`(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
        let text = Array(Data(bytes).base64EncodedData())
        #expect(try Base64.decode(text.span) == bytes)
        #expect(Base64.text(of: bytes.span) == String(decoding: text, as: UTF8.self))
        var forgiving: [UInt8] = []
        let unpadded = text.filter { $0 != Base64.pad }
        let isValid = Base64.appendForgiving(unpadded.span, to: &forgiving)
        #expect(isValid && forgiving == bytes)
    }

    /// A reservation is exact, so that the next text would copy all bytes before it.
    @Test func `many short texts are appended without copying all bytes for each of them`() {
        let text = Array("YWFh".utf8)
        var bytes: [UInt8] = []
        var areValid = true
        var capacities: Set<Int> = []
        for _ in 0..<20_000 {
            let isValid = Base64.appendForgiving(text.span, to: &bytes)
            areValid = areValid && isValid
            capacities.insert(bytes.capacity)
        }
        #expect(areValid && bytes.count == 60_000)
        // Each one is about twice the one before it.
        #expect(capacities.count < 30)
    }

    @Test func `the text for URLs has another alphabet and no padding`() {
        #expect(Base64.urlText(of: [0xFB, 0xFF, 0xBF, 0x01].span) == Array("-_-_AQ".utf8))
    }

    @Test(arguments: [
        ("a", Base64.Fault.padding(at: 1)),
        ("aGk", .padding(at: 3)),
        ("aGk=a", .padding(at: 5)),
        ("aGk==", .padding(at: 5)),
        ("====", .padding(at: 0)),
        ("a===", .padding(at: 1)),
        ("a=k=", .padding(at: 1)),
        ("aG=k", .padding(at: 2)),
        ("aGk=aGk=", .padding(at: 3)),
        ("aG k", .character(at: 2)),
        ("aGk\n", .character(at: 3)),
        ("aGk=\n", .character(at: 4)),
        ("_-_-", .character(at: 0)),
        ("aGl=", .unusedBits(at: 2)),
        ("aB==", .unusedBits(at: 1)),
    ])
    func `rejects any other text, with the offset`(text: String, fault: Base64.Fault) {
        #expect(throws: fault) { try Base64.decode(text.utf8Span.span) }
    }
}
