import Primitives
import Testing

@testable import Service

@Suite struct TraceContextTests {
    /// The example of W3C Trace Context §3.2.3.
    private static let example = TraceContext(
        traceID: (0x0af7_6519_16cd_43dd, 0x8448_eb21_1c80_319c),
        parentID: 0xb7ad_6b71_6920_3331,
        spanID: 7
    )

    @Test(arguments: [
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff",
        // Higher versions.
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "fe-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what the future holds",
    ])
    func `parses a valid value`(value: String) {
        #expect(TraceContext(parsing: value.utf8.span, spanID: 7) == Self.example)
    }

    @Test(arguments: [
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        // Version 00 has nothing after the flags.
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-1",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, "
            + "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        // In a higher version, the flags are followed by a hyphen or the end.
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-012",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.what",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333A-01",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
    ])
    func `rejects a malformed value`(value: String) {
        #expect(TraceContext(parsing: value.utf8.span, spanID: 7) == nil)
    }

    @Test(arguments: [UInt64(1), 1 << 63])
    func `an identifier with a single bit set is valid`(bit: UInt64) {
        let digits = String(repeating: "0", count: 15) + "1"
        let identifier = bit == 1 ? digits : "8" + String(repeating: "0", count: 15)
        for (high, low) in [(0, bit), (bit, 0)] as [(UInt64, UInt64)] {
            let trace =
                (high == 0 ? String(repeating: "0", count: 16) : identifier)
                + (low == 0 ? String(repeating: "0", count: 16) : identifier)
            #expect(
                TraceContext(parsing: "00-\(trace)-\(identifier)-00".utf8.span, spanID: 1)
                    == TraceContext(traceID: (high, low), parentID: bit, spanID: 1)
            )
        }
    }

    /// Each byte of the value is replaced with each other byte. A digit may be replaced only with another digit.
    @Test func `accepts exactly the lower-case hexadecimal digits and the hyphens`() {
        let value = Array("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".utf8)
        let digits = Set("0123456789abcdef".utf8)
        for index in value.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = value
                changed[index] = byte
                let isValid = value[index] == UInt8(ascii: "-") ? byte == value[index] : digits.contains(byte)
                #expect((TraceContext(parsing: changed.span, spanID: 1) != nil) == isValid, "\(byte) at \(index)")
            }
        }
    }
}
