import Testing

@testable import HTTP
@testable import Service

@Suite struct RequestIDTests {
    @Test(arguments: [
        (RequestID.made(0, 0), "00000000000000000000000000000000"),
        (.made(.max, .max), "ffffffffffffffffffffffffffffffff"),
        (.made(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210), "0123456789abcdeffedcba9876543210"),
        (.made(1, 0xA), "0000000000000001000000000000000a"),
        (.given("a-b_C"), "a-b_C"),
    ])
    func `is written in hexadecimal with the most significant digit first`(identifier: RequestID, text: String) {
        #expect(identifier.text == text)
    }
}
