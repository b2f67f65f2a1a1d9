import Testing

@testable import Fetching

@Suite struct FetchMethodsTests {
    @Test func `reads a list of methods`() throws {
        let methods = try FetchMethods(parsing: "GET, HEAD ,POST,get")
        #expect(methods.names == ["GET", "HEAD", "POST", "get"])
        #expect(methods.contains("get") && !methods.contains("head"))
        #expect(FetchMethods.safe == (try FetchMethods(parsing: "HEAD,GET")))
        let longest = String(repeating: "A", count: 64)
        #expect(try FetchMethods(parsing: longest).contains(longest))
    }

    @Test(
        arguments: [
            ("", .emptyEntry(at: 0)), ("GET,", .emptyEntry(at: 4)), (",GET", .emptyEntry(at: 0)),
            ("G T", .malformed(at: 1)),
            ("GET,PÖST", .malformed(at: 5)), ("GET/POST", .malformed(at: 3)),
            ("CONNECT", .unsupported("CONNECT", at: 0)),
            ("GET, connect", .unsupported("connect", at: 5)), ("TRACE", .unsupported("TRACE", at: 0)),
            (String(repeating: "A", count: 65), .tooLong(bytes: 65, max: 64, at: 0)),
        ] as [(String, FetchMethodsError)]
    )
    func `rejects other text`(text: String, error: FetchMethodsError) {
        #expect(throws: error) { try FetchMethods(parsing: text) }
    }
}
