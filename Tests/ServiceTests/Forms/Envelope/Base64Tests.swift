import Foundation
import Testing

@testable import Service

@Suite struct Base64Tests {
    @Test(arguments: 0..<70)
    func `decodes what Foundation encodes`(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
        let text = Array(Data(bytes).base64EncodedData())
        #expect(try Base64.decode(text.span) == bytes)
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
