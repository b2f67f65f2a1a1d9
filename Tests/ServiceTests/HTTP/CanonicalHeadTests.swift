import Foundation
import Testing

@testable import HTTP

@Suite struct CanonicalHeadTests {
    @Test(arguments: 0..<8)
    func `the head that the library receives is a constant of at most 60 bytes`(flags: Int) {
        let (isHead, isHTTP10, closes) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        let head = CanonicalHead(isHead: isHead, isHTTP10: isHTTP10, closes: closes).text
        #expect(head.utf8CodeUnitCount <= 60)
        let lines = "\(head)".components(separatedBy: "\r\n")
        #expect(lines[0] == "\(isHead ? "HEAD" : "GET") / HTTP/1.\(isHTTP10 ? 0 : 1)")
        #expect(lines.contains("Connection: close") == closes)
        #expect(lines.suffix(2) == ["", ""])
    }
}
